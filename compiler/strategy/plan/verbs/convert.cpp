// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   convert A to i32
#include <algorithm>
#include <utility>

#include "compiler/strategy/conversion.h"
#include "compiler/strategy/plan/verbs/copies.h"

namespace einc::strategy {

using affine::Expr;

ir::Block apply(const Work& work, At here, const ConvertStep& step) {
  auto input = inputOf(work, here, step.operand);
  if (!input) return work.refuse(here, input.reason());
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  const ir::Operand& from = here.op.inputs[*input];
  const ir::ScalarType own = work.builder.kernel().tensors[from.tensor].type;
  if (castType(work.builder.kernel(), here.op, *input) != step.type)
    return work.refuse(here, "the payload does not cast " + step.operand.str() +
                                 " to that type, and to that alone");
  std::vector<std::string> names;
  for (const Expr& index : from.map) names.push_back(*index.asIterator());
  if (names.empty()) return work.refuse(here, step.operand.str() + " has no dimension here");
  const int64_t bytes = std::max(ir::info(step.type).bytes(), ir::info(own).bytes());
  auto room = roomFor(work, here, names, bytes, step.isOnStack);
  if (!room) return work.refuse(here, room.reason());
  for (size_t i = 0; i < names.size(); ++i)
    if ((*room)[i] != work.extent(here, names[i]))
      return work.refuse(here, "tiles are converted where all have the same size");
  unsigned buffer = work.builder.tensor("converted", step.type, *room, ir::Role::Local);
  ir::Block block;
  take(work, buffer, step.isOnStack ? CopyStep::Where::Stack : CopyStep::Where::Heap, block);
  transforms::append(
      block, copyOf(work.builder, from, buffer, std::vector<Expr>(names.size()), work.lanes(here),
                    work.options.target->numbers.convertedVectors));
  here.op.inputs[*input].tensor = buffer;
  onCastType(here.op, *input, step.type);
  here.forgetNeighbours(*input);
  here.contiguous.emplace(*input, names.back());
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
