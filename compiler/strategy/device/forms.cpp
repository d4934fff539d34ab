// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/forms.h"

#include <iterator>
#include <utility>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/parts.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/strategy/device/transpose.h"
#include "compiler/support/result.h"

namespace einc::strategy {
namespace {

constexpr Result<Form> (*kForms[])(const DeviceTask&) = {
#define EINC_DEVICE_FORM(function) function,
#include "compiler/strategy/forms.def"
};

}  // namespace

DeviceSteps stepsAt(const DeviceTask& task) {
  DeviceSteps result;
  for (auto form = std::rbegin(kForms); form != std::rend(kForms); ++form) {
    auto found = (*form)(task);
    if (!found) continue;
    Steps steps = std::move(found->lets);
    std::move(found->steps.begin(), found->steps.end(), std::back_inserter(steps));
    result.steps = either(std::move(found->where), std::move(steps), std::move(result.steps));
    result.lines.insert(result.lines.begin(), found->lines.begin(), found->lines.end());
  }
  return result;
}

}  // namespace einc::strategy
