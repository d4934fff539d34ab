// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/rows.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/combiner.h"

namespace einc::strategy {
namespace {

// What is done with one of the ops at a position, or at each of the rows.
Steps onLanes(const Positions& at, size_t op, int64_t lanes) {
  std::vector<std::string> along = ownIterators(at, op, ir::IteratorKind::Parallel);
  if (along.empty()) along = ownIterators(at, op, ir::IteratorKind::Reduction);
  if (along.empty()) return {LoopsStep{}};
  return {LanesStep{std::move(along), lanes}, LoopsStep{}};
}

}  // namespace

bool mayShareRows(const Ops& ops, bool keepsOrder) {
  return std::all_of(ops.begin(), ops.end(), [&](const ir::StructuredOp& op) {
    return !ir::reduces(op) || transforms::mayReorder(transforms::asSum(op), keepsOrder);
  });
}

DeviceRows thatFit(DeviceRows rows, const ir::Kernel& kernel, const Ops& ops, int64_t sharedBytes) {
  int64_t row = 0, lane = 0;
  for (const ir::StructuredOp& op : ops)
    for (const ir::Operand& output : op.outputs) {
      const int64_t bytes =
          std::max<int64_t>(ir::info(kernel.tensors[output.tensor].type).bytes(), 4);
      row += bytes;
      if (ir::reduces(op)) lane += bytes;
    }
  auto bytes = [&] { return rows.rows * (row + rows.lanes * lane); };
  while (bytes() > sharedBytes && rows.rows > 1) rows.rows /= 2;
  while (bytes() > sharedBytes && rows.lanes > 1) rows.lanes /= 2;
  return rows;
}

Steps rowSteps(const Positions& at, const DeviceRows& rows) {
  Steps steps = bindAll(at, BindStep::To::Workgroups, rows.rows);
  if (at.isAlone) {
    for (Step& step : onLanes(at, 0, rows.lanes)) steps.push_back(std::move(step));
    return steps;
  }
  if (!at.shared.empty())
    for (Step& step : keepAll(at, KeepStep::Where::Workgroup, 1, rows.rows))
      steps.push_back(std::move(step));
  fuseAll(at, steps, [&](size_t op) { return onLanes(at, op, rows.lanes); });
  return steps;
}

}  // namespace einc::strategy
