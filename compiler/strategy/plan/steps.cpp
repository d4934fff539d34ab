// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/steps.h"

#include <map>
#include <utility>

namespace einc::strategy {

std::string OperandName::str() const {
  return use == 0 ? tensor : tensor + "[" + std::to_string(use) + "]";
}

bool WhenStep::operator==(const WhenStep&) const = default;
bool CutStep::operator==(const CutStep&) const = default;

Steps then(Step first, Steps rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

affine::Expr extentOf(const std::string& iterator) { return affine::Expr::symbol(iterator); }

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
