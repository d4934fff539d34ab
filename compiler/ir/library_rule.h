// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which libraries are asked for an op, and from which sizes on: in IR text, schedules and options
// of passes. The first that may be called and takes the op's operands does so; else the generated
// kernel runs. Iterators stand for their extents.
//
//   rules := rule {"else" rule}
//   rule  := NAME ["where" where]
//   where := bound {"and" bound}
//   bound := ITERATOR {"*" ITERATOR} ("<" | ">" "=") NUMBER
//
//   cblas where m * n * k >= 100000 and k >= 64 else blis where n < 8
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/token_stream.h"

namespace einc::ir {

struct LibraryRule {
  std::string library;  // "cblas", "blis"
  std::vector<Where> where;
};

// "cblas", "blis"
const std::vector<std::string>& libraryNames();

std::vector<Where> parseWhere(TokenStream& in);
// "none" gives no rules; other names than those of libraries are errors.
std::vector<LibraryRule> parseLibraryRules(TokenStream& in);

std::string whereText(const std::vector<Where>& where);  // " where ...", or nothing
std::string rulesText(const std::vector<LibraryRule>& rules);

}  // namespace einc::ir
