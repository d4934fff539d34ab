// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/streams.h"

#include <optional>
#include <utility>

#include "compiler/ir/domain.h"
#include "compiler/strategy/estimate.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/large_outputs.h"
#include "compiler/strategy/streams/ways.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// What can be set; more would not stay in registers.
constexpr int64_t kMostAtOnce = 64;

constexpr Result<Way> (*kWays[])(const Along& along) = {
#define EINC_STREAM_FORM(function) function,
#include "compiler/strategy/forms.def"
};

Way firstOf(const Along& along) {
  for (auto way : kWays)
    if (auto found = way(along)) return std::move(*found);
  return {scalars("there are no vectors"), ""};  // the last row takes all
}

// Why there are no vectors of the op, or where they lie. What is set about that is asked.
std::optional<Reason> choose(Along& along, OpSettings& settings) {
  if (along.target.vectorBytes == 0) return Reason{"the target has no vectors"};
  // Where there is nothing for certain, loops say so, and the output counts as written.
  for (const ir::Iterator& i : along.op.iterators)
    if (along.whole().known(i.name) == 0) return Reason{"'" + i.name + "' has no positions"};
  if (!arePositionsNear(along.kernel, along.op))
    return Reason{"positions may be so far apart that 64 bits cannot say them"};
  const std::vector<std::string> iterators = ir::iteratorNames(along.op);
  if (auto set = settings.word("axis", iterators)) along.axis.set(*set);
  along.vectors = settings.number("vectors", 1, kMostAtOnce).value_or(along.vectors);
  if (along.axis.name().empty())
    return Reason{iterators.empty() ? "it is computed once"
                                    : "each result is computed from the one before it"};
  if (along.isBordered()) return std::nullopt;
  return along.axis.refusal();
}

// Lanes that are read one by one take an instruction each, and the place of each takes more; where
// the vectors' axis is not, an element serves a whole vector.
double cyclesOf(const Along& along) {
  const std::string& axis = along.axis.name();
  const target::Target& target = along.target;
  Cost cost;
  const auto lanes = static_cast<double>(along.lanes);
  cost.operations = operationsOf(along.op, target) / lanes;
  const bool isBordered = along.isBordered();
  for (size_t i = 0; i < along.op.operandCount(); ++i) {
    ir::Operand operand = along.op.operand(i);
    // Results of a reduction stay in registers.
    const bool isInRegisters = i >= along.op.inputs.size() && ir::reduces(along.op);
    if (operand.shapeOnly || isInRegisters) continue;
    if (isBordered) operand.pad = nullptr;  // between borders
    const bool moves = llvm::is_contained(transforms::iteratorsOf(operand), axis);
    const bool isWhole = !moves || contiguous(along.kernel, operand) == axis;
    const bool isSuited = isWhole || suitsLanes(operand, axis, target.hasMasks);
    const auto lookups = static_cast<double>(along.numbers.lookups);
    cost.moves += isWhole                  ? 1 / lanes
                  : spreads(operand, axis) ? lookups / lanes
                  : isSuited               ? 1
                                           : lookups;
    if (moves) cost.bytes += ir::info(along.kernel.tensors[operand.tensor].type).bytes();
  }
  return cyclesOf(cost, target);
}

// What is done where operands lie otherwise than the spec has them: along the iterator beside the
// axis, if they are contiguous in that (all are transposed), else a vector at a time.
Steps whereApart(const Along& along) {
  const std::string beside = along.axis.beside();
  Steps rest = oneByOne(along);
  if (beside.empty()) return rest;
  Along across(along);
  across.axis.set(beside);
  if (across.axis.refusal()) return rest;
  return {Step(WhenStep{along.axis.besideTests(), oneVector(across), std::move(rest)},
               "all operands may lie the other way round")};
}

// Pairs take longer than the question whether the lanes of a wide vector are neighbours.
// (Measured on Zen 4, argmax of rows, in place of two ways: with AVX-512 as fast, with AVX2 8%
// slower.)
bool asksWhatIsContiguous(const Along& along) {
  const bool isInLanes = along.isReduction() && !transforms::combinersOf(along.op);
  return !isInLanes || !along.target.hasMasks;
}

Form formOf(const Along& along) {
  const std::string& axis = along.axis.name();
  Form result{"stream", {}, cyclesOf(along)};
  result.grain = along.numbers.elementsPerThread;
  result.tilesResults = !along.isReduction();
  result.settings = {{"axis", axis}, {"vectors", std::to_string(along.vectors)}};
  Way way = firstOf(along);
  std::string line = "vectors along '" + axis + "', " + way.line;
  result.own = {"vectors of " + std::to_string(along.lanes) + " along '" + axis + "', " + way.line};
  result.steps = std::move(way.steps);
  std::vector<Test> tests;
  if (asksWhatIsContiguous(along)) tests = along.axis.contiguousTests();
  if (!tests.empty()) {  // else lanes are read and written one by one, wherever they are
    line += ", where operands are contiguous as the spec has them";
    result.steps = {Step(WhenStep{std::move(tests), std::move(result.steps), whereApart(along)},
                         "else no vectors lie along '" + axis + "'")};
  }
  if (!along.isReduction() && along.whereLarge())
    line += "; outputs above " +
            std::to_string(largeOutput(along.op, along.target) / (int64_t{1024} * 1024)) +
            " MiB are written around the caches, in lines";
  result.lines = {line};
  return result;
}

}  // namespace

Result<Form> stream(const Task& task) {
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  Along along(task.kernel, op, task.names, task.options, task.whole, task.isBlock);
  along.mayCopy = task.memory && !task.whole && !task.isBlock && !task.others;
  along.isReadAgain = task.isReadAgain;
  if (auto reason = choose(along, task.settings)) return *reason;
  return formOf(along);
}

Steps elsewhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
                const std::vector<OperandName>& names, const ScheduleOptions& options) {
  OpSettings none({}, kernel.name, 0);
  Along along(kernel, op, names, options, nullptr, false);
  return choose(along, none) ? scalars("there are no vectors") : whereApart(along);
}

Steps anywhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
               const std::vector<OperandName>& names, const ScheduleOptions& options) {
  OpSettings none({}, kernel.name, 0);
  Along along(kernel, op, names, options, nullptr, false);
  return choose(along, none) ? scalars("there are no vectors") : oneVector(along);
}

}  // namespace einc::strategy
