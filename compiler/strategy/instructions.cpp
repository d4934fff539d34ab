// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/instructions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::ValueRef;

// The same but for the order of what is added or multiplied.
bool isAlike(const ValueRef& a, const ValueRef& b) {
  if (a->type != b->type) return false;
  auto* x = std::get_if<ir::Call>(&a->node);
  auto* y = std::get_if<ir::Call>(&b->node);
  if (auto* cast = std::get_if<ir::Cast>(&a->node)) {
    auto* other = std::get_if<ir::Cast>(&b->node);
    return other && isAlike(cast->arg, other->arg);
  }
  if (!x || !y) return ir::equal(a, b);
  if (x->function != y->function || x->args.size() != y->args.size()) return false;
  auto inOrder = [&](bool turned) {
    for (size_t i = 0; i < x->args.size(); ++i)
      if (!isAlike(x->args[i], y->args[turned ? x->args.size() - 1 - i : i])) return false;
    return true;
  };
  const bool isEitherWay = x->function == Function::Add || x->function == Function::Mul;
  return inOrder(false) || (isEitherWay && inOrder(true));
}

// How an element becomes one of the instruction's: as it is, widened, or moved by half the range.
enum class Fit : uint8_t { No, Yes, Moved };
Fit fitOf(ScalarType own, ScalarType wanted) {
  const ir::TypeInfo &from = ir::info(own), &to = ir::info(wanted);
  if (own == wanted) return Fit::Yes;
  if (!from.isInteger() || !to.isInteger()) return Fit::No;
  if (from.bits == to.bits) return Fit::Moved;
  return ir::widensTo(own, wanted) ? Fit::Yes : Fit::No;
}

std::optional<Instructed> withInputs(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const ir::Instruction& instruction, size_t a, size_t b) {
  Instructed result{&instruction, {a, b}, std::nullopt};
  for (size_t side = 0; side < 2; ++side) {
    const ir::Operand& input = op.inputs[result.inputs[side]];
    const Fit fit = fitOf(kernel.tensors[input.tensor].type, instruction.elements[side]);
    if (fit == Fit::No || (fit == Fit::Moved && result.moved)) return std::nullopt;
    if (fit == Fit::Moved) result.moved = side;
  }
  const ValueRef wanted = ir::rewrite(instruction.term, [&](const ValueRef& value) -> ValueRef {
    auto* operand = std::get_if<ir::OperandRef>(&value->node);
    if (!operand) return nullptr;
    const auto number = static_cast<unsigned>(operand->operand < 2 ? result.inputs[operand->operand]
                                                                   : op.inputs.size());
    return ir::makeValue(kernel.tensors[op.operand(number).tensor].type, ir::OperandRef{number});
  });
  return isAlike(wanted, op.results[0]) ? std::optional(result) : std::nullopt;
}

ValueRef literal(uint64_t bits) { return ir::makeLiteral(ScalarType::I32, {0.0, bits}); }

ScalarType unsignedOf(unsigned bits) {
  return bits == 8 ? ScalarType::U8 : bits == 16 ? ScalarType::U16 : ScalarType::U32;
}

// In each element of a word the bit of half its range.
uint64_t halvesOf(const ir::Instruction& instruction, size_t side) {
  const unsigned bits = ir::info(instruction.elements[side]).bits;
  uint64_t halves = 0;
  for (unsigned i = 0; i < instruction.count; ++i) halves |= uint64_t{1} << (bits * (i + 1) - 1);
  return halves;
}

ValueRef movedIf(const Instructed& by, size_t input, ValueRef word) {
  if (!by.isMoved(input)) return word;
  return ir::makeCall(Function::Xor,
                      {std::move(word), literal(halvesOf(*by.instruction, by.side(input)))});
}

}  // namespace

bool has(const target::Target& target, const ir::Instruction& instruction) {
  if (target.architecture != target::Architecture::X86 || target.vectorBytes < 16) return false;
  switch (instruction.feature) {
    case ir::Feature::Sse2:
      return true;
    case ir::Feature::Vnni:
      return target.hasVnni;
    case ir::Feature::Bf16:
      return target.hasBf16;
  }
  return false;
}

bool isAllowed(const ir::Instruction& instruction, bool keepsOrder) {
  return !keepsOrder || !ir::info(instruction.sum).isFloat();
}

std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const ir::Instruction& instruction) {
  if (op.outputs.size() != 1 || op.combiner) return std::nullopt;
  std::optional<Instructed> best;
  for (size_t a = 0; a < op.inputs.size(); ++a)
    for (size_t b = 0; b < op.inputs.size(); ++b) {
      if (a == b) continue;
      auto found = withInputs(kernel, op, instruction, a, b);
      // What is not moved is better, and what comes first in the op is moved better than others.
      auto rank = [](const Instructed& by) { return by.moved ? 1 + by.inputs[*by.moved] : 0; };
      if (found && (!best || rank(*found) < rank(*best))) best = found;
    }
  return best;
}

std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const target::Target& target, bool keepsOrder) {
  for (const ir::Instruction& instruction : ir::allInstructions())
    if (has(target, instruction) && isAllowed(instruction, keepsOrder))
      if (auto found = instructed(kernel, op, instruction)) return found;
  return std::nullopt;
}

ValueRef wordOf(const Instructed& by, size_t input, std::vector<ValueRef> elements) {
  const ir::Instruction& instruction = *by.instruction;
  const ScalarType type = instruction.elements[by.side(input)];
  const unsigned bits = ir::info(type).bits;
  ValueRef word;
  for (unsigned k = 0; k < instruction.count; ++k) {
    // Floats come as the integers that have their bits.
    ValueRef element = elements[k];
    if (ir::info(type).isInteger()) element = ir::makeCast(type, std::move(element));
    element = ir::makeCast(ScalarType::I32, ir::makeCast(unsignedOf(bits), std::move(element)));
    if (const unsigned place = instruction.place(k); place > 0)
      element = ir::makeCall(Function::Shl, {std::move(element), literal(place * bits)});
    word = word ? ir::makeCall(Function::Or, {std::move(word), std::move(element)}) : element;
  }
  return movedIf(by, input, std::move(word));
}

ValueRef wordOf(const Instructed& by, size_t input, const ValueRef& neighbours,
                ScalarType element) {
  const ir::Instruction& instruction = *by.instruction;
  const unsigned bits = ir::info(element).bits;
  const ScalarType whole = unsignedOf(ir::info(neighbours->type).bits);
  if (ir::info(whole).bits == 32 && !instruction.runsBackwards)
    return movedIf(by, input, neighbours);
  std::vector<ValueRef> elements;
  for (unsigned k = 0; k < instruction.count; ++k) {
    ValueRef part = ir::makeCast(whole, neighbours);
    if (k > 0)
      part = ir::makeCall(Function::Shr, {part, ir::makeLiteral(whole, {0.0, uint64_t{k} * bits})});
    part = ir::makeCast(unsignedOf(bits), std::move(part));
    elements.push_back(ir::info(element).isInteger() ? ir::makeCast(element, std::move(part))
                                                     : std::move(part));
  }
  return wordOf(by, input, std::move(elements));
}

ValueRef productsOf(const Instructed& by, const ValueRef& a, const ValueRef& b) {
  const ScalarType sum = by.instruction->sum;
  return ir::makeValue(sum,
                       ir::Instruct{by.instruction, {ir::makeLiteral(sum, ir::Number{}), a, b}});
}

ValueRef movedProductsOf(const Instructed& by, const ValueRef& word) {
  const ValueRef halves = literal(halvesOf(*by.instruction, *by.moved));
  return *by.moved == 0 ? productsOf(by, halves, word) : productsOf(by, word, halves);
}

}  // namespace einc::strategy
