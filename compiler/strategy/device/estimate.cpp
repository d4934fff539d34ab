// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/estimate.h"

#include <algorithm>

namespace einc::strategy {

double cyclesOf(const Ops& ops, Elements elements, const target::Device& device) {
  double moves = 0;  // of the op that has most
  for (const ir::StructuredOp& op : ops) {
    double own = 0;
    for (size_t i = 0; i < op.operandCount(); ++i) own += op.operand(i).shapeOnly ? 0 : 1;
    moves = std::max(moves, own);
  }
  return elements == Elements::Apart ? moves : moves / static_cast<double>(device.subgroup);
}

}  // namespace einc::strategy
