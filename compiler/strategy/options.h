// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the user says about the code that is wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/settings.h"
#include "compiler/target/target.h"

namespace einc::strategy {

struct ScheduleOptions {
  const target::Target* target;
  int64_t threads = 1;                 // at most; with 1 no loop is on threads
  bool keepsOrder = false;             // of floating-point sums: as the spec has it
  bool contiguous = false;             // arguments have unit stride along their last dimensions
  std::vector<Setting> settings = {};  // instead of the model's choice
  std::string library = {};            // what is asked first, or "auto"; empty: none
  std::map<std::string, int64_t> most = {};  // that sizes may be which loops around an op give
  // Sees the code that a step, and those behind it, have made; tests of the tests change it there.
  std::function<void(const Step& step, ir::Block& code)> afterStep = nullptr;
};

// With the settings of one kernel alone.
ScheduleOptions ofKernel(const ScheduleOptions& options, const std::string& kernel);

}  // namespace einc::strategy
