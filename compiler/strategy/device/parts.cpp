// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/parts.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/collapse.h"
#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/split.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// The op that reduces, if it is the only one that has more iterators than the shared ones, and what
// it reads is there before all of them.
std::optional<size_t> onlySum(const Positions& at) {
  const Ops& ops = at.ops.ops;
  std::optional<size_t> found;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].iterators.size() == at.shared.size()) continue;
    if (found || parallelCount(ops[i]) != at.shared.size()) return std::nullopt;
    for (const ir::Operand& input : ops[i].inputs)  // windows are short
      for (const Expr& index : input.map)
        if (!index.asIterator() && index.hasIterators()) return std::nullopt;
    found = i;
  }
  if (found && readsResults(at.kernel, ops, *found)) return std::nullopt;
  return found;
}

// An iterator by another name, in the maps of operands.
void rename(ir::StructuredOp& op, const std::string& from, const std::string& to) {
  for (ir::Iterator& i : op.iterators)
    if (i.name == from) i.name = to;
  for (size_t o = 0; o < op.operandCount(); ++o)
    for (Expr& index : op.operand(o).map)
      index = index.substitute([&](const affine::Atom& atom) {
        const bool isIt = atom.kind == affine::Atom::Kind::Iterator && atom.name == from;
        return isIt ? std::optional(transforms::at(to)) : std::nullopt;
      });
}

enum class On { Rows, Invocations };  // what a position of the parts, and of their sums, is done by

// The steps of one of both lists.
Steps listSteps(ir::Kernel& kernel, NumberedOps ops, std::set<unsigned> others,
                const target::Device& device, On on) {
  Shared shared = sharedPositions(kernel, ops.ops);
  const Positions all{kernel, std::move(ops), std::move(shared), std::move(others), false};
  const bool isApart = all.shared.empty();  // then each op is done by itself
  transforms::Builder builder(kernel);
  auto hasWork = [&](const Ops& of) {
    return workAtPosition(builder, device, of, sharedPositions(kernel, of)).has_value();
  };
  auto fit = [&](const Ops& of) {
    const DeviceRows wanted =
        isApart ? DeviceRows{1, device.invocations}
                : DeviceRows{device.invocations / device.subgroup, device.subgroup};
    return thatFit(wanted, kernel, of, device.sharedBytes);
  };
  if (!isApart)
    return on == On::Rows && hasWork(all.ops.ops) ? rowSteps(all, fit(all.ops.ops))
                                                  : flatSteps(all, device.numbers.mostPrivate);
  Steps steps;
  for (size_t i = 0; i < all.ops.ops.size(); ++i) {
    const Positions one{kernel, {{all.ops.ops[i]}, {0}, {}}, {}, {}, true};
    Steps own = on == On::Rows && hasWork(one.ops.ops)
                    ? rowSteps(one, fit(one.ops.ops))
                    : Steps{Step(LoopsStep{}, "one position, with little to do")};
    steps.push_back(Step(FuseStep{static_cast<int64_t>(all.ops.numbers[i]), false, std::move(own)},
                         "by itself, as there is one position"));
  }
  return steps;
}

// The sum in these parts.
PartsStep inParts(const Positions& at, size_t sum, const std::string& width,
                  const target::Device& device, On on) {
  ir::Kernel aside = at.kernel;  // the parts are looked at there, and then done by the step
  transforms::Builder builder(aside);
  ir::StructuredOp whole = transforms::asSum(at.ops.ops[sum]);
  ir::Block views;
  transforms::canonicalize(builder, whole, views);
  PartsStep step{ownIterators(at, sum, ir::IteratorKind::Reduction),
                 extentOf(width),
                 "",
                 {},
                 {},
                 {},
                 {},
                 /*together=*/true,
                 {}};
  if (!at.isAlone) step.op = static_cast<int64_t>(at.ops.numbers[sum]);
  const std::string along = collapse(builder, whole, step.iterators, views);
  step.name = freeName(at.kernel, whole, along + "_part");
  std::vector<ir::StructuredOp> split;
  for (ir::Stmt& stmt :
       transforms::splitReduction(builder, whole, along, extentOf(width), step.name))
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) split.push_back(std::move(*op));
  const std::string part = split[0].iterators[0].name;
  for (ir::StructuredOp& op : split) rename(op, part, step.name);
  const PartsNames names =
      partsNames(operandNames(at.kernel, at.ops.ops[sum]), whole.outputs.size());
  std::set<unsigned> parts;
  for (const ir::Operand& output : split[0].outputs) parts.insert(output.tensor);
  step.parts = listSteps(aside, {{split[0], split[1]}, {0, 1}, {names.fill, names.parts}}, parts,
                         device, on);
  NumberedOps rest;
  auto add = [&](const ir::StructuredOp& op, std::vector<OperandName> called) {
    rest.numbers.push_back(rest.ops.size());
    rest.ops.push_back(op);
    rest.names.push_back(std::move(called));
  };
  for (size_t i = 0; i < at.ops.ops.size(); ++i) {
    if (i != sum) {
      add(at.ops.ops[i], operandNames(at.kernel, at.ops.ops[i]));
      continue;
    }
    add(split[2], names.combine);
    add(split[3], names.rest);
  }
  step.combine = listSteps(aside, std::move(rest), at.others, device, on);
  return step;
}

struct Limits {
  int64_t positions;  // at most
  int64_t length;     // of the reduction: more
  int64_t wanted;     // parts of all positions together
  int64_t most;       // parts of one
  int64_t least;      // terms of a part
};

// As many parts of equal length as are wanted: what is left over is less than a term for each.
Result<Form> parts(const DeviceTask& task, const Limits& limits, On on, const std::string& what) {
  const Positions& at = task.at;
  const Expr& length = task.work->length;
  if (!task.mayBeInParts) return Reason{"it is done where a product is small"};
  const auto sum = onlySum(at);
  if (!sum) return Reason{"several ops have much to do, or the one that has cannot be done before"};
  Expr positions = constant(1);
  for (const auto& names : at.shared)
    positions = positions * ir::extentOf(at.kernel, at.ops.ops[0], names[0])->extent;
  if (on == On::Rows && positions == length) return Reason{"there are as many positions as terms"};
  if (length.asConstant().value_or(INT64_MAX) <= limits.length)
    return Reason{"there are few terms"};
  if (positions.asConstant().value_or(0) > limits.positions)
    return Reason{"there are many positions"};
  const ir::StructuredOp& op = at.ops.ops[*sum];
  const std::string count = freeName(at.kernel, op, "parts_count");
  const std::string width = freeName(at.kernel, op, "parts_width");
  Form form{on == On::Rows ? "parts" : "columns", {}, task.cycles(Elements::Neighbours)};
  form.where = {{Test::Kind::LessEqual, constant(1), positions},
                {Test::Kind::LessEqual, positions, constant(limits.positions)},
                {Test::Kind::Less, constant(limits.length), length}};
  form.why = "few positions would leave most of the device idle";
  form.steps.push_back(
      Step(LetStep{count,
                   {constant(limits.wanted).floorDiv(positions) + constant(1),
                    constant(limits.most), length.floorDiv(constant(limits.least))}},
           "parts that keep the device busy, none of them too short"));
  std::vector<Expr> widths = {length.floorDiv(extentOf(count))};
  if (task.device.rounds > 0)
    widths.push_back(
        constant(std::max<int64_t>(task.device.rounds / task.device.numbers.partOfRounds, 1)));
  form.steps.push_back(Step(LetStep{width, std::move(widths)}, "terms of a part"));
  form.steps.push_back(Step(inParts(at, *sum, width, task.device, on), what));
  form.lines.push_back("where there are at most " + std::to_string(limits.positions) +
                       " positions, and more than " + std::to_string(limits.length) +
                       " terms for each: " + what);
  return form;
}

}  // namespace

Result<Form> partsOfFew(const DeviceTask& task) {
  if (!task.mayShare()) return Reason{"invocations cannot share what is done at a position"};
  // A few workgroups for each unit; not where as many positions as a subgroup has invocations are
  // neighbours.
  const target::DeviceNumbers& numbers = task.device.numbers;
  const int64_t groups = numbers.groupsPerUnit * task.device.units;
  const Limits limits{
      .positions = task.work->isAcross ? std::min(groups, task.device.subgroup - 1) : groups,
      .length = numbers.partsLength,
      .wanted = numbers.partsPerGroup * groups,
      .most = numbers.partsPerGroup * groups,
      .least = numbers.partsLeast};
  return parts(task, limits, On::Rows, "in parts, whose sums are added up after");
}

Result<Form> partsAcross(const DeviceTask& task) {
  if (!task.mayShare()) return Reason{"invocations cannot share what is done at a position"};
  if (!task.work->isAcross) return Reason{"what is added up lies together"};
  // So many invocations at once hide their loads.
  const target::DeviceNumbers& numbers = task.device.numbers;
  const int64_t invocations = numbers.invocationsPerUnit * task.device.units;
  const Limits limits{.positions = invocations / numbers.columnsPer,
                      .length = numbers.columnsLength,
                      .wanted = numbers.columnsPer * invocations,
                      .most = numbers.columnsMost,
                      .least = numbers.columnsLeast};
  return parts(task, limits, On::Invocations,
               "an invocation for each part of a position, whose sums are added up after");
}

}  // namespace einc::strategy
