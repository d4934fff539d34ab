// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   border I
#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/padding.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// The input as the spec has it: no step has changed it.
std::optional<size_t> unchanged(const At& here, size_t input) {
  if (!here.spec || input >= here.tensors.size() ||
      here.op.inputs[input].tensor != here.tensors[input] ||
      !std::is_permutation(here.op.iterators.begin(), here.op.iterators.end(),
                           here.spec->iterators.begin(), here.spec->iterators.end()))
    return std::nullopt;
  return here.inSpec(input);
}

std::string text(const std::vector<ir::Condition>& conditions) {
  std::string result;
  for (const ir::Condition& condition : conditions)
    result += (result.empty() ? "when " : " and ") + condition.left.str() +
              " <= " + condition.right.str();
  return result;
}

}  // namespace

ir::Block apply(const Work& work, At here, const BorderStep& step) {
  auto input = here.operand(step.operand);
  if (!input) return work.refuse(here, noOperand(here, step.operand));
  auto own = *input < here.op.inputs.size() ? unchanged(here, *input) : std::nullopt;
  if (!own)
    return work.refuse(here, "'border' stands before steps that change " + step.operand.str());
  if (!here.spec->inputs[*own].pad)
    return work.refuse(here, step.operand.str() + " is not read outside its tensor");
  auto border = padded(work.builder, *here.spec, *own, work.lanes(here),
                       work.options.target->numbers.convertedVectors);
  if (!border)
    return work.refuse(here, "the indices of " + step.operand.str() +
                                 " are no sums of iterators, or the copy would be large");
  for (const ir::Condition& condition : border->conditions)
    if (!llvm::is_contained(here.conditions, condition))
      return work.refuse(here, "the copy is to have all positions, and not to be large: " +
                                   text(border->conditions) + " { ... }");
  ir::Block block = std::move(border->copy);
  here.op.inputs[*input] = std::move(border->operand);
  transforms::canonicalize(work.builder, here.op, block);
  here.bordered.insert(*input);
  std::erase_if(here.contiguous, [&](const auto& fact) { return fact.first == *input; });
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
