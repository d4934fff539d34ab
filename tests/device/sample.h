// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels for devices that are written by hand, shaders included: what the host's side of such a
// kernel can be made of, without the passes and the emitter that make them.
#pragma once

#include <vector>

#include "compiler/driver/shaders.h"

namespace einc::sample {

// scale      C = s * A, by one of two dispatches: that for rows without gaps, or the other
// square     C = (A + 1) * (A + 1), by two dispatches with a temporary tensor between them
// pieces     C = C + A, a dispatch for each piece of 100 elements
// options    attributes of all kinds as constants
// buffered   the same, with the constants in a buffer
std::vector<driver::DeviceKernel> deviceKernels();

}  // namespace einc::sample
