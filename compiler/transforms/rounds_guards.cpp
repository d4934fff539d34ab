// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rounds_guards.h"

#include <string>
#include <utility>

#include "compiler/ir/guard.h"
#include "compiler/transforms/read_elements.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {

using affine::Expr;
using ir::Function;
using ir::StructuredOp;
using ir::ValueRef;

std::vector<facts::Span> RoundGuards::tileOf(size_t op) const {
  std::vector<facts::Span> tile;
  for (size_t i = 0; i <= along(); ++i)
    tile.push_back({loop(i).names[op], origin(i), isSingle(i) ? constant(1) : positions(i)});
  return tile;
}

std::optional<RoundGuards::Conditions> RoundGuards::isAlwaysFirst(size_t op,
                                                                  const ValueRef& value) {
  auto* choice = std::get_if<ir::Call>(&value->node);
  if (!choice || choice->function != Function::Select) return std::nullopt;
  const ir::Guard guard = ir::asGuard(choice->args[0]);
  auto conditions = facts::allInsideIf(facts::Signs(kernel()), guard, tileOf(op));
  return conditions && areOfLoops(*conditions) ? conditions : std::nullopt;
}

bool RoundGuards::areOfLoops(const Conditions& conditions) const {
  return llvm::all_of(conditions, [&](const ir::Condition& condition) {
    return llvm::all_of((condition.left - condition.right).iterators(), [&](const auto& name) {
      return (part_ && part_->var == name) ||
             llvm::any_of(loops_, [&](const ir::TileLoop& loop) { return loop.var == name; });
    });
  });
}

void RoundGuards::numberElements(ir::Block& reads) {
  if (!rounds_.readsElements) return;
  for (size_t op = 0; op < rounds_.ops.size(); ++op) {
    const StructuredOp whole = rounds_.ops[op];
    const std::vector<size_t> inputs = comparedElements(kernel(), whole);
    auto elementOf = [&](size_t input) -> std::optional<Element> {
      if (!llvm::is_contained(inputs, input)) return std::nullopt;
      Element element{whole.inputs[input].tensor, {}};
      const std::vector<Expr>& shape = kernel().tensors[element.tensor].shape;
      for (size_t d = 0; d < shape.size(); ++d) {
        const size_t number = loopOf(op, whole.inputs[input].map[d]);
        // Where there is no round, nothing but its size says that it exists.
        const bool exists = number < along() && isSingle(number) && shape[d] == loop(number).extent;
        if (!exists) return std::nullopt;
        element.index.push_back(at(loops_[number].var));
      }
      return element;
    };
    if (inputs.empty()) continue;
    std::vector<facts::Span> all = tileOf(op);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(along()));
    for (const ir::Iterator& i : whole.iterators)
      if (const size_t number = loopOf(op, at(i.name)); number == kNone || number == along())
        all.push_back({i.name, constant(0), builder_.extent(whole, i.name)});
    rounds_.ops[op] = readElements(builder_, facts::Signs(kernel()), all, whole, elementOf, reads);
  }
}

std::vector<Leaving> RoundGuards::leavings() const {
  std::vector<Leaving> result;
  for (size_t op = 0; op < rounds_.ops.size(); ++op) {
    const bool leaves = llvm::any_of(rounds_.ops[op].outputs, [&](const ir::Operand& output) {
      return rounds_.kept.count(output.tensor) == 0 || isCarried(output.tensor);
    });
    if (rounds_.when[op] != Rounds::When::In || !leaves) continue;
    auto one = leavingOf(rounds_, op);
    if (!one) return {};
    result.push_back(std::move(*one));
  }
  return result;
}

RoundGuards::Conditions RoundGuards::anyInside(ir::Block& block) {
  std::optional<Conditions> any;
  bool begins = false;
  for (const Leaving& one : leavings()) {
    Conditions own = facts::anyInsideOnlyIf(facts::Signs(kernel()), one.guard, tileOf(one.op));
    if (!areOfLoops(own) || (any && own != *any)) return {};
    any = std::move(own);
    begins |= one.begins;
  }
  if (begins && any)
    for (ir::Condition& condition : *any) condition = orFirst(condition, block);
  return any.value_or(Conditions());
}

ir::Condition RoundGuards::orFirst(const ir::Condition& notNegative, ir::Block& block) {
  const std::string outside = builder_.name("outside");
  block.push_back(
      {ir::Bound{outside, {notNegative.left - notNegative.right, at(loops_.back().var)}}});
  return {ir::Condition::Kind::LessEqual, size(outside), constant(0)};
}

void RoundGuards::endEarly(ir::Block& ends) {
  std::optional<std::vector<Expr>> below;
  bool begins = false;
  for (const Leaving& one : leavings()) {
    auto own = facts::endsIn(facts::Signs(kernel()), one.guard, rounds_.along.names[one.op],
                             tileOf(one.op))
                   .some.below;
    for (const Expr& end : own)
      if (!areOfLoops({{ir::Condition::Kind::Less, end}})) return;
    if (below && own != *below) return;
    below = std::move(own);
    begins |= one.begins;
  }
  if (!below || below->empty()) return;
  ir::TileLoop& loop = loops_.back();
  if (begins)
    for (Expr& end : *below) {
      const std::string least = builder_.name("minus_end");
      ends.push_back({ir::Bound{least, {constant(-1), -end}}});
      end = -size(least);
    }
  below->insert(below->begin(), rounds_.along.extent);
  const std::string end = builder_.name(loop.var + "_end");
  ends.push_back({ir::Bound{end, std::move(*below)}});
  loop.extent = size(end);
}

}  // namespace einc::transforms
