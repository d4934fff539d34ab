// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   when contiguous(A, n) and n == 64 { ... } otherwise { ... }
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

Result<ir::Condition> conditionOf(const Work& work, const At& here, const Test& test) {
  using Kind = ir::Condition::Kind;
  if (test.kind != Test::Kind::Contiguous) {
    auto left = work.number(here, test.left), right = work.number(here, test.right);
    if (!left || !right) return Reason{left ? right.reason() : left.reason()};
    const Kind kind = test.kind == Test::Kind::Equal  ? Kind::Equal
                      : test.kind == Test::Kind::Less ? Kind::Less
                                                      : Kind::LessEqual;
    return ir::Condition{kind, *left, *right};
  }
  auto which = here.operand(test.operand);
  if (!which) return Reason{noOperand(here, test.operand)};
  const std::string name = here.actualName(test.iterator);
  const ir::Operand& of = here.op.operand(*which);
  if (!llvm::is_contained(transforms::iteratorsOf(of), name))
    return Reason{test.operand.str() + " has no dimension along '" + test.iterator + "' here"};
  return ir::Condition{Kind::Unit, {}, {}, of.tensor, transforms::dimOf(of, name)};
}

// What is positive in 0 < n, 1 <= n.
const Expr* positiveIn(const Test& test) {
  const bool isLess = test.kind == Test::Kind::Less && test.left.isZero();
  const bool isAbove = test.kind == Test::Kind::LessEqual && test.left.asConstant() == 1;
  return isLess || isAbove ? &test.right : nullptr;
}

// What holds where the test does: of n == 16, n <= 16, n < 16 what is n at most.
void learn(const Work& work, At& here, const Test& test) {
  if (test.kind == Test::Kind::Contiguous) {
    here.contiguous.emplace(*here.operand(test.operand), here.actualName(test.iterator));
    return;
  }
  if (const Expr* positive = positiveIn(test))
    if (auto number = work.number(here, *positive)) here.positive.push_back(*number);
  auto name = test.left.asSymbol();
  auto most = test.right.asConstant();
  if (name && most && here.find(*name))
    here.limit(here.actualName(*name), *most - (test.kind == Test::Kind::Less ? 1 : 0));
}

// 0 < n: where it does not hold, there is nothing to do.
bool isForPositions(const At& here, const Test& test) {
  const Expr* positive = positiveIn(test);
  auto name = positive ? positive->asSymbol() : std::nullopt;
  return name && here.find(*name);
}

// Where n is 2 at most, and not 2, it is 1 at most.
bool isNeverElse(const Work& work, At& here, const WhenStep& step) {
  if (step.tests.size() != 1 || step.tests[0].kind != Test::Kind::Equal) return false;
  auto name = step.tests[0].left.asSymbol();
  auto number = step.tests[0].right.asConstant();
  if (!name || !number || !here.find(*name)) return false;
  const std::string actual = here.actualName(*name);
  auto most = here.most.find(actual);
  if (most == here.most.end() || most->second != *number) return false;
  here.limit(actual, *number - 1);
  return *number == 1 && llvm::is_contained(here.positive, work.extent(here, actual));
}

}  // namespace

ir::Block apply(const Work& work, At here, const WhenStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'when' stands in its two ways");
  ir::If test{{}, {}, {}};
  At inside = here;
  for (const Test& one : step.tests) {
    auto condition = conditionOf(work, here, one);
    if (!condition) return work.refuse(here, condition.reason());
    learn(work, inside, one);
    inside.conditions.push_back(*condition);
    test.conditions.push_back(std::move(*condition));
  }
  test.then = work.run(std::move(inside), step.then);
  const bool isNothing =
      llvm::all_of(step.tests, [&](const Test& one) { return isForPositions(here, one); });
  if (step.tests.size() == 1 && step.tests[0].kind == Test::Kind::Contiguous)
    here.strided.emplace(*here.operand(step.tests[0].operand),
                         here.actualName(step.tests[0].iterator));
  if (isNeverElse(work, here, step))
    test.otherwise = {};
  else if (!step.otherwise.empty() || !isNothing)
    test.otherwise = work.run(std::move(here), step.otherwise);
  else if (here.region)  // no term is added to what the region's results start from
    test.otherwise = here.region->withoutTerms();
  return transforms::only({std::move(test)});
}

}  // namespace einc::strategy
