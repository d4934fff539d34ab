// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   when contiguous(A, n) and n == 64 { ... } otherwise { ... }
#include <utility>

#include "compiler/strategy/plan/verbs/pack_words.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/known_symbol.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using Conditions = std::vector<ir::Condition>;

// Of the first op that has both.
Result<Conditions> contiguousInShared(const At& here, const Test& test) {
  auto found = here.shared->along(test.operand, test.iterator);
  if (!found || !here.find(found->second))
    return Reason{"no op here has " + test.operand.str() + " along '" + test.iterator + "'"};
  const ir::Operand& of = here.op.inputs[found->first];
  return Conditions{
      {ir::Condition::Kind::Unit, {}, {}, of.tensor, transforms::dimOf(of, found->second)}};
}

// Of `contiguous`, `even` or `aligned`, along a dimension.
ir::Condition ofPlaces(const Test& test, unsigned tensor, unsigned dim) {
  using Kind = ir::Condition::Kind;
  const bool isAligned = test.kind == Test::Kind::Aligned;
  const Kind kind = isAligned                       ? Kind::Aligned
                    : test.kind == Test::Kind::Even ? Kind::Even
                                                    : Kind::Unit;
  return {kind, isAligned ? test.left : Expr(), {}, tensor, dim};
}

// Of an operand along several iterators: views with these as one go to `block`.
Result<Conditions> alongLine(const Work& work, At& here, const Test& test, size_t operand,
                             ir::Block& block) {
  std::vector<std::string> names = {test.iterator}, group;
  names.insert(names.end(), test.inner.begin(), test.inner.end());
  if (!here.reads.empty()) return Reason{"what may be outside is asked along one iterator"};
  if (auto why = cannotCollapse(work, here, names)) return Reason{*why};
  for (const std::string& name : names) group.push_back(here.actualName(name));
  const ir::Operand of = here.op.operand(operand);
  if (!llvm::is_contained(transforms::iteratorsOf(of), group[0]))
    return Reason{test.operand.str() + " has no dimension along '" + test.iterator + "' here"};
  const Line& line = lineAlong(work, here, group, block);
  const ir::Operand& one = line.op.operand(operand);
  // Places on a line are found by dividing.
  Conditions conditions;
  const facts::Signs signs(work.builder.kernel());
  for (const std::string& name : test.inner) {
    const Expr extent = work.extent(here, here.actualName(name));
    if (!here.minima.isPositive(signs, extent, transforms::constant(1)))
      conditions.push_back({ir::Condition::Kind::Less, Expr(), extent});
  }
  conditions.push_back(ofPlaces(test, one.tensor, transforms::dimOf(one, line.iterator)));
  return conditions;
}

// Whether it asks for words in memory, along an iterator and, inside of it, a reduction.
bool isOfWords(const At& here, const Test& test) {
  return test.kind == Test::Kind::Contiguous && test.inner.size() == 1 && !here.shared &&
         here.find(test.iterator) && here.find(test.inner[0]) && !here.isReduction(test.iterator) &&
         here.isReduction(test.inner[0]);
}

// Of an input along an iterator and, inside of it, a reduction, whose positions are a word: a view with both as one goes
// to `block`.
Result<Conditions> alongWords(const Work& work, At& here, const Test& test, size_t input,
                              ir::Block& block) {
  const std::string across = here.actualName(test.iterator), along = here.actualName(test.inner[0]);
  const ir::Operand& of = here.op.operand(input);
  const std::vector<std::string> names = transforms::iteratorsOf(of);
  if (input >= here.op.inputs.size() || of.pad || !llvm::is_contained(names, across) ||
      !llvm::is_contained(names, along))
    return Reason{test.operand.str() + " is no input with whole words along '" + test.iterator +
                  "'"};
  const Expr count = work.extent(here, along);
  if (count.asConstant().value_or(0) < 1)
    return Reason{"the length of a word is known: it has all positions of '" + test.inner[0] + "'"};
  here.wordsInLine = WordsInLine{input, across, along};
  const ir::Operand line = lineOfWords(work, here, *here.wordsInLine, block);
  return Conditions{ofPlaces(test, line.tensor, static_cast<unsigned>(line.map.size() - 1))};
}

Result<Conditions> conditionsOf(const Work& work, At& here, const Test& test, ir::Block& block) {
  using Kind = ir::Condition::Kind;
  const bool isOutside = test.kind == Test::Kind::Borders || test.kind == Test::Kind::Inside;
  if (isOutside && work.options.target->device)
    return Reason{"what is read outside tensors is asked for on CPUs alone"};
  if (test.kind == Test::Kind::Borders) return bordersKnown(work, here, test.iterator);
  if (test.kind == Test::Kind::Inside)
    return here.shared ? nothingOutsideOfShared(work, here) : nothingOutside(work, here);
  if (test.kind != Test::Kind::Contiguous && test.kind != Test::Kind::Even &&
      test.kind != Test::Kind::Aligned) {
    auto left = work.number(here, test.left, /*isTest=*/true),
         right = work.number(here, test.right, /*isTest=*/true);
    if (!left || !right) return Reason{left ? right.reason() : left.reason()};
    const Kind kind = test.kind == Test::Kind::Equal  ? Kind::Equal
                      : test.kind == Test::Kind::Less ? Kind::Less
                                                      : Kind::LessEqual;
    return Conditions{{kind, *left, *right}};
  }
  if (here.shared && !test.inner.empty())
    return Reason{"ops that share loops are asked along one iterator"};
  if (here.shared) return contiguousInShared(here, test);
  auto which = here.operand(test.operand);
  if (!which) return Reason{noOperand(here, test.operand)};
  const bool isAligned = test.kind == Test::Kind::Aligned;
  const int64_t bytes = test.left.asConstant().value_or(0);
  if (isAligned && (bytes < 1 || (bytes & (bytes - 1)) != 0))
    return Reason{"expected a power of two of bytes"};
  if (isAligned && bytes < work.bytesOf(here.op.operand(*which)))
    return Reason{"an element has more bytes: so many, or more"};
  if (isOfWords(here, test)) return alongWords(work, here, test, *which, block);
  if (!test.inner.empty()) return alongLine(work, here, test, *which, block);
  const std::string name = here.actualName(test.iterator);
  const ir::Operand& of = here.op.operand(*which);
  if (!llvm::is_contained(transforms::iteratorsOf(of), name))
    return Reason{test.operand.str() + " has no dimension along '" + test.iterator + "' here"};
  Conditions conditions;
  for (const ir::Operand& one : alike(here, *which))
    conditions.push_back(ofPlaces(test, one.tensor, transforms::dimOf(one, name)));
  return conditions;
}

// What is positive in 0 < n, 1 <= n.
const Expr* positiveIn(const Test& test) {
  const bool isLess = test.kind == Test::Kind::Less && test.left.isZero();
  const bool isAbove = test.kind == Test::Kind::LessEqual && test.left.asConstant() == 1;
  return isLess || isAbove ? &test.right : nullptr;
}

// Of n mod 4 == 0.
void learnMultiple(const Work& work, At& here, const Expr& left) {
  if (left.terms().size() != 1 || left.terms()[0].factors.size() != 1) return;
  const affine::Atom& atom = left.terms()[0].factors[0];
  if (atom.kind != affine::Atom::Kind::Mod || left.terms()[0].coefficient != 1) return;
  auto of = atom.div->divisor.asConstant();
  auto number = work.number(here, atom.div->dividend, /*isTest=*/true);
  if (of && number) here.multiples.emplace_back(*number, *of);
}

// Of s == 1, for an attribute or a size: what indices are then, so that vectors know their neighbours.
void learnNumber(At& here, const std::string& symbol, const Expr& number) {
  if (here.shared) return;
  transforms::setKnown(here.op, symbol, number);
  for (At::Read& read : here.reads) read.index = transforms::withKnown(read.index, symbol, number);
}

// What holds where the test does: of n == 16, n <= 16, n < 16 what is n at most. What that needs to know
// goes to `block`.
void learn(const Work& work, At& here, const Test& test, ir::Block& block) {
  if (test.kind == Test::Kind::Borders) return findBorders(work, here, test.iterator, block);
  if (test.kind == Test::Kind::Inside && here.shared) {
    here.isInside = true;
    return;
  }
  if (test.kind == Test::Kind::Inside) return settle(here, /*isInside=*/true);
  if (test.kind == Test::Kind::Aligned || test.kind == Test::Kind::Even) return;
  if (test.kind == Test::Kind::Contiguous && !test.inner.empty()) {
    if (!isOfWords(here, test)) here.line->contiguous.insert(*here.operand(test.operand));
    return;
  }
  if (test.kind == Test::Kind::Contiguous) {
    if (here.shared) return;
    here.contiguous.emplace(*here.operand(test.operand), here.actualName(test.iterator));
    return;
  }
  if (const Expr* positive = positiveIn(test))
    if (auto number = work.number(here, *positive, /*isTest=*/true))
      here.minima.assumePositive(*number);
  if (auto least = test.left.asConstant();
      least && (test.kind == Test::Kind::Less || test.kind == Test::Kind::LessEqual))
    if (auto number = work.number(here, test.right, /*isTest=*/true))
      here.minima.assumeAtLeast(*number, *least + (test.kind == Test::Kind::Less ? 1 : 0));
  if (test.kind == Test::Kind::Equal && test.right.isZero()) learnMultiple(work, here, test.left);
  auto name = test.left.asSymbol();
  auto most = test.right.asConstant();
  if (name && most && here.find(*name))
    here.limit(here.actualName(*name), *most - (test.kind == Test::Kind::Less ? 1 : 0));
  else if (name && most && *most >= 1 && test.kind == Test::Kind::Equal)  // what divides is not 0
    learnNumber(here, *name, test.right);
}

// What holds where it does not: of n == 16, in tiles of 16, that it is the last one.
void learnOtherwise(At& here, const Test& test) {
  auto name = test.left.asSymbol();
  if (test.kind != Test::Kind::Equal || !name) return;
  auto left = here.left.find(here.actualName(*name));
  if (left != here.left.end() && test.right.asConstant() == left->second.by)
    here.limit(left->first, left->second.left);
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
  auto least = here.least.find(actual);
  if (least != here.least.end() && least->second == *number) return true;
  here.limit(actual, *number - 1);
  return *number == 1 && here.minima.isAssumedPositive(work.extent(here, actual));
}

// A way that does not ask what is outside tests each element there.
ir::Block runWay(const Work& work, At here, const Steps& way) {
  if (!here.shared && !here.region && !anyLooksOutside(way)) settle(here, /*isInside=*/false);
  return work.run(std::move(here), way);
}

}  // namespace

ir::Block apply(const Work& work, At here, const WhenStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'when' stands in its two ways");
  ir::If test{{}, {}, {}};
  ir::Block before;
  At inside = here;
  for (const Test& one : step.tests) {
    auto conditions = conditionsOf(work, inside, one, before);
    if (!conditions) return work.refuse(here, conditions.reason());
    learn(work, inside, one, test.then);
    for (ir::Condition& condition : *conditions) {
      if (llvm::is_contained(test.conditions, condition)) continue;
      inside.conditions.push_back(condition);
      test.conditions.push_back(std::move(condition));
    }
  }
  // What is rare, and what a device does with neighbours stands in other shaders: what is
  // done otherwise gets the plain names.
  const bool isRare = (work.options.target->device && !ir::reduces(here.op)) ||
                      (!step.then.empty() && strategy::isRare(step.then.back()));
  auto thenDo = [&] { transforms::append(test.then, runWay(work, std::move(inside), step.then)); };
  if (!isRare) thenDo();
  const bool isNever = isNeverElse(work, here, step);
  if (step.tests.size() == 1) learnOtherwise(here, step.tests[0]);
  const bool isNothing =
      llvm::all_of(step.tests, [&](const Test& one) { return isForPositions(here, one); });
  if (test.conditions.empty()) {
    if (isRare) thenDo();
    transforms::append(before, std::move(test.then));
    return before;
  }
  if (step.tests.size() == 1 && step.tests[0].kind == Test::Kind::Contiguous && !here.shared &&
      step.tests[0].inner.empty())
    here.strided.emplace(*here.operand(step.tests[0].operand),
                         here.actualName(step.tests[0].iterator));
  const bool isAnything = !isNothing || !step.otherwise.empty();
  if (!isNever && !isAnything && here.region && !here.isTiled && here.done.empty())
    test.otherwise = here.region->withoutTerms();
  // Where no term is added a region has what its results start from.
  else if (!isNever && (isAnything || here.region))
    test.otherwise = runWay(work, std::move(here), step.otherwise);
  if (isRare) thenDo();
  before.push_back({std::move(test)});
  return before;
}

}  // namespace einc::strategy
