// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A region of n-D vectors whose registers are all alike, as one that says each statement once:
//
//   before  vector (m: 4, n: 32) {                 after  vector (n: 16) times (m: 4, v: 2) {
//             let c: f32 over (m, n) = ...                  let c: f32 over (m, v, n) = ...
//             let a: f32 over (m) = %A[k, m] unit m         let a: f32 over (m) = %A[k, m]
//             let b: f32 over (n) = %B[k, n] unit n         let b: f32 over (v, n) =
//             c = fma(a, b, c)                                  %B[k, v * 16 + n] unit n
//           }                                               c = fma(a, b, c)
//                                                         }
//
// What is unit along another axis than the lanes' is transposed, in squares:
//
//   before  vector (m: 16, n: 16) {
//             let a: f32 over (m, n) = %A[m, n] unit n
//             %B[n, m] unit m = a
//           }
//   after   vector (n: 16) times (m: 16) {
//             let a: f32 over (m, n) = %A[m, n] unit n
//             let rows: f32 over (m, n) = a
//             transpose rows along m
//             %B[m, n] unit n = rows
//           }
//
// Of small elements the squares would not fit the registers. Their loads turn them, a part of each line at once, where lanes
// lie as what is written (ir::turnedTogether); of u8:
//
//   before  vector (m: 64, n: 64) {
//             let a: u8 over (m, n) = %A[m, n] unit n
//             %B[n, m] unit m = a
//           }
//   after   vector (m: 64) times (w: 4, n: 16) {
//             let a: u8 over (w, n, m) = %A[m, w * 16 + n] unit n
//             %B[w * 16 + n, m] unit m = a
//           }
#pragma once

#include <optional>
#include <string>

#include "compiler/facts/views.h"
#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/unroll.h"

namespace einc::transforms {

// Nothing, if not all registers are alike, there are few of them (and the region is no variant of
// another), a statement waits for another one at all positions, or `shape` does not allow it.
// `views`: those around the region.
// `part`: what the lanes' axis is counted by in all regions of a kernel; "" until there is one.
std::optional<ir::Vector> repeat(Builder& builder, const ir::Vector& region,
                                 const VectorShape& shape, const facts::Views& views,
                                 std::string& part);

}  // namespace einc::transforms
