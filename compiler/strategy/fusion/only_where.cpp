// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/only_where.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Sizes alone, and no quotients, which have no value where a divisor is 0.
bool isOfSizes(const ir::Kernel& kernel, const affine::Expr& e) {
  const std::vector<std::string> sizes = kernel.sizeSymbols();
  bool divides = false;
  for (const affine::Term& term : e.terms())
    for (const affine::Atom& atom : term.factors) divides |= atom.div != nullptr;
  return !divides && !e.hasIterators() && llvm::all_of(e.symbols(), [&](const std::string& name) {
    return llvm::is_contained(sizes, name);
  });
}

bool comparesSizes(const ir::Kernel& kernel, const Test& test) {
  return (test.kind == Test::Kind::Less || test.kind == Test::Kind::LessEqual) &&
         isOfSizes(kernel, test.left) && isOfSizes(kernel, test.right);
}

}  // namespace

Steps onlyWhere(const std::vector<ir::Condition>& where, Steps tiles, const std::string& why) {
  if (where.empty()) return tiles;
  WhenStep step{{}, std::move(tiles), {}};
  for (const ir::Condition& one : where) {
    const bool isLess = one.kind == ir::Condition::Kind::Less;
    step.tests.push_back({isLess ? Test::Kind::Less : Test::Kind::LessEqual, one.left, one.right});
  }
  return {Step(std::move(step), why)};
}

Result<AskedTiles> askedTiles(const ir::Kernel& kernel, const Steps& steps) {
  auto* when = steps.size() == 1 ? std::get_if<WhenStep>(&steps[0].node) : nullptr;
  if (!when) return AskedTiles{{}, steps};
  const bool areSizes =
      llvm::all_of(when->tests, [&](const Test& test) { return comparesSizes(kernel, test); });
  if (!areSizes || !when->otherwise.empty())
    return Reason{
        "expected sizes to be compared, and nothing otherwise: when 524288 <= N * 4 { tile n by "
        "4096 }"};
  AskedTiles asked{{}, when->then};
  for (const Test& test : when->tests)
    asked.where.push_back(
        {test.kind == Test::Kind::Less ? ir::Condition::Kind::Less : ir::Condition::Kind::LessEqual,
         test.left, test.right});
  return asked;
}

}  // namespace einc::strategy
