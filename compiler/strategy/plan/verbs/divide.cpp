// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   split n by 64 as n_block       n = n_block * 64 + n
//   spread m over 4 as m_line      m = m_line * (m / 4) + m
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

std::optional<std::string> cannotDivide(const Work& work, const At& here,
                                        const std::string& iterator, int64_t by,
                                        const std::string& name) {
  if (auto why = work.cannotCut(here, iterator)) return why;
  if (by < 1) return "expected 1 or more";
  if (isTaken(work, here, name)) return "there is something called '" + name + "' already";
  if (!isMultiple(work.extent(here, here.actualName(iterator)), by)) {
    const std::string unit = std::to_string(by);
    return "'" + iterator + "' may have a number of positions that is no multiple of " + unit +
           ": cut " + iterator + " at " + iterator + " floordiv " + unit + " * " + unit + " before";
  }
  return std::nullopt;
}

ir::Block divided(const Work& work, At here, const std::string& name,
                  const std::vector<transforms::Dimension>& dims, const std::string& suffix) {
  ir::Block block;
  here.op = transforms::onPositions(work.builder, here.op, name, dims, constant(0), suffix, block);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace

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
