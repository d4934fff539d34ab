// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/divide.h"

#include <utility>

namespace einc::strategy {

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
  here.op = transforms::onPositions(work.builder, here.op, name, dims, transforms::constant(0),
                                    suffix, block);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
