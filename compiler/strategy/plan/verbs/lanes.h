// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   lanes n over 32
//   lanes kh, kw over 128
//
// On a device, in a workgroup: the invocations share the positions of iterators.
//
//   before  tile m0 : m0_size = 0 .. M by 4 parallel on workgroups x {
//             op (m: parallel, n: reduction) ins(%X_m0[m, n]) outs(%y_m0[m]) { add(y, x) }
//           }
//   after   tile m0 : m0_size = 0 .. M by 4 parallel on workgroups x {
//             alloc %parts: tensor<4 x 32 x f32> in workgroup
//             tile r by 1, tile t by 1 on invocations {             an invocation each
//               op () outs(%parts[r, t]) { -0.0 }
//               op (n: reduction) ins(%X_m0[r, t + n * 32]) outs(%parts[r, t]) { add(p, x) }
//             }
//             tile r, tile t = 0 .. 16 by 1 on invocations { op () %parts[r, t] += %parts[r, t + 16] }
//             ... 8, 4, 2, 1                                        a tree
//             op (m: parallel) ins(%parts[m, 0]) outs(%y_m0[m]) { add(y, p) }
//           }
//
// Neighbours along the iterators go to neighbouring lanes, so that a row is read as it lies. A
// reduction by a combiner, such as that of argmax, has an array of parts for each output; one loop
// of the tree combines a lane of all of them. Parallel iterators need no parts: a lane does its
// positions of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// A lane t of `lanes`, a power of two, does the positions t, t + lanes, ... of the iterators, which
// are one from there on, by the steps behind this one. There are such lanes for each position of
// another iterator, if the op has one besides. Where no loop is bound, one workgroup does it all.
struct LanesStep {
  static constexpr const char* kVerb = "lanes";
  std::vector<std::string> iterators;
  int64_t lanes = 1;

  bool operator==(const LanesStep&) const = default;
  void describe(Syntax& text) { text.iterators(iterators).word("over").integer(lanes); }
};

ir::Block apply(const Work& work, At here, const LanesStep& step);

}  // namespace einc::strategy
