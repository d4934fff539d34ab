// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with a def on a target, as a person would say it, in a few lines: what `einc explain`
// prints without --verbose.
//
//   softmax, for x86-64-v4: 4 statements, done together
//     Largest(m), line 8: the largest along 'n'; vectors of 16 along 'n', with partial results that are combined at the end
//     ...
//     in the same loops, block by block along 'm'; of Largest, E, Total no more than a block is kept
//     passes that changed it: assume-numbers (max and min run as if there were no NaN)
//     work: 5 MFLOP and 8 MB in and out, 0.625 operations a byte: limited by memory
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/support/source.h"
#include "compiler/target/target.h"

namespace einc::driver {

constexpr size_t kMostSummaryLines = 15;

// What is known of a def. What it refers to is to outlive it.
struct Explained {
  const ir::Kernel& kernel;  // level buffers: what was decided on
  const strategy::Decision& decision;
  const target::Target& target;
  const SourceFile& source;
  std::vector<std::string> passes;        // that changed the def, in order
  std::vector<std::string> instructions;  // that add several products at once, in its code
  std::string dispatches = {};            // "1 dispatch"; "": it runs on no device
};

std::string summaryOf(const Explained& explained);

// What a pass has done, or "" if that is nothing to tell.
std::string passText(const std::string& pass);

}  // namespace einc::driver
