// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/transforms/combiner.h"

namespace einc::strategy {
namespace {

using transforms::constant;
using Kind = Test::Kind;

// What is done with one of the ops at a position, or at each of the rows.
Steps onLanes(const Positions& at, size_t op, int64_t lanes) {
  std::vector<std::string> along = ownIterators(at, op, ir::IteratorKind::Parallel);
  if (along.empty()) along = ownIterators(at, op, ir::IteratorKind::Reduction);
  if (along.empty()) return {Step(LoopsStep{}, "one element")};
  return {Step(LanesStep{std::move(along), lanes}, "invocations share the work at a position"),
          Step(LoopsStep{}, "what is left to each")};
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
  Steps steps = bindAll(at, BindStep::To::Workgroups, rows.rows,
                        "so many positions for each workgroup, whose invocations share them");
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

Result<Form> rows(const DeviceTask& task) {
  if (!task.mayShare()) return Reason{"invocations cannot share what is done at a position"};
  const target::DeviceNumbers& numbers = task.device.numbers;
  const PositionWork& work = *task.work;
  Form form{"rows", rowSteps(task.at, task.rows), task.cycles(Elements::Neighbours)};
  form.why = "there is much to do at a position, along neighbours";
  form.settings = {{"lanes", std::to_string(task.rows.lanes)}};
  form.where = {{Kind::Less, constant(numbers.fewSteps), work.length}};
  if (work.unit) form.where.push_back(*work.unit);
  if (task.device.rounds > 0)
    form.where.push_back({Kind::LessEqual, work.length,
                          constant(task.device.rounds / work.rounds * task.rows.lanes)});
  form.lines.push_back(
      "where there is more to do at each than " + std::to_string(numbers.fewSteps) + " steps" +
      (work.unit ? ", along neighbours" : "") + ": " + std::to_string(task.rows.lanes) +
      " invocations for each position, " + std::to_string(task.rows.rows) +
      " positions in a workgroup of at most " + std::to_string(task.device.invocations));
  if (!work.isReadAgain || task.rows.rows == 1 || task.rows.lanes != task.device.subgroup)
    return form;
  form.lines.push_back(
      "where there is more than " + std::to_string(numbers.farSteps) +
      ": all invocations of a workgroup for each position, so that what several ops read is near");
  form.steps =
      either({{Kind::Less, constant(numbers.farSteps), work.length}}, rowSteps(task.at, task.all),
             std::move(form.steps), "what several ops read is then near");
  return form;
}

Result<Form> groups(const DeviceTask& task) {
  if (!task.mayShare()) return Reason{"invocations cannot share what is done at a position"};
  if (task.device.rounds == 0) return Reason{"an invocation may run any number of rounds"};
  Form form{"groups", rowSteps(task.at, task.all), task.cycles(Elements::Neighbours)};
  form.why = "one invocation would run more rounds of loops than it may";
  form.where = {{Kind::Less, constant(task.device.rounds / task.work->rounds), task.work->length}};
  form.lines.push_back(
      "where one would run more than the " + std::to_string(task.device.rounds) +
      " rounds of loops that it may: all invocations of a workgroup for each position");
  return form;
}

}  // namespace einc::strategy
