// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The iterations that `where` leaves: how a comprehension's op is limited to them.
//
//   C(m) += A(m, n) where n < m         add(c, select(lt(index(n), index(m)), a, -0.0))
//   B(m, n) = A(m, n) where n < m       select(lt(index(n), index(m)), a, b)
//
// A reduction gets its neutral element instead of a term that is outside, an output keeps what it
// holds. So a payload says it all, and ir/guard.h finds the domain in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/ast.h"
#include "compiler/ir/ir.h"

namespace einc::frontend {

// One side of a comparison.
struct Compared {
  affine::Expr index;
  const Expr* element;  // the access, if it is an element of a tensor
};
struct DomainCondition {
  std::string comparison;  // "<", ...
  Compared left, right;
};

// The bool that all of the conditions hold. The accesses in them are these operands.
ir::ValueRef domainValue(const std::vector<DomainCondition>& conditions,
                         const std::map<const Expr*, unsigned>& operands,
                         const std::vector<ir::ScalarType>& operandTypes);

// The op in iterations of the domain alone. Outputs for which `begins` holds have no value before
// it: they become 0 elsewhere.
void limitTo(const ir::ValueRef& domain, const std::vector<bool>& begins, ir::StructuredOp& op);

}  // namespace einc::frontend
