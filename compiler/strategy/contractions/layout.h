// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The order of a contraction's iterators that suits how its operands lie in memory.
//
// M may be walked in any order, and K, where the order of a sum's terms is free: the iterator along
// which an operand is contiguous comes last. N ends with the one along which the output is. An
// operand that is contiguous along another one of N than that would be read an element from each
// cache line: it is transposed first.
//
//   before  C(c, b, a) += A(a, d, b) * B(c, d)
//   after   T(d, b, a) = A(a, d, b);  C(c, b, a) += T(d, b, a) * B(c, d)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Frees the order of K, and orders it.
void orderSums(const ir::StructuredOp& op, Groups& groups);

// Whether it may hold: what is not known is asked.
bool holds(Test test, std::vector<Test>& tests);

// One of them becomes the last, if it is there.
void moveToEnd(std::vector<std::string>& group, const std::string& name);

// Words are of several positions along the last iterator of K: of those that make up whole words, or nearly, the
// one that comes last becomes it, where the order of K is free.
void orderWords(const ir::Kernel& kernel, const ir::StructuredOp& op, int64_t terms,
                Groups& groups);

// Orders M and N; gives the copy that stands before `op`, if there is one, which then reads T, a new tensor
// of `builder`. `names` are what steps call the op's operands.
std::optional<CopyStep> arrange(transforms::Builder& builder, ir::StructuredOp& op,
                                const std::vector<OperandName>& names, Groups& groups,
                                const ScheduleOptions& options);

// Bytes between neighbours along `iterator` of an argument that lies as the spec has it, if known
// and not 0.
std::optional<int64_t> strideInBytes(const ir::Kernel& kernel, const ir::Operand& operand,
                                     const std::string& iterator);

// How far a tile of K reaches along each of its iterators, with at most `most` positions in all:
// the last ones whole, as far as they go, and before them a vector of those along which an input is
// contiguous, so that it can be packed in squares. `least` gives a name to the least of an iterator's
// extent and a number, in which names that it gave before may stand.
std::vector<affine::Expr> stepsOfK(
    const ir::StructuredOp& op, const Groups& groups, int64_t most, int64_t lanes,
    const std::function<affine::Expr(const std::string&, const affine::Expr&)>& least);

}  // namespace einc::strategy
