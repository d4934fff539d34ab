// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/forms.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/device/flat.h"
#include "compiler/strategy/device/parts.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/strategy/device/transpose.h"
#include "compiler/strategy/report.h"
#include "compiler/support/result.h"
#include "compiler/support/text_writer.h"

namespace einc::strategy {
namespace {

constexpr Result<Form> (*kForms[])(const DeviceTask&) = {
#define EINC_DEVICE_FORM(function) function,
#include "compiler/strategy/forms.def"
};

constexpr Result<Form> (*kAround[])(const DeviceRegion&) = {
#define EINC_DEVICE_FORM_AROUND(function) function,
#include "compiler/strategy/forms.def"
};

}  // namespace

Form bestAt(const DeviceTask& task) {
  std::vector<Form> ways;
  std::vector<std::string> estimates;
  for (auto form : kForms)
    if (auto found = form(task)) {
      estimates.push_back(found->name + " " + shortNumber(found->cycles));
      ways.push_back(std::move(*found));
    }
  Form best = nested(std::move(ways));
  best.lines.push_back("loads an iteration, at best: " + joined(estimates));
  return best;
}

std::optional<Form> bestAround(const DeviceRegion& region) {
  std::optional<Form> best;
  for (auto around : kAround)
    if (auto form = around(region))
      if (!best || form->cycles < best->cycles) best = std::move(*form);
  return best;
}

}  // namespace einc::strategy
