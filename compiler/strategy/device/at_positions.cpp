// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/at_positions.h"

#include <iterator>
#include <set>
#include <utility>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/inline.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/strategy/device/transpose.h"

namespace einc::strategy {
namespace {

// Where the op is a transpose whose result is stored.
std::optional<TransposedAlong> storesTransposed(const Positions& at, const target::Device& device) {
  const ir::StructuredOp& op = at.ops.ops[0];
  const unsigned output = op.outputs[0].tensor;
  const bool isStored =
      at.kernel.tensors[output].role != ir::Role::Local || at.others.count(output) != 0;
  return isStored ? transposedAlong(at.kernel, op, device) : std::nullopt;
}

}  // namespace

AtPositions::AtPositions(transforms::Builder& builder, const Ops& ops, size_t first,
                         const ScheduleOptions& options)
    : device_(*options.target->device),
      at_{builder.kernel(), NumberedOps::from(first, ops), sharedPositions(builder.kernel(), ops),
          usedElsewhere(builder.kernel(), ops), ops.size() == 1} {
  if (ops.size() > 1) {
    Recomputed fewer = recomputed(at_.kernel, device_, ops, at_.shared, at_.others);
    gone_ = std::move(fewer.gone);
    for (size_t gone : gone_) {
      inlined_.push_back(InlineStep{static_cast<int64_t>(first + gone)});
      std::erase(at_.ops.numbers, first + gone);
    }
    at_.ops.ops = std::move(fewer.ops);
    at_.shared = sharedPositions(at_.kernel, at_.ops.ops);
  }
  work_ = workAtPosition(builder, device_, at_.ops.ops, at_.shared);
  mayShare_ = work_ && mayShareRows(at_.ops.ops, options.keepsOrder);
}

std::optional<size_t> AtPositions::sharedWork() const {
  return mayShare_ && !at_.shared.empty() ? std::optional(work_->op) : std::nullopt;
}

std::vector<std::string> AtPositions::invocations() const {
  std::string each =
      at_.shared.empty() ? "one invocation does all of it" : "an invocation for each position of ";
  for (size_t i = 0; i < at_.shared.size(); ++i)
    each += (i == 0 ? "'" : ", '") + at_.shared[i][0] + "'";
  return {each, "workgroups of " + std::to_string(device_.invocations) +
                    " invocations, or as many as the device has, if they are fewer"};
}

Sharing AtPositions::steps(int64_t lanes, bool mayBeInParts) const {
  if (!work_ && at_.isAlone) return alone();
  const DeviceRows wanted = at_.shared.empty() ? DeviceRows{1, device_.invocations}
                                               : DeviceRows{device_.invocations / lanes, lanes};
  Sharing result = mayShare_ ? sharingSteps(at_, device_, *work_, wanted, mayBeInParts)
                             : Sharing{flatSteps(at_, device_.numbers.mostPrivate), {}};
  result.steps.insert(result.steps.begin(), inlined_.begin(), inlined_.end());
  return result;
}

// An invocation for each position: in tiles where it transposes, in vectors where neighbours lie together.
Sharing AtPositions::alone() const {
  const ir::StructuredOp& op = at_.ops.ops[0];
  Sharing result{alonePositions(at_.kernel, op, at_.shared, /*inVectors=*/true), {}};
  if (std::holds_alternative<WhenStep>(result.steps[0].node))
    result.lines.emplace_back("where neighbours lie together, four positions to an invocation");
  auto along = storesTransposed(at_, device_);
  if (!along) return result;
  Transposed tiles = transposed(at_.kernel, op, *along, device_);
  tiles.step.otherwise = std::move(result.steps);
  result.steps = {std::move(tiles.step)};
  result.lines.push_back(std::move(tiles.reason));
  return result;
}

}  // namespace einc::strategy
