// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A long reduction with few results, which threads share in parts: results alone are too few tasks.
//
//   bound k_width = min(4194304 floordiv (M * N + 1) + 1)
//   if M * N <= 2048 and 2 * k_width <= K { the reduction in parts of k_width } else { ... }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct PartsForThreads {
  std::string axis;                       // that is cut
  ir::Bound width;                        // of a part
  std::vector<ir::Condition> conditions;  // under which it pays
  std::string line;                       // for `einc explain`
};

// `isTile`: the results of a tile are one task, so that there may be many of them. Nothing if the
// op does not reduce.
std::optional<PartsForThreads> partsForThreads(transforms::Builder& builder,
                                               const ir::StructuredOp& op, int64_t threads,
                                               bool isContraction, bool isTile);

}  // namespace einc::strategy
