// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/domain.h"

#include "compiler/ir/shape.h"

namespace einc::ir {

using affine::Constraint;
using affine::Expr;
using affine::Set;

namespace {

std::string dataName(size_t dim) { return "#" + std::to_string(dim); }

std::vector<std::string> dataNames(size_t rank) {
  std::vector<std::string> names;
  for (size_t d = 0; d < rank; ++d) names.push_back(dataName(d));
  return names;
}

std::vector<Constraint> positive(const Kernel& kernel) {
  std::vector<Constraint> all;
  for (const std::string& symbol : kernel.sizeSymbols())
    all.push_back({Expr::symbol(symbol) - Expr::constant(1)});
  return all;
}

// The iterations, and the element that each touches.
std::vector<Constraint> relation(const Kernel& kernel, const StructuredOp& op,
                                 const Operand& operand,
                                 const std::vector<Constraint>& constraints) {
  std::vector<Constraint> all = iterationConstraints(kernel, op);
  all.insert(all.end(), constraints.begin(), constraints.end());
  for (size_t d = 0; d < operand.map.size(); ++d)
    all.push_back({dataDimension(d) - operand.map[d], true});
  if (operand.pad)  // outside the tensor it touches nothing
    for (size_t d = 0; d < operand.map.size(); ++d)
      for (Constraint& c : within(dataDimension(d), kernel.tensors[operand.tensor].shape[d]))
        all.push_back(std::move(c));
  return all;
}

}  // namespace

Expr dataDimension(size_t dim) { return Expr::iterator(dataName(dim)); }

std::vector<Constraint> within(const Expr& value, const Expr& size) {
  return {{value}, {size - value - Expr::constant(1)}};
}

std::vector<std::string> iteratorNames(const StructuredOp& op) {
  std::vector<std::string> names;
  for (const Iterator& iterator : op.iterators) names.push_back(iterator.name);
  return names;
}

std::vector<Constraint> iterationConstraints(const Kernel& kernel, const StructuredOp& op) {
  std::vector<Constraint> all;
  for (const Iterator& iterator : op.iterators)
    if (auto extent = extentOf(kernel, op, iterator.name))
      for (Constraint& c : within(Expr::iterator(iterator.name), extent->extent))
        all.push_back(std::move(c));
  return all;
}

Set elementsOf(const Kernel& kernel, const Tensor& tensor) {
  std::vector<Constraint> all = positive(kernel);
  for (size_t d = 0; d < tensor.shape.size(); ++d)
    for (Constraint& c : within(dataDimension(d), tensor.shape[d])) all.push_back(std::move(c));
  return Set(dataNames(tensor.shape.size()), all);
}

Set elementsTouched(const Kernel& kernel, const StructuredOp& op, const Operand& operand,
                    const std::vector<Constraint>& constraints) {
  std::vector<std::string> dims = dataNames(operand.map.size());
  for (const Iterator& iterator : op.iterators) dims.push_back(iterator.name);
  return Set(dims, relation(kernel, op, operand, constraints)).project(operand.map.size());
}

Set iterationsTouching(const Kernel& kernel, const StructuredOp& op, const Operand& operand,
                       const std::vector<Constraint>& constraints) {
  std::vector<std::string> dims = iteratorNames(op);
  for (const std::string& name : dataNames(operand.map.size())) dims.push_back(name);
  return Set(dims, relation(kernel, op, operand, constraints)).project(op.iterators.size());
}

Set positiveSizes(const Kernel& kernel) { return Set({}, positive(kernel)); }

}  // namespace einc::ir
