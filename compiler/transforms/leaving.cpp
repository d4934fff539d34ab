// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/leaving.h"

#include <utility>

#include "compiler/transforms/combiner.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::StructuredOp;

std::optional<size_t> lastWriter(const Rounds& rounds, unsigned tensor, size_t before) {
  for (size_t op = before; op-- > 0;)
    if (ir::writes(rounds.ops[op], tensor)) return op;
  return std::nullopt;
}

// Of a maximum of what another op has chosen: select(x, s, -inf).
std::optional<Leaving> leavingOfTerm(const Rounds& rounds, size_t op, Function function) {
  const StructuredOp& whole = rounds.ops[op];
  auto* call = std::get_if<ir::Call>(&whole.results[0]->node);
  if (!call || call->function != function) return std::nullopt;
  for (const ir::ValueRef& arg : call->args) {
    auto* term = std::get_if<ir::OperandRef>(&arg->node);
    if (!term || term->operand >= whole.inputs.size()) continue;
    const unsigned tensor = whole.inputs[term->operand].tensor;
    const auto maker = lastWriter(rounds, tensor, op);
    const StructuredOp* made = maker ? &rounds.ops[*maker] : nullptr;
    if (!made || rounds.when[*maker] != Rounds::When::In || made->outputs.size() != 1 ||
        ir::reduces(*made))
      continue;
    auto* choice = std::get_if<ir::Call>(&made->results[0]->node);
    const auto none = choice && choice->function == Function::Select ? ir::asNumber(choice->args[2])
                                                                     : std::nullopt;
    const auto neutral = ir::neutralElement(function, arg->type);
    if (none && neutral && ir::sameBits(*none, *neutral))
      return Leaving{*maker, ir::asGuard(choice->args[0])};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Leaving> leavingOf(const Rounds& rounds, size_t op) {
  const StructuredOp& whole = rounds.ops[op];
  if (auto guard = ir::guardOf(whole)) return Leaving{op, std::move(*guard)};
  if (whole.outputs.size() != 1) return std::nullopt;
  const unsigned output = whole.outputs[0].tensor;
  if (auto bound = rounds.bounds.find(output);
      bound != rounds.bounds.end() && bound->second.op == op)
    return leavingOfTerm(rounds, op, bound->second.function);
  auto moved = rounds.moved.find(output);
  if (moved == rounds.moved.end() || !isKnown(moved->second.number)) return std::nullopt;
  auto one = leavingOf(rounds, rounds.bounds.at(*moved->second.bound).op);
  if (one) one->begins = true;
  return one;
}

}  // namespace einc::transforms
