// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/at_positions.h"

#include <iterator>
#include <set>
#include <utility>

#include "compiler/strategy/device/forms.h"
#include "compiler/strategy/device/inline.h"
#include "compiler/strategy/device/rows.h"

namespace einc::strategy {
AtPositions::AtPositions(transforms::Builder& builder, const Ops& ops, size_t first,
                         const ScheduleOptions& options)
    : device_(*options.target->device),
      at_{builder.kernel(), NumberedOps::from(first, ops), sharedPositions(builder.kernel(), ops),
          usedElsewhere(builder.kernel(), ops), ops.size() == 1} {
  if (ops.size() > 1) {
    Recomputed fewer = recomputed(at_.kernel, device_, ops, at_.shared, at_.others);
    gone_ = std::move(fewer.gone);
    for (size_t gone : gone_) {
      inlined_.push_back(Step(InlineStep{static_cast<int64_t>(first + gone)},
                              "computing it again takes less than storing it"));
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

Result<Form> AtPositions::form(int64_t lanes, bool mayBeInParts, const std::string& wanted) const {
  auto fit = [&](const DeviceRows& rows) {
    return mayShare_ ? thatFit(rows, at_.kernel, at_.ops.ops, device_.sharedBytes) : DeviceRows{};
  };
  const DeviceRows all = fit({1, device_.invocations});
  const DeviceRows some = at_.shared.empty() ? all : fit({device_.invocations / lanes, lanes});
  auto result = bestAt({at_, device_, work_ ? &*work_ : nullptr, some, all, mayBeInParts}, wanted);
  if (result) result->steps.insert(result->steps.begin(), inlined_.begin(), inlined_.end());
  return result;
}

}  // namespace einc::strategy
