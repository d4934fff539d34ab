// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reads IR text (.eir), at every level. print.h writes it: print(parse(print(k))) == print(k).
//
//   module    = "eir" "1" {kernel}
//   kernel    = "kernel" "@"name "(" [input {"," input}] ")" "->" "(" tensor {"," tensor} ")"
//               {"attr" attribute | "ods" string | "implements" string | "library_call" string
//               | "doc" string | "strides" "contiguous"}
//               "level" ("tensors" | "buffers" | "tiled" | "vector" | "hardware")
//               body ["contract" body]                    the contract's is at level tensors
//   body      = "{" {"local" tensor | statement} "}"
//   input     = tensor | attribute                            the attribute is a scalar parameter
//   tensor    = "%"name ":" "tensor" "<" {size "x"} type ">"  %A: tensor<M x (N + 1) x f32>
//   size      = integer | name | name "[" integer "]" | "(" index ")"
//   attribute = name ["?"] ":" {integer "x"} type ["[" "]"] ["=" (number | "[" numbers "]")]
//                                                             strides: 2xi64 = [1, 1]
//   statement = "op" "(" [iterators] ")" ["ins" "(" operands ")"] "outs" "(" operands ")"
//               "{" "(" arguments ")" "->" values "}"         a name for each operand, in order
//               ["vector" axes] ["ahead" name integer ["far"]] ["early"] ["variant"] ["unrolled" "(" names ")"]
//               ["combine" "{" "(" names ")" "->" values "}" "neutral" "(" values ")"]
//             | "fused" block
//             | "alloc" ("%"name | tensor) ["in" ("stack" | "workgroup" | "registers") | "over" "%"name]
//             | "bound" name "=" "min" "(" indices ")"
//             | "read" name "=" element ["plus" index]
//             | "view" tensor "=" "(" names ")" "->" element ["pad" value]
//             | "offsets" dimension "in" "%"name
//             | "lead" name "=" dimension "to" integer
//             | "non_temporal" "%"name block
//             | "for" name "=" "0" ".." index kind ["on" place] ["unrolled"] block
//             | "tile" name ":" name "=" "0" ".." index "by" index kind
//               ["on" ("threads" ["from" index] ["inside" index] | place)] block
//                                                           the second name: the tile's size
//             | "if" condition {"and" condition} block ["else" block]
//             | "outline" name block
//             | "vector" axes ["times" axes] ["variant"] block
//             | "assume_numbers" block "else" block
//             | "check_numbers" "(" values ")"
//             | "library" name name "(" [letter {"," letter}] ")" ["alpha" value] ["beta" value]
//               ["where" where] ["of" "op" integer] op "else" block
//                                                           letter: m: i j; library_rule.h
//             | "external" name "(" [("%"name | name) {"," ("%"name | name)}] ")" block
//             | "dispatch" name "(" integer "," integer "," integer ")" block
//             | "barrier"
//             | "let" name ":" type ["over" "(" names ")"] "=" value
//             | name "=" value
//             | element ["unit" name] ["clip"] "=" value
//             | "prefetch" ["far"] ["own"] element
//             | "transpose" variable "along" axis
//   block     = "{" {statement} "}"
//   kind      = "parallel" | "reduction"
//   place     = "workgroups" dim | "invocations" [dim] | "grid"
//   dim       = "x" | "y" | "z"
//   axes      = "(" name ":" integer {"," name ":" integer} ")"
//   dimension = "%"name "[" integer "]"
//   condition = size ("==" | "<" | "<=") size
//             | "unit" dimension | "even" dimension | "aligned" dimension "to" integer
//   iterator  = name ":" kind
//   operand   = element ["shape"] ["pad" value] ["copied" "to" element]
//   element   = "%"name "[" [index {"," index}] "]"
//   value     = literal | name | name "[" integer "]" | element ["pad" value] ["unit" name]
//             | "index" "(" index ")" | "cast" "<" type ">" "(" value ")" | function "(" values ")"
//             | instruction "(" value "," value "," value ")"    target/instructions.def: a sum, and two words
//             | instruction "[" axis "," axis "]" "(" value "," value "," value ")"    of a block: its lanes, and those of words
//             | "reduce" function "over" name "(" value ")"
//             | "shuffle" name "[" integers "]" "(" value "," value ")"
//   literal   = ["-"] number "_" type | ["-"] ("inf" | "nan") "_" type | "true" | "false"
//   index     = ["-"] term {("+" | "-") term}
//   term      = factor {("*" | "floordiv" | "mod") factor}    from left to right
//   factor    = integer | name | name "[" integer "]" | "(" index ")"
//
// Comments run from // to the end of the line.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"

namespace einc::ir {

// Takes any bytes. Nothing after an error; one is reported, the first. What is returned has no
// names that stand for nothing, but only verify.h tells whether it keeps the rules of the IR.
std::optional<Module> parse(const SourceFile& source, Diagnostics& errors);

}  // namespace einc::ir
