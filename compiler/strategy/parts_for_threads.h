// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A long reduction with few results, which threads share in parts: results alone are too few tasks.
//
//   let k_width = 4194304 floordiv (m * n + 1) + 1
//   when m * n <= 2048 and k_width * 2 <= k { parts k by k_width as k_part ... } otherwise { ... }
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct PartsForThreads {
  std::string axis;         // that is cut
  LetStep width;            // of a part
  std::vector<Test> tests;  // under which it pays
  std::string line;         // for `einc explain`
};

// `isTile`: the results of a tile are one task, so that there may be many of them. Nothing if the
// op does not reduce.
std::optional<PartsForThreads> partsForThreads(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               int64_t threads, bool isContraction, bool isTile);

// What is to be done with a part of the op, which `kernel` knows; the steps call its operands by `names`.
using DecidePart = std::function<Steps(const ir::Kernel& kernel, const ir::StructuredOp& part,
                                       const std::vector<OperandName>& names)>;

// The op, which has no iterators of one position, in these parts, or by `steps` where they do not pay.
Steps stepsInParts(const ir::Kernel& kernel, const ir::StructuredOp& op, PartsForThreads parts,
                   Steps steps, const DecidePart& decide);

}  // namespace einc::strategy
