// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/instructions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/scalar.h"

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

// How an element becomes one of the instruction's: as it is, widened, or moved by half the range, which takes all bits.
enum class Fit : uint8_t { No, Yes, Moved };
Fit fitOf(ScalarType own, const ir::Instruction& instruction, size_t side) {
  const ScalarType wanted = instruction.elements[side];
  const unsigned most = ir::info(instruction.operands[side]).bits;
  const ir::TypeInfo &from = ir::info(own), &to = ir::info(wanted);
  if (own == wanted && from.bits == most) return Fit::Yes;
  if (!from.isInteger() || !to.isInteger() || from.bits > most) return Fit::No;
  if (ir::widensTo(own, wanted)) return Fit::Yes;
  return ir::info(ir::inBytes(own)).bits == most ? Fit::Moved : Fit::No;
}

// Whether it is the same for all elements.
bool isFree(const ValueRef& value) {
  bool free = true;
  ir::forEach(value, [&](const ir::Value& node) {
    auto* index = std::get_if<ir::IndexRef>(&node.node);
    free &= !std::holds_alternative<ir::OperandRef>(node.node) &&
            !(index && index->index.hasIterators());
  });
  return free;
}

bool isInput(const ValueRef& value, size_t input) {
  auto* operand = std::get_if<ir::OperandRef>(&value->node);
  return operand && operand->operand == input;
}

// x - zero, where x is an input that is widened: x and what is subtracted.
struct Shifted {
  ValueRef element, zero;
};
std::optional<Shifted> shifted(const ValueRef& value, size_t input) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || !ir::info(value->type).isInteger() || call->args.size() != 2) return std::nullopt;
  auto isElement = [&](const ValueRef& arg) {
    auto* cast = std::get_if<ir::Cast>(&arg->node);
    return cast && isInput(cast->arg, input);
  };
  const ValueRef &x = call->args[0], &y = call->args[1];
  if (call->function == Function::Sub && isElement(x) && isFree(y)) return Shifted{x, y};
  if (call->function != Function::Add) return std::nullopt;
  if (isElement(x) && isFree(y)) return Shifted{x, ir::makeCall(Function::Neg, {y})};
  if (isElement(y) && isFree(x)) return Shifted{y, ir::makeCall(Function::Neg, {x})};
  return std::nullopt;
}

// The payload without the zero points of these inputs, which go to `by`.
ValueRef withoutZeros(ValueRef payload, Instructed& by) {
  for (size_t side = 0; side < 2; ++side)
    payload = ir::rewrite(payload, [&](const ValueRef& value) -> ValueRef {
      auto found = shifted(value, by.inputs[side]);
      if (!found) return nullptr;
      by.shifts[side] = found->zero;
      return found->element;
    });
  return payload;
}

std::optional<Instructed> withInputs(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const ir::Instruction& instruction, size_t a, size_t b) {
  Instructed result{&instruction, {a, b}};
  const ValueRef payload = withoutZeros(op.results[0], result);
  for (size_t side = 0; side < 2; ++side) {
    const ir::Operand& input = op.inputs[result.inputs[side]];
    const ScalarType own = kernel.tensors[input.tensor].type;
    const Fit fit = fitOf(own, instruction, side);
    if (fit == Fit::No) return std::nullopt;
    if (fit != Fit::Moved) continue;
    result.isMoved[side] = true;
    // Half the range is added to what is signed, or taken from what is not.
    const int64_t half = int64_t{1} << (8 * ir::info(own).bytes() - 1);
    const ValueRef by = ir::makeLiteral(
        instruction.sum,
        ir::integerNumber(instruction.sum,
                          static_cast<uint64_t>(ir::info(own).isSigned() ? half : -half)));
    ValueRef& shift = result.shifts[side];
    shift = shift ? ir::makeCall(Function::Add, {shift, by}) : by;
  }
  const ValueRef wanted = ir::rewrite(instruction.term, [&](const ValueRef& value) -> ValueRef {
    auto* operand = std::get_if<ir::OperandRef>(&value->node);
    if (!operand) return nullptr;
    const auto number = static_cast<unsigned>(operand->operand < 2 ? result.inputs[operand->operand]
                                                                   : op.inputs.size());
    return ir::makeValue(kernel.tensors[op.operand(number).tensor].type, ir::OperandRef{number});
  });
  return isAlike(wanted, payload) ? std::optional(result) : std::nullopt;
}

ValueRef literal(const ir::Instruction& instruction, uint64_t bits) {
  return ir::makeLiteral(instruction.word(), {0.0, bits});
}

ScalarType unsignedOf(unsigned bits) {
  return bits == 8    ? ScalarType::U8
         : bits == 16 ? ScalarType::U16
         : bits == 32 ? ScalarType::U32
                      : ScalarType::U64;
}

// In each element of a word the bit of half its range.
uint64_t halvesOf(const ir::Instruction& instruction, size_t side) {
  const unsigned bits = ir::info(instruction.elements[side]).bits;
  uint64_t halves = 0;
  for (unsigned i = 0; i < instruction.count; ++i) halves |= uint64_t{1} << (bits * (i + 1) - 1);
  return halves;
}

ValueRef movedIf(const Instructed& by, size_t input, ValueRef word) {
  if (!by.isMoved[by.side(input)]) return word;
  return ir::makeCall(
      Function::Xor,
      {std::move(word), literal(*by.instruction, halvesOf(*by.instruction, by.side(input)))});
}

// What is not moved is better, and what comes first in the op is moved better than others.
size_t movesOf(const Instructed& by) {
  size_t moves = 0;
  for (size_t side = 0; side < 2; ++side)
    if (by.isMoved[side]) moves += 1 + by.inputs[side];
  return moves;
}

// Whether it adds more products for its cost, or as many and less is moved.
bool isBetter(const Instructed& one, const Instructed& other) {
  const ir::Instruction &a = *one.instruction, &b = *other.instruction;
  const auto products = a.count * static_cast<unsigned>(b.cost),
             others = b.count * static_cast<unsigned>(a.cost);
  return products != others ? products > others : movesOf(one) < movesOf(other);
}

}  // namespace

bool has(const target::Target& target, const ir::Instruction& instruction) {
  return target.features.hasAny(instruction.features);
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
      if (found && (!best || movesOf(*found) < movesOf(*best))) best = found;
    }
  return best;
}

std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const target::Target& target, bool keepsOrder) {
  std::optional<Instructed> best;
  for (const ir::Instruction& instruction : ir::allInstructions()) {
    if (!has(target, instruction) || !isAllowed(instruction, keepsOrder)) continue;
    auto found = instructed(kernel, op, instruction);
    if (found && (!best || isBetter(*found, *best))) best = found;
  }
  return best;
}

bool isWordInMemory(const Instructed& by, ScalarType element) {
  const ir::Instruction& instruction = *by.instruction;
  return instruction.side == 1 && !instruction.runsBackwards &&
         ir::info(element).bits * instruction.count == ir::info(instruction.word()).bits;
}

ValueRef wordOf(const Instructed& by, size_t input, std::vector<ValueRef> elements) {
  const ir::Instruction& instruction = *by.instruction;
  const ScalarType type = instruction.elements[by.side(input)];
  const unsigned bits = ir::info(type).bits, each = 32 / bits;
  // Of 64 bits the lower half, and the upper one, so that most is done in vectors of 32.
  std::vector<ValueRef> words(instruction.count / each);
  for (unsigned k = 0; k < instruction.count; ++k) {
    // Floats come as the integers that have their bits.
    ValueRef element = elements[k];
    if (ir::info(type).isInteger()) element = ir::makeCast(type, std::move(element));
    element = ir::makeCast(ScalarType::I32, ir::makeCast(unsignedOf(bits), std::move(element)));
    const unsigned place = instruction.place(k);
    if (place % each > 0)
      element = ir::makeCall(
          Function::Shl, {std::move(element),
                          ir::makeLiteral(ScalarType::I32, {0.0, uint64_t{place % each} * bits})});
    ValueRef& word = words[place / each];
    word = word ? ir::makeCall(Function::Or, {std::move(word), std::move(element)}) : element;
  }
  if (by.isMoved[by.side(input)]) {
    const uint64_t halves = halvesOf(instruction, by.side(input)) & UINT32_MAX;
    for (ValueRef& word : words)
      word = ir::makeCall(Function::Xor,
                          {std::move(word), ir::makeLiteral(ScalarType::I32, {0.0, halves})});
  }
  return words.size() == 1 ? words[0] : ir::joinedHalves(words[0], words[1]);
}

ValueRef wordOf(const Instructed& by, size_t input, const ValueRef& neighbours,
                ScalarType element) {
  const ir::Instruction& instruction = *by.instruction;
  const unsigned bits = ir::info(element).bits;
  const ScalarType whole = unsignedOf(ir::info(neighbours->type).bits);
  if (neighbours->type == instruction.word() && !instruction.runsBackwards)
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

ValueRef elementsOf(const Instructed& by, size_t input, const ValueRef& word) {
  const ir::Instruction& instruction = *by.instruction;
  const size_t other = 1 - by.side(input);
  const unsigned bits = ir::info(instruction.elements[other]).bits;
  uint64_t ones = 0;
  for (unsigned i = 0; i < instruction.count; ++i) ones |= uint64_t{1} << (bits * i);
  const ValueRef all = literal(instruction, ones);
  return other == 0 ? productsOf(by, all, word) : productsOf(by, word, all);
}

ValueRef takenOf(const Instructed& by, size_t input, const ValueRef& sum,
                 const affine::Expr& terms) {
  const size_t side = by.side(input);
  ValueRef all = sum;
  // What both are moved by is counted once.
  if (side == 1 && by.shifts[1]) {
    const ValueRef count =
        ir::makeCast(sum->type, ir::makeValue(ScalarType::I64, ir::IndexRef{terms}));
    all = ir::makeCall(Function::Sub, {all, ir::makeCall(Function::Mul, {count, by.shifts[1]})});
  }
  return ir::makeCall(Function::Mul, {by.shifts[1 - side], all});
}

ValueRef zeroOf(const Instructed& by, size_t input, ScalarType type) {
  const bool isMoved = by.isMoved[by.side(input)];
  return ir::makeLiteral(
      type,
      isMoved ? ir::integerNumber(type, uint64_t{1} << (ir::info(type).bits - 1)) : ir::Number{});
}

}  // namespace einc::strategy
