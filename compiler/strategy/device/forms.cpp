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

struct Row {
  const char* name;
  Result<Form> (*form)(const DeviceTask&);
};

constexpr Row kForms[] = {
#define EINC_DEVICE_FORM(name, function) {name, function},
#include "compiler/strategy/forms.def"
};

constexpr Result<Form> (*kAround[])(const DeviceRegion&) = {
#define EINC_DEVICE_FORM_AROUND(name, function) function,
#include "compiler/strategy/forms.def"
};

}  // namespace

const std::vector<std::string>& deviceFormNames() {
  static const std::vector<std::string> names = {
#define EINC_DEVICE_FORM_AROUND(name, function) name,
#include "compiler/strategy/forms.def"
#define EINC_DEVICE_FORM(name, function) name,
#include "compiler/strategy/forms.def"
  };
  return names;
}

Form bestAt(const DeviceTask& task, const std::string& wanted, std::string& without) {
  std::vector<Form> ways;
  std::vector<std::string> estimates;
  for (const Row& row : kForms) {
    auto found = row.form(task);
    if (!found && row.name == wanted) without = found.reason();
    if (!found) continue;
    estimates.push_back(found->name + " " + shortNumber(found->cycles));
    if (row.name == wanted) found->cycles = -1;  // before all others
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
