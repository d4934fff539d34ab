// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Local tensors that would have to be in a device's memory between ops of one dispatch, as they
// have more elements than one for each position, are computed where they are read instead: a device
// computes while it waits for memory.
//
//   before  op (m: parallel, n: parallel) ins(%X[m, n], %Max[m]) outs(%E[m, n])
//               { exp(sub(x, max)) }
//           op (m: parallel, n: reduction) ins(%E[m, n]) outs(%S[m]) { add(s, e) }
//           op (m: parallel, n: parallel) ins(%E[m, n], %S[m]) outs(%Y[m, n]) { div(e, s) }
//   after   op (m: parallel, n: reduction) ins(%X[m, n], %Max[m]) outs(%S[m])
//               { add(s, exp(sub(x, max))) }
//           op (m: parallel, n: parallel) ins(%X[m, n], %Max[m], %S[m]) outs(%Y[m, n])
//               { div(exp(sub(x, max)), s) }
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/target/device.h"

namespace einc::strategy {

struct Recomputed {
  Ops ops;
  std::vector<size_t> gone;  // numbers of the ops that are no more
};

// Of ops that share positions; `shared` and `others` as for privateValues.
Recomputed recomputed(const ir::Kernel& kernel, const target::Device& device, const Ops& ops,
                      const std::vector<std::vector<std::string>>& shared,
                      const std::set<unsigned>& others);

}  // namespace einc::strategy
