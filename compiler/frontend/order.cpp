// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a reduction computes must not depend on the order of its iterations. Two of them, in either
// order, are tried with small numbers, whatever form the update has: c + x and c - x pass, and so
// do pairs of updates that go together; x - c and c / 2 + x do not. Numbers that differ between the
// iterations are all different: what happens where two are equal may be of no account.
#include <cmath>

#include "compiler/frontend/neutral.h"
#include "compiler/frontend/scope.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

constexpr unsigned kTrials = 12;

class OrderTrial {
 public:
  OrderTrial(const ir::Kernel& kernel, const ir::StructuredOp& op, unsigned trial)
      : kernel_(kernel), op_(op), trial_(trial) {
    for (const ir::Operand& output : op.outputs)
      types_.push_back(kernel.tensors[output.tensor].type);
  }

  // "from 5, A = 2 and then A = 1 give 3.25, but the other way round 3.75"
  std::optional<std::string> refuted() const {
    Numbers start;
    for (unsigned i = 0; i < types_.size(); ++i) start.push_back(small(types_[i], i + trial_ / 2));
    auto there = after(after(start, 0), 1), back = after(after(start, 1), 0);
    if (!there || !back || areClose(types_, *there, *back, /*roughly=*/true)) return std::nullopt;
    return "from " + numbersText(types_, start) + ", " + termText(0) + " and then " + termText(1) +
           " give " + numbersText(types_, *there) + ", but the other way round " +
           numbersText(types_, *back);
  }

 private:
  static ir::Number small(ir::ScalarType type, unsigned number) {
    Numbers numbers = ordinary(type);
    return numbers[number % numbers.size()];
  }

  bool differs(const std::vector<std::string>& iterators) const {
    for (const ir::Iterator& iterator : op_.iterators)
      if (iterator.kind == ir::IteratorKind::Reduction)
        for (const std::string& name : iterators)
          if (name == iterator.name) return true;
    return false;
  }

  ir::Number element(unsigned input, unsigned iteration) const {
    const ir::Operand& operand = op_.inputs[input];
    std::vector<std::string> names;
    for (const affine::Expr& index : operand.map)
      for (std::string& name : index.iterators()) names.push_back(std::move(name));
    unsigned step = differs(names) ? iteration : 0;
    return small(kernel_.tensors[operand.tensor].type, 1 + input + trial_ + step);
  }

  std::optional<int64_t> position(const affine::Atom& atom, unsigned iteration) const {
    if (atom.kind != affine::Atom::Kind::Iterator) return 11;
    return differs({atom.name}) ? 2 + 3 * static_cast<int64_t>(iteration) : 1;
  }

  std::optional<ir::Number> leaf(const ir::Value& value, const Numbers& old,
                                 unsigned iteration) const {
    if (auto* operand = std::get_if<ir::OperandRef>(&value.node)) {
      size_t output = operand->operand - op_.inputs.size();
      return operand->operand < op_.inputs.size() ? element(operand->operand, iteration)
                                                  : old[output];
    }
    if (auto* attribute = std::get_if<ir::AttributeRef>(&value.node))
      return small(value.type, attribute->attribute + trial_);
    auto* index = std::get_if<ir::IndexRef>(&value.node);
    if (!index) return std::nullopt;
    auto at =
        index->index.evaluate([&](const affine::Atom& atom) { return position(atom, iteration); });
    return at ? std::optional(numberOf(value.type, static_cast<int>(*at))) : std::nullopt;
  }

  // The outputs behind an iteration; nothing where numbers become too large to tell.
  std::optional<Numbers> after(const std::optional<Numbers>& old, unsigned iteration) const {
    if (!old) return std::nullopt;
    Numbers results;
    for (size_t i = 0; i < op_.results.size(); ++i) {
      auto number =
          evaluate(*op_.results[i], [&](const ir::Value& v) { return leaf(v, *old, iteration); });
      if (!number) return std::nullopt;
      if (ir::info(types_[i]).isFloat() && !std::isfinite(number->asFloat)) return std::nullopt;
      results.push_back(*number);
    }
    return results;
  }

  // "A = 2", or "k = 2" where no element differs.
  std::string termText(unsigned iteration) const {
    std::vector<std::string> parts;
    for (unsigned i = 0; i < op_.inputs.size(); ++i) {
      const ir::Tensor& tensor = kernel_.tensors[op_.inputs[i].tensor];
      if (!op_.inputs[i].shapeOnly)
        parts.push_back(tensor.name + " = " + numbersText({tensor.type}, {element(i, iteration)}));
    }
    for (const ir::Iterator& iterator : op_.iterators)
      if (parts.empty() && iterator.kind == ir::IteratorKind::Reduction)
        parts.push_back(iterator.name + " = " + std::to_string(2 + 3 * iteration));
    return joined(parts);
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const unsigned trial_;
  std::vector<ir::ScalarType> types_;
};

}  // namespace

void checkOrder(Scope& scope, const ir::StructuredOp& op) {
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    auto found = OrderTrial(scope.kernel, op, trial).refuted();
    if (!found) continue;
    scope.errors.warning(Diag::OrderOfTerms, op.source,
                         "the order of the terms counts: " + *found +
                             "; a reduction takes them in unspecified order");
    return;
  }
}

}  // namespace einc::frontend
