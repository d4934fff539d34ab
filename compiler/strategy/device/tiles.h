// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction, and what is done with its results, on the workgroups of a device. The steps, for those of
// which N and M are groups of iterators:
//
//   fuse op 0                                          what it starts from, and what reads its results
//   collapse n, oh, ow as n
//   bind n by 64, f by 64 to workgroups                a batch before, by 1
//   results (n: 4 over 16, f: 4 over 16) {             sums in registers
//     tile k by 16
//     pack A (n: 64) on workgroup (68)                 operands in the workgroup's memory
//     pack B (f: 64) on workgroup (68)
//     when k == 16 {
//       bind n by 4 over 16, f by 4 over 16 to invocations
//       vectorize (n: 4, f: 4)
//     } otherwise { the same }
//   }
//
// As in V. Volkov and J. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008: sums in
// registers, operands in shared memory. Groups of several iterators are collapsed into one, so that
// contractions of any index order and convolutions are the same path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/form.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/settings.h"
#include "compiler/target/device.h"

namespace einc::strategy {

struct DeviceTiles {
  int64_t rows, columns;             // invocations of a workgroup along M and N
  int64_t mr, nr;                    // sums of one invocation
  int64_t kt;                        // terms that are in shared memory at a time
  int64_t gap;                       // between them
  std::optional<int64_t> mostTerms;  // of K, if the device limits rounds of loops
  std::vector<TileReason> reasons;

  const std::string& why(std::string_view name) const { return whyOf(reasons, name); }
  int64_t mt() const { return rows * mr; }
  int64_t nt() const { return columns * nr; }
  // From one term to the next in shared memory: neighbouring terms are in other banks, so that
  // invocations that copy along K do not wait for each other.
  int64_t leftStride() const { return mt() + gap; }
  int64_t rightStride() const { return nt() + gap; }
};

// Those that may be taken, the largest first: with smaller ones there are more workgroups. `bytes` of a sum; of an element
// of both operands in shared memory; extents where they are known, else the largest number. Settings: rows, columns, mr,
// nr, kt; what is said of a side leaves one.
std::vector<DeviceTiles> deviceTiles(const target::Device& device, int sumBytes, int elementBytes,
                                     int64_t m, int64_t n, int64_t k, OpSettings& settings);

// The fewest that one of them takes.
std::optional<int64_t> mostTermsOf(const std::vector<DeviceTiles>& tiles);

// On tiles of one size, wherever. `others` are the numbers of the ops that are done with the contraction.
Form onDeviceTiles(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups,
                   const DeviceTiles& tiles, const std::vector<size_t>& others);

// How many units are to have a workgroup where large tiles are taken; and that there are so many workgroups.
int64_t busyUnits(const target::Device& device);
Test makesWorkgroups(const Groups& groups, const DeviceTiles& tiles, int64_t count);

// That M and N have `fewest` positions each, as with few rows or columns most of a tile would be empty; and K no more
// terms than any of the tiles takes.
std::vector<Test> holdsTiles(const Groups& groups, const std::vector<DeviceTiles>& tiles,
                             int64_t fewest);

}  // namespace einc::strategy
