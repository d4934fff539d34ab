// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How results are judged before anything is timed.
#pragma once

#include <optional>
#include <string>

#include "compiler/bench/problem.h"
#include "compiler/interp/contract.h"
#include "compiler/ir/ir.h"

namespace einc::driver {

// Outputs begin with 0, or below everything that is to be the largest value.
void resetOutputs(const ir::Kernel& kernel, const interp::Arguments& arguments,
                  const std::optional<bench::Comparison>& comparison);

// Whether the interpreter is asked for so much work.
bool isInterpreted(const bench::Work& work);

// How far two results of what a library does may be from each other: not at all where sums of our
// inputs are exact.
double allowedDifference(const bench::Comparison& comparison, const bench::Work& work,
                         ir::ScalarType type);

// The same of any kernel, where two results differ in nothing but how they round and in which order
// they add: in proportion to the largest element.
double allowedRounding(const bench::Work& work, const interp::View& result);

// The first element of `other` that is too far from ours; empty if there is none.
std::string firstDifference(const std::byte* ours, const std::byte* other, const interp::View& view,
                            double allowed);

}  // namespace einc::driver
