// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A StructuredOp as linalg.generic sees it. Linalg's indexing maps are affine with constants only:
// no sizes, no attributes, nothing read outside a tensor. Inputs that need more are read in the
// payload; an output that needs more cannot be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit::mlir {

struct LinalgOperand {
  unsigned tensor;
  std::vector<affine::Expr> map;
  std::optional<unsigned> operand;  // of the StructuredOp; none: only lends its shape
};

struct LinalgOp {
  std::vector<LinalgOperand> inputs, outputs;
};

// The operands of a linalg.generic with the iteration space of `op`. Inputs of the op that are not
// among them are read in the payload. The reason says which output's map has no such form.
Result<LinalgOp> toLinalg(const ir::Kernel& kernel, const ir::StructuredOp& op);

// The attributes in maps that would be Linalg's if these had constant values.
std::vector<unsigned> attributesInMaps(const ir::Kernel& kernel);

// "affine_map<(m, n, k) -> (m, k)>"
std::string mapText(const ir::StructuredOp& op, const std::vector<affine::Expr>& map);

// For each dimension of each tensor its size as a type shows it, nothing for "?". Sizes that
// Linalg would compare with another one, though our operands may be larger than needed, are not
// shown.
std::vector<std::vector<std::optional<int64_t>>> shownSizes(const ir::Kernel& kernel);

}  // namespace einc::emit::mlir
