// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   split n by 64 as n_block       n = n_block * 64 + n
#include <utility>

#include "compiler/strategy/plan/verbs/divide.h"

namespace einc::strategy {

using affine::Expr;
using transforms::constant;

ir::Block apply(const Work& work, At here, const SplitStep& step) {
  if (auto why = cannotDivide(work, here, step.iterator, step.by, step.name))
    return work.refuse(here, *why);
  const std::string name = here.actualName(step.iterator), block = work.builder.name(step.name);
  const Expr by = constant(step.by), count = partOf(work.extent(here, name), step.by);
  here.actual[step.name] = block;
  here.move(name, by, transforms::at(block) * by + transforms::at(name));
  here.limit(name, step.by);
  return divided(work, std::move(here), name, {{block, count, by}, {name, by, constant(1)}},
                 "_blocks");
}

}  // namespace einc::strategy
