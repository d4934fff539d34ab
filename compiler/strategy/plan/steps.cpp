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
bool PartsStep::operator==(const PartsStep&) const = default;
bool InteriorStep::operator==(const InteriorStep&) const = default;
bool DigitsStep::Digit::operator==(const Digit&) const = default;
bool DigitsStep::operator==(const DigitsStep&) const = default;

Steps then(Step first, Steps rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

namespace {

// The lists that stand in a step.
struct Lists {
  std::vector<const Steps*> operator()(const WhenStep& step) const {
    return {&step.then, &step.otherwise};
  }
  std::vector<const Steps*> operator()(const PartsStep& step) const {
    return {&step.parts, &step.fill, &step.combine, &step.rest};
  }
  std::vector<const Steps*> operator()(const CutStep& step) const {
    return {&step.first, &step.rest};
  }
  std::vector<const Steps*> operator()(const InteriorStep& step) const {
    return {&step.inside, &step.border};
  }
  std::vector<const Steps*> operator()(const DigitsStep& step) const {
    std::vector<const Steps*> lists = {&step.whole};
    for (const DigitsStep::Digit& digit : step.digits) lists.push_back(&digit.left);
    return lists;
  }
  template <typename Other>
  std::vector<const Steps*> operator()(const Other&) const {
    return {};
  }
};

}  // namespace

bool anyStep(const Steps& steps, const std::function<bool(const Step&)>& is) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const std::vector<const Steps*> lists = std::visit(Lists(), step.node);
    return is(step) || std::any_of(lists.begin(), lists.end(),
                                   [&](const Steps* list) { return anyStep(*list, is); });
  });
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

PartsNames partsNames(const std::vector<OperandName>& names, size_t outputs) {
  const auto first = names.end() - static_cast<ptrdiff_t>(outputs);
  PartsNames result{{first, names.end()}, {names.begin(), first}, {}, names};
  for (OperandName& name : result.fill) {
    name.tensor += "_parts";
    while (std::any_of(names.begin(), names.end(),
                       [&](const OperandName& other) { return other.tensor == name.tensor; }))
      name.tensor += "_";
  }
  result.parts.insert(result.parts.end(), result.fill.begin(), result.fill.end());
  result.combine = result.fill;
  result.combine.insert(result.combine.end(), first, names.end());
  return result;
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
