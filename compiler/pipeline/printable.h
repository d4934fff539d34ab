// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether a kernel that did not come all the way through the pipeline (IR text, which users write)
// can be code on a target. What keeps the rules of the IR may still be written for another machine:
//
//   contract     below level buffers nothing else says what a call must keep
//   dispatches   run on devices alone, and below level tiled there is nothing but them on a device
//   threads      loops on threads are code for several
//   contiguous   code in which paths for other strides are gone is for arguments that promise theirs
//   instructions those that the target has, at any level
//   vectors      at level hardware no wider than the target's registers
#pragma once

#include <optional>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::strategy {
struct ScheduleOptions;
}

namespace einc::pipeline {

// Why it cannot. Of kernels at level tensors and buffers everything else is still to be decided.
std::optional<Reason> findUnprintable(const ir::Kernel& kernel,
                                      const strategy::ScheduleOptions& options);

}  // namespace einc::pipeline
