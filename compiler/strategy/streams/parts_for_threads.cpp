// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/parts_for_threads.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/split.h"

namespace einc::strategy {

namespace {

using transforms::constant;

struct PartsForThreads {
  std::string axis;      // that is cut
  LetStep least, width;  // of a part
  bool areEqual;         // parts are as long as the op allows, so that little is left behind them
  std::vector<Test> tests;  // under which it pays
  std::string line;         // for `einc explain`
};

// `work` iterations make a thread worth its start. `isTile`: the results of a tile are one task, so
// that there may be many of them. Nothing if the op does not reduce.
std::optional<PartsForThreads> partsForThreads(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               const ScheduleOptions& options, int64_t work,
                                               bool isTile) {
  affine::Expr results = constant(1), others = constant(1);
  std::string axis;
  for (const ir::Iterator& i : op.iterators) {
    bool parallel = i.kind == ir::IteratorKind::Parallel;
    if (!parallel && axis.empty()) {
      axis = i.name;
      continue;
    }
    affine::Expr& product = parallel ? results : others;
    product = product * extentOf(i.name);
  }
  if (axis.empty()) return std::nullopt;
  const target::Numbers& numbers = options.target->numbers;
  int64_t few = (isTile ? numbers.tileResults : numbers.fewResults) * options.threads;
  const std::string width = freeName(kernel, op, axis + "_width"),
                    least = freeName(kernel, op, axis + "_least");
  const affine::Expr extent = extentOf(axis),
                     enough = constant(work).floorDiv(results * others + constant(1)) + constant(2);
  // A number is a better width than a name: where lines lie is known then. Else as many parts as have enough, and one;
  // what is added is 1 where there are no positions, as others divide by the width.
  const bool isNumber = enough.asConstant() && !extent.asConstant();
  const affine::Expr equal = extent.floorDiv(extent.floorDiv(extentOf(least)) + constant(1)) +
                             constant(1).floorDiv(extent + constant(1));
  return PartsForThreads{axis,
                         {least, {enough}},
                         {width, {isNumber ? extentOf(least) : equal}},
                         !isNumber,
                         {{Test::Kind::LessEqual, results, constant(few)},
                          {Test::Kind::LessEqual, constant(2) * extentOf(least), extent},
                          {Test::Kind::Less, constant(0), extentOf(width)}},
                         "on threads: '" + axis + "' in parts of about " + std::to_string(work) +
                             " operations, where there are at most " + std::to_string(few) +
                             " results"};
}

// The op, which has no iterators of one position, in these parts.
PartsStep inParts(const Task& task, const ir::StructuredOp& op, const PartsForThreads& parts) {
  PartsStep step{{parts.axis},
                 extentOf(parts.width.name),
                 freeName(task.kernel, op, parts.axis + "_part"),
                 {},
                 {},
                 {},
                 {}};
  const PartsNames names = partsNames(task.names, op.outputs.size());
  const std::pair<Steps*, const std::vector<OperandName>*> lists[] = {
      {&step.fill, &names.fill},
      {&step.parts, &names.parts},
      {&step.combine, &names.combine},
      {&step.rest, &names.rest}};
  ScheduleOptions single = task.options;
  single.threads = 1;
  ir::Kernel aside = task.kernel;  // the parts are looked at there, and then done by the step
  transforms::Builder builder(aside);
  ir::StructuredOp whole = op;
  ir::Block views;
  transforms::canonicalize(builder, whole, views);
  OpSettings none({}, "", 0);  // those of the op are not its parts'
  size_t next = 0;
  for (ir::Stmt& stmt :
       transforms::splitReduction(builder, whole, step.iterators[0], step.by, step.name))
    if (auto* part = std::get_if<ir::StructuredOp>(&stmt.node)) {
      auto [list, called] = lists[next++];
      const bool isPart = list == &step.parts;
      if (isPart || (list == &step.rest && !parts.areEqual))
        *list =
            task.behind({aside, *part, *called, isPart ? task.options : single, none, task.memory})
                .steps;
      else
        *list = anywhere(aside, *part, *called, single);
    }
  return step;
}

}  // namespace

Result<Form> parts(const Task& task, const Form& whole) {
  const int64_t threads = task.options.threads;
  if (threads == 1) return Reason{"there is one thread"};
  if (!transforms::mayReorder(task.op, task.options.keepsOrder))
    return Reason{"terms have an order"};
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  auto found = partsForThreads(task.kernel, op, task.options, whole.grain, whole.tilesResults);
  if (!found) return Reason{"it has no reduction"};
  Form form{whole.name,
            {Step(inParts(task, op, *found), "there are fewer results than threads have work for")},
            whole.cycles / static_cast<double>(threads)};
  form.where = std::move(found->tests);
  form.lets = {Step(std::move(found->least), "so many terms make a thread worth its start"),
               Step(std::move(found->width), "of a part, so that there is one for each thread")};
  form.why = "results are few, and terms are many";
  form.lines = {found->line};
  return form;
}

}  // namespace einc::strategy
