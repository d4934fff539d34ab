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

using affine::Expr;

constexpr int64_t kMostInBlock = 64;

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

// Why there can be no blocks in the copy: what is added there is to be 0, whatever the copy has.
std::optional<std::string> noBlocks(const Work& work, const At& here, size_t input,
                                    const ir::Axis& blocks) {
  const std::string name = here.actualName(blocks.name);
  if (!here.isReduction(blocks.name)) return "blocks are of positions of a reduction";
  if (blocks.size < 1 || blocks.size > kMostInBlock)
    return "blocks have up to " + std::to_string(kMostInBlock) + " positions";
  const std::optional<Instructed> by =
      instructed(work.builder.kernel(), here.op, *work.options.target, work.options.keepsOrder);
  const bool isProduct = by && llvm::is_contained(by->inputs, input) &&
                         ir::info(by->instruction->sum).isInteger() && !by->shifts[0] &&
                         !by->shifts[1] && here.op.inputs.size() == 2;
  if (!isProduct) return "blocks are for products of integers that an instruction adds";
  const ir::Operand& other = here.op.inputs[1 - input];
  if (other.pad || !llvm::is_contained(transforms::iteratorsOf(other), name))
    return "the other input has '" + blocks.name + "', and is not read outside";
  return std::nullopt;
}

// The other input, as 0 where it has no positions.
ir::Operand withZeros(const Work& work, const ir::Operand& operand, const std::string& name,
                      const Expr& extent, ir::Block& block) {
  const ir::Tensor tensor = work.builder.kernel().tensors[operand.tensor];
  std::vector<Expr> shape = tensor.shape;
  shape[transforms::dimOf(operand, name)] = extent;
  const unsigned view =
      work.builder.tensor("padded_" + tensor.name, tensor.type, std::move(shape), ir::Role::View);
  ir::View zeros{view, operand.tensor, {}, {}, ir::makeLiteral(tensor.type, ir::Number{})};
  for (const Expr& index : operand.map) zeros.map.push_back(index);
  zeros.dims = transforms::iteratorsOf(operand);
  block.push_back({std::move(zeros)});
  return {view, operand.map, nullptr};
}

}  // namespace

ir::Block apply(const Work& work, At here, const BorderStep& step) {
  auto input = here.operand(step.operand);
  if (!input) return work.refuse(here, noOperand(here, step.operand));
  auto own = *input < here.op.inputs.size() ? unchanged(here, *input) : std::nullopt;
  if (!own)
    return work.refuse(here, "'border' stands before steps that change " + step.operand.str());
  if (step.blocks)
    if (auto why = noBlocks(work, here, *input, *step.blocks)) return work.refuse(here, *why);
  if (!here.spec->inputs[*own].pad && !step.blocks)
    return work.refuse(here, step.operand.str() + " is not read outside its tensor");
  auto border = padded(work.builder, *here.spec, *own, work.lanes(here),
                       work.options.target->numbers.convertedVectors, step.blocks);
  if (!border)
    return work.refuse(here, "the indices of " + step.operand.str() +
                                 " are no sums of iterators, or the copy would be large");
  for (const ir::Condition& condition : border->conditions)
    if (!llvm::is_contained(here.conditions, condition))
      return work.refuse(here, "the copy is to have all positions, and not to be large: " +
                                   text(border->conditions) + " { ... }");
  ir::Block block = std::move(border->copy);
  if (step.blocks) {
    const std::string name = here.actualName(step.blocks->name);
    const Expr size = transforms::constant(step.blocks->size);
    ir::Operand& other = here.op.inputs[1 - *input];
    other = withZeros(work, other, name, work.extent(here, name).ceilDiv(size) * size, block);
    here.forgetNeighbours(name);
    here.withZeros.insert(1 - *input);
    here.most.erase(name);
    here.least.erase(name);
    here.rooms.erase(name);
  }
  here.op.inputs[*input] = std::move(border->operand);
  transforms::canonicalize(work.builder, here.op, block);
  here.bordered.insert(*input);
  here.forgetNeighbours(*input);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
