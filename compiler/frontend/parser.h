// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Spec text to syntax tree, by recursive descent. Goes on after an error at the next statement or
// def, so that one run shows all errors. The grammar stands in grammar.ebnf, which the manual shows;
// tests/docs/grammar_test.py derives sentences from it, and reads all specs with it.
#pragma once

#include "compiler/frontend/ast.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

// Expressions nested deeper than this are refused; compilers have such a limit for C, too.
constexpr unsigned kMaxHeight = 200;

// What could be read, with layouts expanded (layouts.h); complete only if `errors` has none.
Spec parse(const SourceFile& source, Diagnostics& errors);

}  // namespace einc::frontend
