// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   words A along k for vpdpbusd
#include <utility>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/verbs/pack_words.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

// Whether the input is a copy with a border, whose neighbours are those along the iterator.
bool liesAlong(const At& here, size_t input, size_t spec, const std::string& iterator) {
  if (here.bordered.count(input) == 0) return false;
  const std::map<std::string, std::string> names = here.stepNames();
  const auto found = names.find(iterator);
  const std::string& name = found == names.end() ? iterator : found->second;
  const ir::Operand& operand = here.spec->inputs[spec];
  return contiguousIn(operand, {name}) == name &&
         llvm::count_if(operand.map, [&](const Expr& e) { return e.mentions(name); }) == 1;
}

// Why there is no word at each of some positions along the input, or what is not in it would be read.
std::optional<std::string> noWords(const Work& work, const At& here, size_t input,
                                   const WordsStep& step, const Instructed& by) {
  const int64_t count = by.instruction->count;
  const std::string name = here.actualName(step.along);
  const ir::Operand& operand = here.op.inputs[input];
  if (!here.isReduction(step.along) || !llvm::is_contained(transforms::iteratorsOf(operand), name))
    return "words go along a reduction of " + step.operand.str();
  if (!isWordInMemory(by, work.builder.kernel().tensors[operand.tensor].type))
    return "neighbours of " + step.operand.str() + " are no words as " + step.instruction +
           " reads them: pack it";
  const auto spec = here.inSpec(input);
  if (!spec || here.withZeros.count(input) != 0 ||
      (here.spec->inputs[*spec].pad && here.bordered.count(input) == 0))
    return "what may be outside is no word in memory: border " + step.operand.str() + " before";
  if (here.contiguous.count({input, name}) == 0 && !isLine(here, input, name) &&
      !liesAlong(here, input, *spec, name))
    return "words are neighbours in memory: when contiguous(" + step.operand.str() + ", " +
           step.along + ") { ... }";
  if (!isWhole(here, work.extent(here, name), transforms::constant(count)))
    return "all words are whole: when " + step.along + " mod " + std::to_string(count) +
           " == 0 { ... }";
  return std::nullopt;
}

// Why words of the second input are no vectors along another iterator, if they are not neighbours along their own.
std::optional<std::string> notInLine(const Work& work, const At& here, const InWords& words) {
  if (!isLine(here, words.input, words.along)) return std::nullopt;
  if (work.extent(here, words.along) != transforms::constant(words.by.instruction->count))
    return "a word is all that '" + words.along + "' has";
  if (words.by.isSummed(words.input) || words.by.isSummed(here.words->input)) return summedText();
  return std::nullopt;
}

}  // namespace

bool keepsInputs(const Step& step) {
  return std::visit(
      []<typename Verb>(const Verb&) {
        return std::is_same_v<Verb, TileStep> || std::is_same_v<Verb, KeepStep> ||
               std::is_same_v<Verb, WhenStep> || std::is_same_v<Verb, LetStep> ||
               std::is_same_v<Verb, PackStep> || std::is_same_v<Verb, WordsStep> ||
               std::is_same_v<Verb, TablesStep> || std::is_same_v<Verb, FunctionStep>;
      },
      step.node);
}

bool areWordsWhole(const At& here, const Expr& by) {
  const Expr count = transforms::constant(here.words->by.instruction->count);
  const std::vector<Expr>* of = here.minima.of(by);
  return isWhole(here, by, count) ||
         (of && llvm::all_of(*of, [&](const Expr& one) { return isWhole(here, one, count); }));
}

ir::Block apply(const Work& work, At here, const WordsStep& step) {
  auto input = here.operand(step.operand);
  if (!input) return work.refuse(here, noOperand(here, step.operand));
  if (*input >= here.op.inputs.size())
    return work.refuse(here, step.operand.str() + " is an output: inputs are read in words");
  if (!here.packed.empty() || (here.words && here.words->input == *input))
    return work.refuse(here, "'words' stands once for an input, before what packs the other one");
  if (!here.padded.empty())
    return work.refuse(here, "'words' stands behind the test of what may be outside");
  if (ir::usesPositions(here.op)) return work.refuse(here, "the payload computes with positions");
  auto by = instructedBy(work, here, step.instruction);
  if (!by) return work.refuse(here, by.reason());
  if (!llvm::is_contained(by->inputs, *input))
    return work.refuse(here, step.instruction + " does not multiply " + step.operand.str());
  if (auto why = noWords(work, here, *input, step, *by)) return work.refuse(here, *why);
  InWords words{*input, here.actualName(step.along), *by};
  if (!here.words) {
    here.words = std::move(words);
    return work.rest(std::move(here));
  }
  if (here.words->along != words.along || here.words->by.instruction != by->instruction)
    return work.refuse(here,
                       "words of both inputs are of one instruction, along the same iterator");
  if (auto why = notInLine(work, here, words)) return work.refuse(here, *why);
  ir::Block block;
  readBothWords(work, here, words, block);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
