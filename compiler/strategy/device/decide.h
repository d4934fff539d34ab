// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with neighbouring ops on a device, as steps; nothing is built. One of
//
//   the steps that the user says
//   a product with what is done on its tiles (product.h), where M and N are many; else the next
//   ops that share positions, and one alone, at these (at_positions.h)
//   each by itself
#pragma once

#include "compiler/strategy/decision.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Of the ops the first has the number `first` in the kernel.
Decision decideRegion(transforms::Builder& builder, const Ops& ops, size_t first,
                      const ScheduleOptions& options);

// What is done with a product that has no tiles.
Form smallForm(transforms::Builder& builder, const Ops& ops, size_t first,
               const ScheduleOptions& options);

}  // namespace einc::strategy
