// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What C and GLSL have in common in expressions.
#pragma once

#include <functional>
#include <string>

#include "compiler/affine/expr.h"
#include "compiler/ir/types.h"

namespace einc::emit {

// " + " and so on, of functions that are an operator in both languages; null of others.
const char* infix(ir::Function function);

// In parentheses, unless it is a name, a number, a call or in parentheses already.
std::string wrapped(const std::string& expression);

// An index expression as a sum of products: constants last, differences written as such.
struct IndexPrinter {
  // An iterator or symbol.
  std::function<std::string(const affine::Atom&)> name;
  // "floordiv", "floormod" or "ceildiv" of two expressions.
  std::function<std::string(const std::string& function, const affine::Expr& what,
                            const affine::Expr& by)>
      quotient;
  std::function<std::string(int64_t)> number;

  std::string text(const affine::Expr& expr) const;
};

}  // namespace einc::emit
