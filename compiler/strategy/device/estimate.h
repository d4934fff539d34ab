// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How long an iteration takes on a device, where a form may be taken: loads and stores, behind which computing is
// hidden. Those of neighbours a subgroup does at once; where elements are apart, or may be, each is one of its own.
// It compares forms (../estimate.h).
#pragma once

#include <cstdint>

#include "compiler/strategy/shared_iterators.h"
#include "compiler/target/device.h"

namespace einc::strategy {

enum class Elements : uint8_t { Neighbours, Apart };

double cyclesOf(const Ops& ops, Elements elements, const target::Device& device);

}  // namespace einc::strategy
