// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How the invocations of a workgroup share the sums of a product: each has a rectangle of them in its registers.
//
//   32 x 32 sums, 128 invocations        16 x 8 invocations with 2 x 4 sums each
//   5 rows of 9 x 32 sums                4 x 4 x 8 invocations with 4 x 4 sums each, in two turns along the rows
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/target/device.h"

namespace einc::strategy {

struct GroupSides {
  int64_t around, rows, columns;  // invocations
  int64_t mr, nr;                 // sums of each
  int64_t turns;                  // in which it does all of them
  // For each term, of an invocation.
  int64_t loads() const { return turns * (mr + nr); }
};

// Such that what is read for the sums is least: `m` x `n` of them, of so many words each, at `around` positions.
std::optional<GroupSides> groupSides(const target::Device& device, int64_t words, int64_t around,
                                     int64_t m, int64_t n);

int64_t powerUpTo(int64_t most);  // the largest power of two
int64_t powerFor(int64_t least);  // the smallest one that is no less

}  // namespace einc::strategy
