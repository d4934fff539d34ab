// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which ops of a def are done together.
//
//   before  op (m: parallel, n: parallel) outs(%T[m, n]) { (t) -> 0.0 }
//           op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n])
//               outs(%T[m, n]) { ... }
//           op (m: parallel, n: parallel) ins(%T[m, n], %b[n]) outs(%Y[m, n]) { max(add(t, b), 0.0) }
//   after   fused {
//             op (m: parallel, n: parallel) outs(%T[m, n]) { (t) -> 0.0 }
//             op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n])
//                 outs(%T[m, n]) { ... }
//             op (m: parallel, n: parallel) ins(%T[m, n], %b[n])
//                 outs(%Y[m, n]) { max(add(t, b), 0.0) }
//           }
//
// Regions are of two kinds:
//   - a contraction, or a sum by windows that read nothing outside, with what its output starts from, and the
//     ops that read each element of its local output once: the tile of results is in registers before, while
//     and after it is summed;
//   - ops that share parallel iterators, and read what others of them write or read: they run block
//     by block of those, so that what is between them stays in cache. Windows are not among
//     them: their forms move along what they read.
// A def that an external function computes stays as it is.
// A value is the same as before, but for the rounding of products that become fused with a sum.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors.
ir::Kernel group(const ir::Kernel& kernel);
// Why ops that follow one another are not in one region, for people.
std::string whyNotTogether(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops);
// After local results are computed where they are read (locals.h).
ir::Kernel fuse(const ir::Kernel& kernel, bool intoProducts = false);

}  // namespace einc::strategy
