// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Before ops are done in rounds (rounds.h): sums of terms that are polynomials of a centre, which is known so far only. Each gets
// sums of its derivatives besides, which move it. What is used as a centre is a tensor of its own, which each round makes anew:
// of a sum so far that is what it would be, if the rest went on like that.
//
//   before  op (m) outs(%V[m]) { 0.0 }
//           op (m, n: reduction) ins(%X[m, n]) outs(%S[m]) { add(s, x) }
//           op (m, n: reduction) ins(%X[m, n], %S[m]) outs(%V[m]) { add(v, square(sub(x, div(s, N)))) }
//   after   op (m) outs(%V[m]) { 0.0 }                                       before the rounds
//           op (m) outs(%V_by_S[m]) { 0.0 }
//           op (m) outs(%V_by_S2[m]) { 0.0 }
//           op (m) outs(%S_so_far[m]) { 0.0 }
//           op (m, n: reduction) ins(%X[m, n]) outs(%S[m]) { add(s, x) }     in each round
//           op (m) ins(%S[m]) outs(%S_so_far[m]) { div(s, N) }               in each, and behind
//           op (m, n: reduction) ins(%X[m, n], %S_so_far[m]) outs(%V[m]) { add(v, square(sub(x, s_so_far))) }
//           op (m, n: reduction) ins(%X[m, n], %S_so_far[m]) outs(%V_by_S[m]) { add(v_by_s, mul(-2.0, sub(x, s_so_far))) }
//           op (m, n: reduction) ins(%X[m, n]) outs(%V_by_S2[m]) { add(v_by_s2, 2.0) }
#pragma once

#include <map>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/rounds.h"

namespace einc::transforms {

// A sum moves with `centre` by what is added up in the others, the first derivative first.
struct MovingSum {
  unsigned centre;
  std::vector<unsigned> derivatives;
};

struct WithMoments {
  Rounds rounds;
  std::map<unsigned, MovingSum> moving;  // sums, those of derivatives among them
  std::vector<unsigned> added;           // tensors, which stand for tiles of them
};

WithMoments withMoments(Builder& builder, const Rounds& rounds);

}  // namespace einc::transforms
