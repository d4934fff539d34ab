// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A product with one output, alone or with what it starts from and what reads its results, where it is done on
// tiles (tiles.h), and what is said of that.
#pragma once

#include <optional>
#include <vector>

#include "compiler/strategy/form.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/settings.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Which of the ops is the product, if they are one with all that is done on its tiles.
std::optional<size_t> productOf(const ir::Kernel& kernel, const Ops& ops);

// Neighbouring ops, of which the first has the number `first`, and what the user sets for each.
struct DeviceRegion {
  transforms::Builder& builder;
  const Ops& ops;
  size_t first;
  const target::Device& device;
  std::vector<OpSettings>& settings;
};

// Settings: mr, nr, rows, columns, kt, fewest.
Result<Form> onTiles(const DeviceRegion& region);

}  // namespace einc::strategy
