// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A group of parallel iterators as one.
//
//   before  op (n: parallel, h: parallel, f: parallel) ins(%I[n, h]) outs(%O[n, h, f]) { ... }
//   after   view %I_n: tensor<N * H x f32> = (n) -> %I[n floordiv H, n mod H]        collapse(n, h)
//           view %O_n: tensor<N * H x F x f32> = (n, f) -> %O[n floordiv H, n mod H, f]
//           op (n: parallel, f: parallel) ins(%I_n[n]) outs(%O_n[n, f]) { ... }
//
// What the divisions cost is saved by offset tables: one for each view and tile, computed once.
#pragma once

#include <string>
#include <vector>

#include "compiler/transforms/builder.h"

namespace einc::strategy {

// `op` is canonical, and each output uses all iterators of the group or none; an input with some of them is the same for
// positions of the others. The views go to `block`. Gives the iterator that stands for the group: its own, if it is just one.
std::string collapse(transforms::Builder& builder, ir::StructuredOp& op,
                     const std::vector<std::string>& group, ir::Block& block);

// The value with positions of `one` in the place of those that count the group's, n * C + c. Others stay, as they are.
ir::ValueRef withPlaces(const ir::ValueRef& value, const ir::Kernel& kernel,
                        const ir::StructuredOp& op, const std::vector<std::string>& group,
                        const std::string& one);

// An offset table on the stack, of at most `length` positions, for an operand, where it uses `iterator`; with one of as many
// `quotients`, if there are any.
void offsetTable(transforms::Builder& builder, const ir::Operand& operand,
                 const std::string& iterator, int64_t length, ir::Block& block,
                 int64_t quotients = 0);

}  // namespace einc::strategy
