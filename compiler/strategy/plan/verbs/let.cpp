// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   let kc = min(k, 512)
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

ir::Block apply(const Work& work, At here, const LetStep& step) {
  if (isTaken(work, here, step.name))
    return work.refuse(here, "there is something called '" + step.name + "' already");
  Named let{work.builder.name(step.name), {}};
  for (const Expr& one : step.of) {
    auto number = work.number(here, one);
    if (!number) return work.refuse(here, number.reason());
    let.of.push_back(*number);
  }
  ir::Block block = transforms::only({ir::Bound{let.symbol, let.of}});
  here.lets.emplace(step.name, std::move(let));
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

bool isPositive(const Work& work, const At& here, const Expr& number, const Expr& extent) {
  if (auto known = number.asConstant()) return *known > 0;
  if (number == extent) return true;
  for (const auto& [name, let] : here.lets)
    if (number.asSymbol() == let.symbol)
      return llvm::all_of(let.of, [&](const Expr& e) { return isPositive(work, here, e, extent); });
  return facts::Signs(work.builder.kernel()).isNonNegative(number - transforms::constant(1));
}

}  // namespace einc::strategy
