// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A product with one output, alone or with what it starts from and what reads its results, where it is done on
// tiles (tiles.h), and what is said of that.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/options.h"
#include "compiler/strategy/settings.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Which of the ops is the product, if they are one with all that is done on its tiles.
std::optional<size_t> productOf(const ir::Kernel& kernel, const Ops& ops);

struct ProductTiles {
  WhenStep step;                                              // what is done otherwise is left out
  std::vector<std::pair<std::string, std::string>> settings;  // what can be set, as it is
  std::vector<std::string> lines;                             // for people
};

// `others` are the numbers of the ops that are done with it. Settings: mr, nr, rows, columns, kt, fewest.
ProductTiles productTiles(transforms::Builder& builder, const ir::StructuredOp& op,
                          const std::vector<size_t>& others, const target::Device& device,
                          OpSettings& settings);

}  // namespace einc::strategy
