// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The form of a kernel's first op, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/test_text.h"
#include "compiler/strategy/forms.h"

namespace einc::strategy::test {

// With what is wrong about the settings.
struct Asked {
  Form form;
  std::string error;
};

inline Asked asked(const char* text, const char* target, int64_t threads = 1,
                   const std::string& strategy = "") {
  const ir::Kernel kernel = ir::test::goodKernel(text);
  const auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  ScheduleOptions options{target::find(target)};
  options.threads = threads;
  std::vector<Setting> set;
  if (!strategy.empty()) set.push_back({kernel.name, 0, "strategy", strategy});
  OpSettings settings(set, kernel.name, 0);
  Form form = bestForm({kernel, op, operandNames(kernel, op), options, settings});
  const std::vector<SettingError> errors = settings.errors();
  return {std::move(form), errors.empty() ? "" : errors[0].message};
}

}  // namespace einc::strategy::test
