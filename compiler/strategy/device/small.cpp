// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/small.h"

#include <iterator>
#include <utility>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/inline.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/strategy/device/sharing.h"
#include "compiler/strategy/device/work.h"

namespace einc::strategy {

std::optional<TransposedAlong> storesTransposed(const ir::Kernel& kernel,
                                                const ir::StructuredOp& op,
                                                const std::set<unsigned>& others,
                                                const target::Device& device) {
  const unsigned output = op.outputs[0].tensor;
  const bool isStored = kernel.tensors[output].role != ir::Role::Local || others.count(output) != 0;
  return isStored ? transposedAlong(kernel, op, device) : std::nullopt;
}

Steps ownPositions(const ir::Kernel& kernel, const ir::StructuredOp& op, const Shared& shared,
                   const std::set<unsigned>& others, const target::Device& device) {
  Steps steps = alonePositions(kernel, op, shared, /*inVectors=*/true);
  auto along = storesTransposed(kernel, op, others, device);
  if (!along) return steps;
  WhenStep tiles = transposed(kernel, op, *along, device).step;
  tiles.otherwise = std::move(steps);
  return {std::move(tiles)};
}

Steps smallSteps(transforms::Builder& builder, const Ops& ops, size_t first,
                 const ScheduleOptions& options) {
  const ir::Kernel& kernel = builder.kernel();
  const target::Device& device = *options.target->device;
  const std::set<unsigned> others = usedElsewhere(kernel, ops);
  Shared shared = sharedPositions(kernel, ops);
  NumberedOps left = NumberedOps::from(first, ops);
  Steps steps;
  if (ops.size() > 1) {
    Recomputed fewer = recomputed(kernel, device, ops, shared, others);
    for (size_t gone : fewer.gone) {
      steps.push_back(InlineStep{static_cast<int64_t>(first + gone)});
      std::erase(left.numbers, first + gone);
    }
    left.ops = std::move(fewer.ops);
    shared = sharedPositions(kernel, left.ops);
  }
  const Positions at{kernel, std::move(left), shared, others, ops.size() == 1};
  auto work = workAtPosition(builder, device, at.ops.ops, at.shared);
  if (!work && at.isAlone) return ownPositions(kernel, ops[0], shared, others, device);
  const DeviceRows wanted = shared.empty()
                                ? DeviceRows{1, device.invocations}
                                : DeviceRows{device.invocations / device.subgroup, device.subgroup};
  Steps rest = work && mayShareRows(at.ops.ops, options.keepsOrder)
                   ? sharingSteps(at, device, *work, wanted, /*mayBeInParts=*/false).steps
                   : flatSteps(at, device.numbers.mostPrivate);
  std::move(rest.begin(), rest.end(), std::back_inserter(steps));
  return steps;
}

}  // namespace einc::strategy
