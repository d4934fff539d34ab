// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   vectorize (m: 4, n: 64) ahead n 128 fit n early variant unrolled (k) own n 128
#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/strategy/widths.h"
#include "compiler/transforms/accumulate.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

std::optional<std::string> noAxis(const Work& work, const At& here, const ir::Axis& axis) {
  const ir::Iterator* found = here.find(axis.name);
  if (!found) return noIterator(here, axis.name);
  if (axis.size < 1) return "an axis has 1 position or more";
  if (llvm::any_of(here.op.axes, [&](const ir::Axis& a) { return a.name == found->name; }))
    return "'" + axis.name + "' stands twice";
  const std::string width = std::to_string(axis.size);
  auto known = work.extent(here, found->name).asConstant();
  auto most = here.most.find(found->name);
  const bool onDevice = work.options.target->device != nullptr;
  if (!(known && *known <= axis.size) && !(most != here.most.end() && most->second <= axis.size))
    return "'" + axis.name + "' may have more than " + width + " positions" +
           (onDevice ? "" : ": tile " + axis.name + " by " + width + " before");
  const auto atMost = work.mostAlong(here, found->name);
  if (onDevice && atMost && *atMost < axis.size)
    return "'" + axis.name + "' has at most " + std::to_string(*atMost) + " positions here";
  if (found->kind == ir::IteratorKind::Parallel) return std::nullopt;
  if (onDevice) return "a device has vectors along results alone";
  if (!work.mayReorder(here)) return orderText(work, axis.name);
  if (!transforms::combinersOf(here.op))
    return "the reduction '" + axis.name + "' is not by associative functions: accumulate (" +
           axis.name + ": " + width + ")";
  return std::nullopt;
}

// An invocation keeps its results in its registers.
std::optional<std::string> notOnDevice(const Work& work, const VectorizeStep& step) {
  const target::Device* device = work.options.target->device;
  if (!device) return std::nullopt;
  if (step.ahead || step.own || !step.fit.empty() || step.early || step.variant ||
      !step.unrolled.empty())
    return "'ahead', 'fit', 'early', 'variant', 'unrolled' and 'own' are for CPUs";
  int64_t left = device->registers;
  for (const ir::Axis& axis : step.axes) left /= std::max<int64_t>(axis.size, 1);
  if (left > 0) return std::nullopt;
  return "more than " + std::to_string(device->registers) +
         " results do not stay in the registers of an invocation";
}

// Rounds that are code of their own are so many, known and few.
std::optional<std::string> cannotUnroll(const Work& work, At& here,
                                        const std::vector<std::string>& reductions) {
  int64_t rounds = 1;
  for (const std::string& name : reductions) {
    if (!here.find(name)) return noIterator(here, name);
    const std::string actual = here.actualName(name);
    if (!here.isReduction(actual)) return "'" + name + "' is no reduction";
    const Expr extent = work.extent(here, actual);
    auto known = extent.asConstant();
    for (const ir::Condition& condition : here.conditions)
      if (condition.kind == ir::Condition::Kind::Equal && condition.left == extent && !known)
        known = condition.right.asConstant();
    if (!known)
      return "it is not known how many positions '" + name + "' has: ask before, when " + name +
             " == 3 { ... }";
    if (*known < 1) return "'" + name + "' has no positions";
    rounds = *known > kMostUnrolled ? *known : rounds * *known;
    if (rounds > kMostUnrolled)
      return "more than " + std::to_string(kMostUnrolled) + " rounds are too much code";
    here.op.unrolled.push_back(actual);
  }
  return std::nullopt;
}

// What goes around the caches is whole vectors at multiples of their size. Those that may be cut off
// do not.
std::optional<std::string> cannotStream(const Work& work, const At& here, int64_t lanes) {
  if (!here.streaming) return std::nullopt;
  const std::string& axis = here.op.axes.back().name;
  if (!work.extent(here, axis).asConstant()) return std::nullopt;
  if (axis == here.streaming->iterator && here.streaming->unit % lanes == 0) return std::nullopt;
  const int64_t bytes = lanes * work.bytesOf(here.op.operand(here.streaming->operand));
  return "vectors that go around the caches begin at lines of their size: cut at line of " +
         here.names.back().str() + " (" + std::to_string(bytes) + ") before, and in multiples of " +
         std::to_string(lanes) + " behind it";
}

std::optional<std::string> asked(const At& here, const std::optional<ir::Ahead>& what,
                                 std::optional<ir::Ahead>& result) {
  if (!what) return std::nullopt;
  if (!here.find(what->iterator)) return noIterator(here, what->iterator);
  if (what->distance < 1 || what->distance > kMostAhead)
    return "expected 1 to " + std::to_string(kMostAhead) + " positions ahead";
  result = ir::Ahead{here.actualName(what->iterator), what->distance, what->far};
  return std::nullopt;
}

}  // namespace

std::optional<std::string> askAhead(At& here, const std::optional<ir::Ahead>& ahead) {
  return asked(here, ahead, here.op.ahead);
}

ir::Block apply(const Work& work, At here, const VectorizeStep& step) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'vectorize': the op is done");
  if (auto why = work.waits(here); why && !here.op.copied) return work.refuse(here, *why);
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  if (step.axes.empty()) return work.refuse(here, "expected an axis: vectorize (n: 16)");
  if (auto why = notOnDevice(work, step)) return work.refuse(here, *why);
  const int64_t lanes = work.lanes(here);
  int64_t positions = 1;
  const At before = here;
  for (const ir::Axis& axis : step.axes) {
    if (auto why = noAxis(work, here, axis)) return work.refuse(before, *why);
    positions = axis.size > kMostVectors * lanes ? axis.size : positions * axis.size;
    if (positions > kMostVectors * lanes)
      return work.refuse(before, "more than " + std::to_string(kMostVectors) + " vectors of " +
                                     std::to_string(lanes) + " positions do not stay in registers");
    here.op.axes.push_back({here.actualName(axis.name), axis.size});
  }
  if (auto why = work.noResults(here, here.op.axes)) return work.refuse(before, *why);
  if (auto why = askAhead(here, step.ahead)) return work.refuse(before, *why);
  if (auto why = asked(here, step.own, here.op.own)) return work.refuse(before, *why);
  if (auto why = cannotStream(work, here, lanes)) return work.refuse(before, *why);
  if (auto why = cannotUnroll(work, here, step.unrolled)) return work.refuse(before, *why);
  if (step.early && !ir::reduces(here.op))
    return work.refuse(before, "outputs are asked for early before a sum that is added to them");
  here.op.early = step.early;
  here.op.variant = step.variant;
  auto tile = [&](const ir::StructuredOp& op) {
    auto sum = [&](const ir::StructuredOp& part) { return sumOnAxes(work, here, part); };
    return here.region ? here.region->tile(op, here.onTile, here.terms, sum) : sum(op);
  };
  if (step.fit.empty()) return tile(here.op);
  const std::string fit = here.actualName(step.fit);
  auto axis = llvm::find_if(here.op.axes, [&](const ir::Axis& a) { return a.name == fit; });
  if (axis == here.op.axes.end() || axis->size % lanes != 0)
    return work.refuse(before,
                       "as many vectors as are needed come of an axis with whole ones, of " +
                           std::to_string(lanes) + " positions each");
  return byWidth(work.extent(here, fit), axis->size, lanes, [&](int64_t width) {
    axis->size = width;
    return tile(here.op);
  });
}

}  // namespace einc::strategy
