// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction, and what is done with its results, on the workgroups of a device:
//
//   tile m0 by mt parallel {                                   workgroups, along y
//     tile n0 by nt parallel {                                 and x; a batch along z
//       alloc %C_sums [rows x columns x mr x nr] in registers, rows = mt / mr, columns = nt / nr
//       alloc %A_tile [kt x mt], %B_tile [kt x nt] in workgroup
//       tile ty by 1, tx by 1 parallel { op: what the sums start from }         invocations
//       tile k0 by kt reduction {
//         op: %A_tile from A, padded with zeros; %B_tile from B                 shared out
//         tile ty by 1, tx by 1 parallel { op vector (m: mr, n: nr): the sums of kt terms }
//       }
//       tile ty by 1, tx by 1 parallel { ops that read the sums, or store them }
//   } }
//
// As in V. Volkov and J. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008: sums in
// registers, operands in shared memory. Groups of several iterators are collapsed into one, so that
// contractions of any index order and convolutions are the same path.
#pragma once

#include "compiler/strategy/device/schedule.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/region.h"

namespace einc::strategy {

struct DeviceTiles {
  int64_t rows, columns;             // invocations of a workgroup along M and N
  int64_t mr, nr;                    // sums of one invocation
  int64_t kt;                        // terms that are in shared memory at a time
  std::optional<int64_t> mostTerms;  // of K, if the device limits rounds of loops
  std::vector<std::string> reasons;
  int64_t mt() const { return rows * mr; }
  int64_t nt() const { return columns * nr; }
  // From one term to the next in shared memory: neighbouring terms are in other banks, so that
  // invocations that copy along K do not wait for each other; by fours, for vectors.
  int64_t leftStride() const { return mt() + 4; }
  int64_t rightStride() const { return nt() + 4; }
};

// `bytes` of a sum; of an element of both operands in shared memory; extents where they are known,
// else the largest number. Settings: rows, columns, mr, nr, kt.
DeviceTiles deviceTiles(const target::Device& device, int sumBytes, int elementBytes, int64_t m,
                        int64_t n, int64_t k, OpSettings& settings);

// `op` is the region's contraction, with one output.
ir::Block onDeviceTiles(transforms::Builder& builder, const ir::StructuredOp& op, Region& region,
                        const Groups& groups, const DeviceTiles& tiles);

}  // namespace einc::strategy
