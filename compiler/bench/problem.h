// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a kernel is to a library, for the purpose of comparing their speed: found in maps, iterator
// kinds and payload, never in a name. Matrix products come from any contraction of two inputs: the
// iterators of each group are one dimension where they lie so in memory, and otherwise the
// array is transposed first (or last, the result), which is what a user of a BLAS would do.
#pragma once

#include <string>
#include <vector>

#include "compiler/bench/adapters/adapter.h"
#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::bench {

// What one call computes and moves at least, and how well its result is determined.
struct Work {
  double iterations = 0;  // of all its ops
  double operations = 0;  // arithmetic on elements, of all iterations; a multiply-add counts as two
  double bytes = 0;       // every input read once, every output written; read too if accumulated
  double readBytes = 0;   // of these, the ones that are read
  double instructions = 0;  // as vector instructions, counted for one lane: a multiply-add is one
  double elementBytes = 0;  // of the last op's output
  int64_t sumLength = 1;    // how many values are accumulated into one element, at most
};

struct Comparison {
  einc_bench_problem problem = {};
  std::vector<unsigned> inputs;  // the kernel's tensors that are a and b
  unsigned output = 0;
  std::string name;  // "gemm", "gemv", "transposition and gemm", "convolution", ...
};

// `kernel` is structured, its sizes are constants. A reason says what no library has.
Result<Comparison> recognize(const ir::Kernel& kernel);

// The same condition on sizes. ternaryLogic: two operations on bits are one instruction.
Result<Work> measureWork(const ir::Kernel& kernel, bool ternaryLogic);

}  // namespace einc::bench
