// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Arrays to time kernels on: large pages where the system has them, as for any program that asks.
// Outputs are not touched here, so that each process that writes to one gets pages of its own.
#pragma once

#include <optional>

#include "compiler/bench/worker.h"
#include "compiler/driver/native.h"
#include "compiler/interp/contract.h"
#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::driver {

// Samples shorter than these seconds are taken to see whether it runs; then what the machine can do is measured
// with less memory, too.
constexpr double kBriefSample = 0.004;

// Memory of zeros, not touched.
Result<interp::View> reserve(ir::ScalarType type, const std::vector<int64_t>& sizes);

// Why this machine has not the memory to time a kernel of constant sizes beside so many others:
// an array is refused before anything is touched, as the system would end whoever it likes.
std::optional<Reason> refuseMemory(const ir::Kernel& kernel, size_t contestants);

// The arguments of a kernel whose sizes are constants. Inputs hold small multiples of 1/8 (small
// integers, random bools), so that sums of products are exact, in any order, while they are short.
Result<interp::Arguments> makeArguments(const ir::Kernel& kernel);

// How long a sum of products of such inputs may be to be exact.
int64_t longestExactSum(ir::ScalarType type);

void fillInput(const interp::View& view);

// Calls of the kernel, which is loaded, and has run once, in the process that asks.
Result<bench::Load> runsOf(const NativeLibrary& library, const interp::Arguments& arguments);

}  // namespace einc::driver
