// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the signature and the operands say about sizes: where each size symbol is found at run time,
// how far each iterator runs, and which conditions a call must meet. The interpreter and the
// emitters both start from these lists, so that they accept the same calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::ir {

// symbol = (size of dimension `dim` of tensor `tensor` - offset) / scale, exactly. `offset` uses
// attributes and the symbols of earlier bindings only; scale is not zero.
struct SymbolBinding {
  std::string symbol;
  unsigned tensor;
  unsigned dim;
  int64_t scale;
  affine::Expr offset;
};

// A binding for every size symbol, in an order that can be evaluated: dimensions that are just a
// symbol first, in signature order, then those that can be solved for one unknown. Symbols that
// cannot be found are left out (the verifier refuses such kernels).
std::vector<SymbolBinding> bindSymbols(const Kernel& kernel);

// The size of dimension `dim` of `tensor` must be `shape[dim]`. All dimensions but those that bind.
struct SizeCondition {
  unsigned tensor;
  unsigned dim;
};
std::vector<SizeCondition> sizeConditions(const Kernel& kernel,
                                          const std::vector<SymbolBinding>& bindings);

// Where an iterator's extent comes from.
struct ExtentSource {
  unsigned operand;  // of the op
  unsigned dim;
  affine::Expr extent;
};
// The first operand dimension that `iterator` indexes alone, operands in order, padded ones last.
std::optional<ExtentSource> extentOf(const Kernel& kernel, const StructuredOp& op,
                                     const std::string& iterator);

// A dimension of an operand whose index must be proved inside the tensor, at compile or at run
// time. Left out: dimensions whose index is one iterator that runs over that very size, and padded
// and shape-only operands.
struct AccessCondition {
  unsigned operand;
  unsigned dim;
};
std::vector<AccessCondition> accessConditions(const Kernel& kernel, const StructuredOp& op);

}  // namespace einc::ir
