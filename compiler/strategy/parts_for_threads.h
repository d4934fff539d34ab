// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A long reduction with few results, which threads share in parts: results alone are too few tasks.
//
//   let k_width = 4194304 floordiv (m * n + 1) + 1
//   when m * n <= 2048 and k_width * 2 <= k { parts k by k_width as k_part ... } otherwise { ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

struct PartsForThreads {
  std::string axis;         // that is cut
  LetStep width;            // of a part
  std::vector<Test> tests;  // under which it pays
  std::string line;         // for `einc explain`
};

// `work` iterations make a thread worth its start. `isTile`: the results of a tile are one task, so
// that there may be many of them. Nothing if the op does not reduce.
std::optional<PartsForThreads> partsForThreads(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               const ScheduleOptions& options, int64_t work,
                                               bool isTile);

// Each part is done in the best form that is left; `whole` is that of the op.
Result<Form> parts(const Task& task, const Form& whole);

}  // namespace einc::strategy
