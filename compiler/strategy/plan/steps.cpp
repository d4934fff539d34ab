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
bool CopyStep::operator==(const CopyStep&) const = default;
bool ResultsStep::operator==(const ResultsStep&) const = default;
bool FunctionStep::operator==(const FunctionStep&) const = default;
bool ScratchStep::operator==(const ScratchStep&) const = default;
bool DigitsStep::Digit::operator==(const Digit&) const = default;
bool DigitsStep::operator==(const DigitsStep&) const = default;

namespace {

// The names that a step has for iterators; those in its lists are asked for in turn.
class Namer {
 public:
  explicit Namer(std::set<std::string>& names) : names_(names) {}

  void add(const Steps& steps) {
    for (const Step& step : steps) std::visit(*this, step.node);
  }

  void operator()(const TileStep& step) {
    uses({step.iterator});
    number(step.by);
  }
  void operator()(const WhenStep& step) {
    for (const Test& test : step.tests) {
      if (!test.iterator.empty()) uses({test.iterator});
      number(test.left);
      number(test.right);
    }
    add(step.then);
    add(step.otherwise);
  }
  void operator()(const LetStep& step) {
    for (const affine::Expr& e : step.of) number(e);
  }
  void operator()(const PartsStep& step) {
    uses({step.iterator});
    number(step.by);
    for (const Steps* list : {&step.parts, &step.fill, &step.combine, &step.rest}) add(*list);
  }
  void operator()(const InteriorStep& step) {
    uses({step.iterator});
    add(step.inside);
    add(step.border);
  }
  void operator()(const CollapseStep& step) { uses(step.iterators); }
  void operator()(const TablesStep& step) { uses({step.iterator}); }
  void operator()(const CutStep& step) {
    uses({step.iterator});
    number(step.at);
    if (step.copying) (*this)(*step.copying);
    add(step.first);
    add(step.rest);
  }
  void operator()(const SplitStep& step) { uses({step.iterator}); }
  void operator()(const SpreadStep& step) { uses({step.iterator}); }
  void operator()(const DigitsStep& step) {
    for (const DigitsStep::Digit& digit : step.digits) {
      uses({digit.iterator});
      add(digit.left);
    }
    add(step.whole);
  }
  void operator()(const OrderStep& step) { uses(step.iterators); }
  void operator()(const NonTemporalStep&) {}
  void operator()(const PackStep& step) {
    uses({step.panel.name});
    uses(step.along);
  }
  void operator()(const CopyStep& step) { uses(step.dimensions); }
  void operator()(const ConvertStep&) {}
  void operator()(const BorderStep&) {}
  void operator()(const KeepStep& step) {
    for (const KeepStep::Extent& extent : step.memory) uses({extent.iterator});
  }
  void operator()(const VectorizeStep& step) {
    for (const ir::Axis& axis : step.axes) uses({axis.name});
  }
  void operator()(const FunctionStep& step) { add(step.body); }
  void operator()(const ResultsStep& step) {
    for (const ir::Axis& axis : step.axes) uses({axis.name});
    add(step.body);
  }
  void operator()(const ScratchStep& step) {
    uses({step.rows.name, step.columns.name});
    add(step.body);
  }
  void operator()(const LanesStep& step) { uses({step.iterator}); }
  void operator()(const TransposeStep& step) { uses({step.from, step.to}); }
  void operator()(const LoopsStep&) {}

 private:
  // In which an iterator's name is how many positions it has.
  void number(const affine::Expr& number) { uses(number.symbols()); }
  void uses(const std::vector<std::string>& names) { names_.insert(names.begin(), names.end()); }

  std::set<std::string>& names_;
};

}  // namespace

std::set<std::string> iteratorsIn(const Steps& steps) {
  std::set<std::string> names;
  Namer(names).add(steps);
  return names;
}

Steps then(Step first, Steps rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

namespace {

struct Lists {
  std::vector<Steps*> operator()(WhenStep& step) const { return {&step.then, &step.otherwise}; }
  std::vector<Steps*> operator()(PartsStep& step) const {
    return {&step.parts, &step.fill, &step.combine, &step.rest};
  }
  std::vector<Steps*> operator()(CutStep& step) const { return {&step.first, &step.rest}; }
  std::vector<Steps*> operator()(InteriorStep& step) const { return {&step.inside, &step.border}; }
  std::vector<Steps*> operator()(DigitsStep& step) const {
    std::vector<Steps*> lists = {&step.whole};
    for (DigitsStep::Digit& digit : step.digits) lists.push_back(&digit.left);
    return lists;
  }
  std::vector<Steps*> operator()(CopyStep& step) const { return {&step.how}; }
  std::vector<Steps*> operator()(FunctionStep& step) const { return {&step.body}; }
  std::vector<Steps*> operator()(ResultsStep& step) const { return {&step.body}; }
  std::vector<Steps*> operator()(ScratchStep& step) const { return {&step.body}; }
  template <typename Other>
  std::vector<Steps*> operator()(Other&) const {
    return {};
  }
};

}  // namespace

std::vector<Steps*> listsIn(Step& step) { return std::visit(Lists(), step.node); }
std::vector<const Steps*> listsIn(const Step& step) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): they are only read
  std::vector<Steps*> lists = listsIn(const_cast<Step&>(step));
  return {lists.begin(), lists.end()};
}

bool anyStep(const Steps& steps, const std::function<bool(const Step&)>& is) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const std::vector<const Steps*> lists = listsIn(step);
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
