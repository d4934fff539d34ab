// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The iterations of an op and the elements it touches, as integer sets. Maps are asked in both
// directions: what do these iterations read and write, who touches this element?
//
// Dimensions of data are called #0, #1, ... A set is unknown (affine/set.h) where an
// extent or a map is not affine.
#pragma once

#include <string>
#include <vector>

#include "compiler/affine/set.h"
#include "compiler/ir/ir.h"

namespace einc::ir {

// 0 <= value < size
std::vector<affine::Constraint> within(const affine::Expr& value, const affine::Expr& size);

std::vector<std::string> iteratorNames(const StructuredOp& op);
// 0 <= iterator < extent, for all iterators.
std::vector<affine::Constraint> iterationConstraints(const Kernel& kernel, const StructuredOp& op);

// All elements of a tensor, for positive sizes.
affine::Set elementsOf(const Kernel& kernel, const Tensor& tensor);
// The elements that an operand touches in the iterations that satisfy `constraints` as well.
affine::Set elementsTouched(const Kernel& kernel, const StructuredOp& op, const Operand& operand,
                            const std::vector<affine::Constraint>& constraints = {});
// The iterations that touch an element that satisfies `constraints`, over the dimensions' names.
affine::Set iterationsTouching(const Kernel& kernel, const StructuredOp& op, const Operand& operand,
                               const std::vector<affine::Constraint>& constraints);

// The parameter values for which all sizes are positive: where conditions are of interest.
affine::Set positiveSizes(const Kernel& kernel);

// The iterator that stands for a dimension of data in constraints.
affine::Expr dataDimension(size_t dim);

}  // namespace einc::ir
