// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/parts_for_threads.h"

#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/split.h"

namespace einc::strategy {

using transforms::constant;

std::optional<PartsForThreads> partsForThreads(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               int64_t threads, bool isContraction, bool isTile) {
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
  int64_t work = isContraction ? kIterationsAThread : kElementsAThread;
  int64_t few = (isTile ? 512 : 4) * threads;
  const std::string width = freeName(kernel, op, axis + "_width");
  return PartsForThreads{
      axis,
      {width, {constant(work).floorDiv(results * others + constant(1)) + constant(1)}},
      {{Test::Kind::LessEqual, results, constant(few)},
       {Test::Kind::LessEqual, constant(2) * extentOf(width), extentOf(axis)}},
      "on threads: '" + axis + "' in parts of " + std::to_string(work) +
          " operations, where there are at most " + std::to_string(few) + " results"};
}

Steps stepsInParts(const ir::Kernel& kernel, const ir::StructuredOp& op, PartsForThreads parts,
                   Steps steps, const DecidePart& decide) {
  PartsStep step{parts.axis,
                 extentOf(parts.width.name),
                 freeName(kernel, op, parts.axis + "_part"),
                 {},
                 {},
                 {},
                 {}};
  const PartsNames names = partsNames(operandNames(kernel, op), op.outputs.size());
  const std::pair<Steps*, const std::vector<OperandName>*> lists[] = {
      {&step.fill, &names.fill},
      {&step.parts, &names.parts},
      {&step.combine, &names.combine},
      {&step.rest, &names.rest}};
  ir::Kernel aside = kernel;  // the parts are looked at there, and then done by the step
  transforms::Builder builder(aside);
  ir::StructuredOp whole = op;
  ir::Block views;
  transforms::canonicalize(builder, whole, views);
  size_t next = 0;
  for (ir::Stmt& stmt :
       transforms::splitReduction(builder, whole, step.iterator, step.by, step.name))
    if (auto* part = std::get_if<ir::StructuredOp>(&stmt.node)) {
      auto [list, called] = lists[next++];
      *list = decide(aside, *part, *called);
    }
  if (steps.empty()) steps = {LoopsStep{}};
  return {std::move(parts.width),
          WhenStep{std::move(parts.tests), {std::move(step)}, std::move(steps)}};
}

}  // namespace einc::strategy
