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
  // Linalg wants every dimension that an iterator indexes alone to have the iterator's extent,
  // while our operands may be larger: the sizes of the part that it may see, empty for all of the
  // tensor.
  std::vector<affine::Expr> sizes = {};
  std::optional<unsigned> scalar = {};  // a scalar parameter instead of a tensor, which none reads
};

struct LinalgOp {
  std::vector<LinalgOperand> inputs, outputs;
};

// The operands of a linalg.generic with the iteration space of `op`. Inputs of the op that are not
// among them are read in the payload. The reason says which output's map has no such form.
Result<LinalgOp> toLinalg(const ir::Kernel& kernel, const ir::StructuredOp& op);

// The op of a def with library_call, with the def's parameters for operands, in their order: what
// the function is called with. The reason says why it cannot have them.
Result<LinalgOp> asCall(const ir::Kernel& kernel, const LinalgOp& op);

// The attributes in maps that would be Linalg's if these had constant values.
std::vector<unsigned> attributesInMaps(const ir::Kernel& kernel);

// "affine_map<(m, n, k) -> (m, k)>"
std::string mapText(const ir::StructuredOp& op, const std::vector<affine::Expr>& map);

}  // namespace einc::emit::mlir
