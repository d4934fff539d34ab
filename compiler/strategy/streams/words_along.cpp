// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/words_along.h"

#include <utility>

#include "compiler/strategy/groups.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;
using transforms::constant;

namespace {

// Whether the input is contiguous along the iterator, as the spec has it, and nothing is read outside.
bool liesAlong(const ir::Operand& input, const std::string& axis) {
  return !input.pad && contiguousIn(input, {axis}) == axis &&
         llvm::count_if(input.map, [&](const Expr& index) { return index.mentions(axis); }) == 1;
}

}  // namespace

WordsAlong::WordsAlong(const Instructed& by, const std::vector<OperandName>& names,
                       const target::Target& target, const std::string& axis)
    : by_(by),
      names_(names),
      target_(target),
      axis_(axis),
      lanes_(target.lanes(static_cast<int>(ir::info(by.instruction->sum).bytes()))) {}

Result<WordsAlong> WordsAlong::of(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const std::vector<OperandName>& names,
                                  const ScheduleOptions& options, const std::string& axis) {
  auto by = instructed(kernel, op, *options.target, options.keepsOrder);
  if (!by) return Reason{"no instruction adds several of its products"};
  if (ir::info(by->instruction->sum).isFloat())
    return Reason{"the instruction's words of floats are packed"};
  for (size_t input : by->inputs)
    if (!isWordInMemory(*by, kernel.tensors[op.inputs[input].tensor].type) ||
        !liesAlong(op.inputs[input], axis))
      return Reason{"an input has no words in memory along '" + axis + "'"};
  return WordsAlong(*by, names, *options.target, axis);
}

Steps WordsAlong::steps(const Sums& sums, const Steps& rest) const {
  if (target_.hasMasks) return withMasks(sums);
  const int64_t unit = terms() * sums.vectors * lanes_;
  Steps left = rest;
  if (sums.vectors > 1) {
    Sums fewer = sums;
    fewer.vectors = 1;
    left = steps(fewer, rest);
  }
  const Expr at = extentOf(axis_).floorDiv(constant(unit)) * constant(unit);
  return wholeAnd(at, inWords(inVectors(sums)), std::move(left));
}

// What is left of a word is elements, of which there are few: lanes of the same sums.
Steps WordsAlong::withMasks(const Sums& sums) const {
  const Expr unit = constant(terms());
  const Steps all = inWords(whole(sums));
  const Steps cut = wholeAnd(extentOf(axis_).floorDiv(unit) * unit, all, {vectors(sums, false)});
  if (sums.terms) return *sums.terms % terms() == 0 ? all : cut;
  return {Step(WhenStep{{{Test::Kind::Equal, extentOf(axis_).mod(unit), constant(0)}}, all, cut},
               "the last word may not be whole")};
}

// Words in whole blocks, and what is left of them.
Steps WordsAlong::whole(const Sums& sums) const {
  const Expr width = constant(sums.vectors * lanes_);
  return wholeAnd(extentOf(axis_).floorDiv(width) * width, inVectors(sums), {vectors(sums, false)});
}

Steps WordsAlong::wholeAnd(const Expr& at, Steps first, Steps rest) const {
  return {Step(CutStep{axis_, at, {}, 0, std::move(first), std::move(rest)},
               "as many as make up whole multiples, then what is left")};
}

Steps WordsAlong::inVectors(const Sums& sums) const {
  return {Step(SplitStep{axis_, sums.vectors * lanes_, sums.block},
               "several vectors, so that sums do not wait for each other"),
          vectors(sums, true)};
}

// The one that is moved comes first: of the other one sums are taken on the way.
Steps WordsAlong::inWords(Steps steps) const {
  const std::string instruction(by_.instruction->name);
  const size_t first = by_.isSummed(by_.inputs[0]) ? 1 : 0;
  steps.insert(steps.begin(), Step(WordsStep{names_[by_.inputs[1 - first]], axis_, instruction},
                                   "both lie along what is added up"));
  steps.insert(steps.begin(), Step(WordsStep{names_[by_.inputs[first]], axis_, instruction},
                                   std::to_string(terms()) + " products are added at once"));
  return steps;
}

Step WordsAlong::vectors(const Sums& sums, bool isAhead) const {
  VectorizeStep step{sums.others};
  step.axes.push_back({axis_, sums.vectors * lanes_});
  if (isAhead) step.ahead = sums.ahead;
  return Step(std::move(step), "sums in lanes, which are added up at the end");
}

}  // namespace einc::strategy
