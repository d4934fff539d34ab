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

template <typename Asked>
struct Row {
  const char* name;
  Result<Form> (*form)(const Asked&);
};

constexpr Row<DeviceRegion> kAround[] = {
#define EINC_DEVICE_FORM_AROUND(name, function) {name, function},
#include "compiler/strategy/forms.def"
};

constexpr Row<DeviceTask> kForms[] = {
#define EINC_DEVICE_FORM(name, function) {name, function},
#include "compiler/strategy/forms.def"
};

}  // namespace

const std::vector<std::string>& deviceFormNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& row : kAround) result.emplace_back(row.name);
    for (const auto& row : kForms) result.emplace_back(row.name);
    return result;
  }();
  return names;
}

Result<Form> bestAt(const DeviceTask& task, const std::string& wanted) {
  std::vector<Form> ways;
  std::vector<std::string> estimates;
  for (const auto& row : kForms) {
    auto found = row.form(task);
    if (!found && row.name == wanted) return Reason{found.reason()};
    if (!found) continue;
    estimates.push_back(found->name + " " + shortNumber(found->cycles));
    if (row.name == wanted) found->cycles = -1;  // before all others
    ways.push_back(std::move(*found));
  }
  Form best = nested(std::move(ways));
  best.own = best.lines;
  best.lines.push_back("loads an iteration, at best: " + joined(estimates));
  return best;
}

std::optional<Form> bestAround(const DeviceRegion& region) {
  std::optional<Form> best;
  for (const auto& row : kAround)
    if (auto form = row.form(region))
      if (!best || form->cycles < best->cycles) best = std::move(*form);
  return best;
}

}  // namespace einc::strategy
