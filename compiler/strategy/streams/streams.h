// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that use each element few times: what counts is that memory is read and written in whole
// vectors, in order.
//
// Vectors lie along the iterator in which the most operands are contiguous, or along the innermost.
// What is done along it is a row of forms.def (ways.h). Where the iterator is
//   - parallel, each vector of outputs is computed on its own, reductions are loops around registers
//     (elementwise, broadcasts, pooling, depthwise convolution, sums of columns);
//   - parallel, but an input is contiguous along another iterator of the output, squares are read
//     along the one and written along the other (transposes);
//   - a reduction, there are several vectors of partial results, combined at the end (dot, sums of
//     rows, matrix times vector); for payloads whose outermost function is associative;
//   - a reduction by a combiner of its own, there is a result for each lane (transforms/accumulate.h).
// A tile of several vectors that is cut off is done a vector at a time.
//
// Operands may lie otherwise than the spec has them, which is tested when the kernel runs. If all
// are transposed, vectors lie along the iterator beside, one at a time. Of others elements are read
// and written one by one: in vectors, which of them are neighbours after all being tested for each,
// or by loops, where little is computed of them. Where masks do not say which lanes are inside a
// tensor, vectors lie between its borders.
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

// What is to be done with it where operands lie otherwise than the spec has them, for a form that
// asks for that.
Steps elsewhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
                const std::vector<OperandName>& names, const ScheduleOptions& options);

// What is to be done with it wherever operands lie, if it is little: one way, in vectors if there are any.
Steps anywhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
               const std::vector<OperandName>& names, const ScheduleOptions& options);

}  // namespace einc::strategy
