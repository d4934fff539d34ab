// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/steps.h"

#include <algorithm>
#include <map>
#include <utility>

namespace einc::strategy {

std::string OperandName::str() const {
  return use == 0 ? tensor : tensor + "[" + std::to_string(use) + "]";
}

bool WhenStep::operator==(const WhenStep&) const = default;
bool CutStep::operator==(const CutStep&) const = default;
bool DigitsStep::Digit::operator==(const Digit&) const = default;
bool DigitsStep::operator==(const DigitsStep&) const = default;

Steps then(Step first, Steps rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

affine::Expr extentOf(const std::string& iterator) { return affine::Expr::symbol(iterator); }

std::string freeName(const ir::Kernel& kernel, const ir::StructuredOp& op, std::string wanted) {
  const std::vector<std::string> sizes = kernel.sizeSymbols();
  auto isTaken = [&](const std::string& name) {
    return std::find(sizes.begin(), sizes.end(), name) != sizes.end() ||
           std::any_of(op.iterators.begin(), op.iterators.end(),
                       [&](const ir::Iterator& i) { return i.name == name; });
  };
  while (isTaken(wanted)) wanted += "_";
  return wanted;
}

std::vector<OperandName> operandNames(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::map<std::string, unsigned> uses;
  std::vector<OperandName> names;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (op.operand(i).shapeOnly) continue;
    const std::string& tensor = kernel.tensors[op.operand(i).tensor].name;
    names.push_back({tensor, uses[tensor]++});
  }
  return names;
}

}  // namespace einc::strategy
