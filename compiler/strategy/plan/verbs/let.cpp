// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   let kc = min(k, 512)
#include <algorithm>
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

// As it is written: the names of iterators are numbers of positions, which are never negative, whatever
// they are computed from.
bool isPositiveAsWritten(const Work& work, const At& here, const Expr& number) {
  const bool isPlain = llvm::none_of(number.symbols(), [&](const std::string& name) {
    return here.lets.count(name) != 0 && !here.find(name);
  });
  return isPlain &&
         facts::Signs(work.builder.kernel()).isNonNegative(number - transforms::constant(1));
}

}  // namespace

ir::Block apply(const Work& work, At here, const LetStep& step) {
  if (isTaken(work, here, step.name))
    return work.refuse(here, "there is something called '" + step.name + "' already");
  Named let{{}, !here.isInLoop};
  const bool isPositive =
      llvm::all_of(step.of, [&](const Expr& one) { return isPositiveAsWritten(work, here, one); });
  std::vector<Expr> of;
  bool isKnown = here.isInLoop;
  std::optional<int64_t> least;
  for (const Expr& one : step.of) {
    auto number = work.number(here, one);
    if (!number) return work.refuse(here, number.reason());
    auto known = number->asConstant();
    isKnown &= known.has_value();
    if (known) least = std::min(least.value_or(*known), *known);
    of.push_back(*number);
  }
  ir::Block block, memory;
  if (isKnown && *least > 1) {  // tiles of one position would be gone
    let.value = transforms::constant(*least);
  } else {
    const std::string name = work.builder.name(step.name);
    let.value = transforms::size(name);
    block.push_back({ir::Bound{name, of}});
  }
  const bool isOutside = let.isOutside;
  here.minima.enter(let.value, std::move(of), isPositive);
  here.lets.emplace(step.name, std::move(let));
  ir::Block rest = isOutside ? work.rest(std::move(here), memory) : work.rest(std::move(here));
  transforms::append(block, std::move(memory));
  transforms::append(block, std::move(rest));
  return block;
}

}  // namespace einc::strategy
