// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Spec text to syntax tree, by recursive descent. Goes on after an error at the next statement or
// def, so that one run shows all errors. Grammar:
//
//   spec       = { "ods_def" "<" id ">" [":"] | "implements_interface" "<" ids ">" [":"]
//              | "library_call" "<" [id] ">" [":"] | def | combiner }
//   combiner   = "combiner" id "(" part "," part ")" "=" expr {"," expr}
//                ["neutral" expr {"," expr}] ";"
//   part       = id | "(" id {"," id} ")"
//   def        = "def" id ["<" typeparam {"," typeparam} ">"] "(" params ")" "->" "(" params ")"
//                { attr | layouts | doc } "{" { statement } "}"
//   typeparam  = id ["=" type]
//   param      = id ":" type ["(" [expr {"," expr}] ")" | axes]
//   axes       = "{" [axis {"," axis}] "}"
//   axis       = id [":" expr]                             id alone stands for id: id
//   layouts    = "layouts" "(" layout {"," layout} ")"
//   layout     = id "(" [id "=" id {"," id "=" id}] ")"
//   attr       = "attr" "(" [attribute {"," attribute}] ")"
//   attribute  = id ["?"] ":" [int "x" {int "x"}] type ["[" "]" | "{" ids "}"] ["=" default]
//   default    = expr | "[" expr {"," expr} "]"
//   statement  = "local" param ";" | access {"," access} assign expr {"," expr} ";"
//   assign     = "=" | ("+=" | "-=" | "*=" | id "=") ["!"]      id: a combiner, such as max
//   expr       = C's operators and precedences, with ?: and unary - ! ~
//   primary    = number | id | id "[" expr {"," expr} "]" | "(" expr ")"
//              | id ["<" ids ">"] "(" [expr {"," expr}] ")" ["else" unary] | id axes ["else" unary]
//   doc        = three double quotes, any text, three double quotes
//   // comments run to the end of the line
#pragma once

#include "compiler/frontend/ast.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

// Expressions nested deeper than this are refused; compilers have such a limit for C, too.
constexpr unsigned kMaxHeight = 200;

// What could be read, with layouts expanded (layouts.h); complete only if `errors` has none.
Spec parse(const SourceFile& source, Diagnostics& errors);

}  // namespace einc::frontend
