// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   spread m over 4 as m_line      m = m_line * (m / 4) + m
#include <utility>

#include "compiler/strategy/plan/verbs/divide.h"

namespace einc::strategy {

using affine::Expr;
using transforms::constant;

ir::Block apply(const Work& work, At here, const SpreadStep& step) {
  if (auto why = cannotDivide(work, here, step.iterator, step.over, step.name))
    return work.refuse(here, *why);
  if (here.isReduction(step.iterator) && !work.mayReorder(here))
    return work.refuse(here, orderText(work, step.iterator));
  const std::string name = here.actualName(step.iterator), line = work.builder.name(step.name);
  const Expr over = constant(step.over), count = partOf(work.extent(here, name), step.over);
  here.actual[step.name] = line;
  here.limit(line, step.over);
  here.move(name, count, transforms::at(line) * count + transforms::at(name));
  return divided(work, std::move(here), name, {{name, count, constant(1)}, {line, over, count}},
                 "_lines");
}

}  // namespace einc::strategy
