// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a form of a device (forms.def) is asked: ops at the positions that they share, or one alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/strategy/device/estimate.h"
#include "compiler/strategy/device/positions.h"
#include "compiler/strategy/device/work.h"
#include "compiler/strategy/form.h"
#include "compiler/target/device.h"

namespace einc::strategy {

struct DeviceRows {
  int64_t rows, lanes;  // of a workgroup; powers of two
};

struct DeviceTask {
  const Positions& at;
  const target::Device& device;
  const PositionWork* work;  // at each position; null: little
  // Rows of a workgroup and invocations for each, as many as its memory holds. No rows: they may not share the work.
  DeviceRows rows;
  DeviceRows all;  // the same where all of a workgroup do one
  bool mayBeInParts;

  bool mayShare() const { return work && rows.rows > 0; }
  // One op of which an invocation does a few positions at most.
  bool isSmall() const { return at.isAlone && !work; }
  // Of a form.
  double cycles(Elements elements) const { return cyclesOf(at.ops.ops, elements, device); }
};

}  // namespace einc::strategy
