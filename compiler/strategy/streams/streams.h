// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that use each element few times: what counts is that memory is read and written in whole
// vectors, in order.
//
// Vectors lie along the iterator in which the most operands are contiguous, or along the innermost.
// Four forms:
//   - it is parallel: each vector of outputs is computed on its own, reductions are loops around
//     registers (elementwise, broadcasts, pooling, depthwise convolution, sums of columns);
//   - it is parallel, but an input is contiguous along another iterator of the output: squares are
//     read along the one and written along the other (transposes);
//   - it is a reduction: several vectors of partial results, combined at the end (dot, sums of
//     rows, matrix times vector); for payloads whose outermost function is associative;
//   - it is a reduction by a combiner of its own: a result for each lane (transforms/accumulate.h).
// What is contiguous otherwise than the spec has it is done by loops, and so are lanes that are at no
// one distance, or not inside together, unless computing takes longer than reading them one by one.
// A tile of several vectors that is cut off is done a vector at a time.
//
// An output that is larger than the last cache, is written once and not read goes to memory in whole
// vectors: otherwise its lines would be read first. For that its vectors begin at multiples of their
// size, in as many places at once as the target writes fastest.
#pragma once

#include <cstdint>

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> stream(const Task& task);

}  // namespace einc::strategy
