// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/prefixes.h"

#include <utility>

#include "compiler/strategy/plan/apply.h"
#include "compiler/transforms/bound_allocs.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/hoist.h"
#include "compiler/transforms/unused.h"

namespace einc::strategy {
namespace {

size_t countOf(const Steps& steps) {
  size_t count = 0;
  for (const Step& step : steps) {
    ++count;
    for (const Steps* list : listsIn(step)) count += countOf(*list);
  }
  return count;
}

// So many of the steps, and the last of them.
Steps taken(const Steps& steps, size_t& left, std::optional<Step>& last) {
  Steps result;
  for (Step step : steps) {
    if (left == 0) break;
    --left;
    last = step;
    for (Steps* list : listsIn(step)) *list = taken(*list, left, last);
    result.push_back(std::move(step));
  }
  return result;
}

// Ops as the statements of a block at level tiled, of which some are done by `steps`.
class Replacing {
 public:
  Replacing(transforms::Builder& builder, size_t op, size_t count, const Steps& steps,
            const ScheduleOptions& options, std::vector<StepError>& errors)
      : builder_(builder),
        op_(op),
        count_(count),
        steps_(steps),
        options_(options),
        errors_(errors) {}

  ir::Block run(const ir::Block& block) {
    ir::Block result;
    for (const ir::Stmt& stmt : block) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        if (next_ >= op_ && next_ < op_ + count_)
          together_.push_back(*op);
        else
          result.push_back(stmt);
        if (++next_ == op_ + count_) transforms::append(result, done());
      } else if (isCallOrFused(stmt)) {
        ir::Stmt copy = stmt;
        for (ir::Block* inner : ir::blocksOf(copy)) transforms::append(result, run(*inner));
      } else {
        result.push_back(stmt);
        const auto around = std::exchange(group_, groupIn(builder_.kernel(), stmt, group_));
        for (ir::Block* inner : ir::blocksOf(result.back())) *inner = run(*inner);
        group_ = around;
      }
    }
    return result;
  }

 private:
  // The ops in it stand for it.
  static bool isCallOrFused(const ir::Stmt& stmt) {
    return std::holds_alternative<ir::Fused>(stmt.node) ||
           std::holds_alternative<ir::LibraryCall>(stmt.node) ||
           std::holds_alternative<ir::ExternalCall>(stmt.node);
  }

  ir::Block done() {
    if (count_ > 1) return apply(builder_, together_, op_, steps_, options_, errors_);
    const ir::StructuredOp& op = together_[0];
    Place place{op, operandNames(builder_.kernel(), op)};
    place.group = group_;
    return apply(builder_, std::move(place), steps_, options_, errors_);
  }

  transforms::Builder& builder_;
  size_t op_, count_;
  const Steps& steps_;
  const ScheduleOptions& options_;
  std::vector<StepError>& errors_;
  std::optional<Group> group_;  // that ops stand in
  size_t next_ = 0;
  std::vector<ir::StructuredOp> together_;
};

}  // namespace

std::vector<Prefix> prefixesOf(const Steps& steps) {
  std::vector<Prefix> result;
  const size_t count = countOf(steps);
  for (size_t n = 1; n <= count; ++n) {
    size_t left = n;
    std::optional<Step> last;
    Steps first = taken(steps, left, last);
    for (Steps* list : listsIn(*last)) list->clear();
    result.push_back({std::move(first), std::move(*last)});
  }
  return result;
}

std::optional<ir::Kernel> withSteps(const ir::Kernel& kernel, size_t op, const Steps& steps,
                                    const ScheduleOptions& options, size_t count) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  transforms::Builder builder(result);
  std::vector<StepError> errors;
  ir::Block body = Replacing(builder, op, count, steps, options, errors).run(kernel.body);
  if (!errors.empty()) return std::nullopt;
  result.body = std::move(body);
  // As all that is scheduled.
  transforms::boundAllocs(result);
  result = transforms::canonicalize(std::move(result));
  transforms::hoistAllocs(result);
  transforms::dropUnused(result);
  return result;
}

}  // namespace einc::strategy
