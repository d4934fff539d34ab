// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/factors.h"

#include <utility>

#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using ir::Function;
using ir::StructuredOp;
using ir::ValueRef;

Addend negated(Addend term) { return {std::move(term.value), !term.isNegative}; }

// What an integer may be.
struct Range {
  int64_t least, most;
};
Range rangeOf(const ValueRef& value) {
  auto* cast = std::get_if<ir::Cast>(&value->node);
  if (cast && ir::widensTo(cast->arg->type, value->type)) return rangeOf(cast->arg);
  const ir::TypeInfo& type = ir::info(value->type);
  const int64_t count = int64_t{1} << type.bits;
  return type.isSigned() ? Range{-count / 2, count / 2 - 1} : Range{0, count - 1};
}

// Whether a sum or a difference is the same in a wider type.
bool isExact(const ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || ir::info(value->type).bits > 32) return false;
  if (call->function != Function::Add && call->function != Function::Sub) return false;
  const Range a = rangeOf(call->args[0]), b = rangeOf(call->args[1]);
  const bool isSum = call->function == Function::Add;
  const Range all{isSum ? a.least + b.least : a.least - b.most,
                  isSum ? a.most + b.most : a.most - b.least};
  const Range own = rangeOf(ir::makeValue(value->type, ir::OperandRef{0}));
  return all.least >= own.least && all.most <= own.most;
}

// The terms of a value. Sums of less bits are so, too, where nothing is lost.
struct TermList {
  std::vector<Addend> all;
  bool areWidened = false;

  void add(const ValueRef& value, bool isNegative) {
    if (auto* cast = std::get_if<ir::Cast>(&value->node))
      return addCast(value, cast->arg, isNegative);
    auto* call = std::get_if<ir::Call>(&value->node);
    const bool isSum = call && (call->function == Function::Add || call->function == Function::Sub);
    if (call && call->function == Function::Neg) return add(call->args[0], !isNegative);
    if (!isSum) return all.push_back({value, isNegative});
    add(call->args[0], isNegative);
    add(call->args[1], isNegative != (call->function == Function::Sub));
  }

 private:
  void addCast(const ValueRef& value, const ValueRef& arg, bool isNegative) {
    auto* inner = std::get_if<ir::Cast>(&arg->node);
    const bool isWide = ir::info(arg->type).isInteger() && ir::widensTo(arg->type, value->type);
    if (isWide && inner && ir::widensTo(inner->arg->type, arg->type)) {
      areWidened = true;
      return addCast(ir::makeCast(value->type, inner->arg), inner->arg, isNegative);
    }
    if (!isWide || !isExact(arg)) return all.push_back({value, isNegative});
    areWidened = true;
    const auto& call = std::get<ir::Call>(arg->node);
    add(ir::makeCast(value->type, call.args[0]), isNegative);
    add(ir::makeCast(value->type, call.args[1]), isNegative != (call.function == Function::Sub));
  }
};

std::optional<Factor> factorOf(const StructuredOp& op, const ValueRef& value) {
  TermList terms;
  terms.add(value, false);
  std::vector<Addend> elements, numbers, zeros;
  std::set<unsigned> inputs;
  for (const Addend& term : terms.all) {
    const std::set<unsigned> own = operandsIn(term.value);
    if (llvm::any_of(own, [&](unsigned i) { return i >= op.inputs.size(); })) return std::nullopt;
    const bool isElement = llvm::any_of(own, [&](unsigned i) {
      return llvm::any_of(transforms::iteratorsOf(op.inputs[i]),
                          [&](const std::string& name) { return isSummed(op, name); });
    });
    if (isElement) inputs.insert(own.begin(), own.end());
    (isElement ? elements : own.empty() ? numbers : zeros).push_back(term);
  }
  if (inputs.size() != 1) return std::nullopt;
  Factor factor;
  factor.isOther = terms.areWidened || numbers.size() > 1 || !zeros.empty();
  const Addend element = sumOf(elements);
  Addend number = sumOf(numbers);
  factor.zero = sumOf(zeros);
  factor.isNegative = element.isNegative;
  if (element.isNegative) {
    number = negated(number);
    factor.zero = negated(factor.zero);
  }
  factor.element = plus(element.value, number);
  factor.input = *inputs.begin();
  return factor;
}

}  // namespace

ValueRef plus(const ValueRef& value, const Addend& term) {
  if (!term.value) return value;
  return ir::makeCall(term.isNegative ? Function::Sub : Function::Add, {value, term.value});
}

Addend sumOf(const std::vector<Addend>& terms) {
  Addend sum;
  for (bool isNegative : {false, true})
    for (const Addend& term : terms) {
      if (term.isNegative != isNegative) continue;
      sum = sum.value ? Addend{plus(sum.value, {term.value, isNegative != sum.isNegative}),
                               sum.isNegative}
                      : term;
    }
  return sum;
}

std::set<unsigned> operandsIn(const ValueRef& value) {
  std::set<unsigned> found;
  ir::forEach(value, [&](const ir::Value& node) {
    if (auto* operand = std::get_if<ir::OperandRef>(&node.node)) found.insert(operand->operand);
  });
  return found;
}

bool isSummed(const StructuredOp& op, const std::string& iterator) {
  return llvm::is_contained(op.iterators, ir::Iterator{iterator, ir::IteratorKind::Reduction});
}

std::optional<Product> productOf(const StructuredOp& op) {
  const ir::TypeInfo& type = ir::info(op.results[0]->type);
  auto* sum = std::get_if<ir::Call>(&op.results[0]->node);
  if (!sum || !type.isInteger() || type.bits < 32) return std::nullopt;
  if (sum->function != Function::Add && sum->function != Function::Sub) return std::nullopt;
  auto isOutput = [&](const ValueRef& value) {
    auto* operand = std::get_if<ir::OperandRef>(&value->node);
    return operand && operand->operand == op.inputs.size();
  };
  const bool isLast = sum->function == Function::Add && isOutput(sum->args[1]);
  if (!isLast && !isOutput(sum->args[0])) return std::nullopt;
  auto* call = std::get_if<ir::Call>(&sum->args[isLast ? 0 : 1]->node);
  if (!call || call->function != Function::Mul) return std::nullopt;
  auto a = factorOf(op, call->args[0]), b = factorOf(op, call->args[1]);
  if (!a || !b || a->input == b->input) return std::nullopt;
  const bool isNegative = (sum->function == Function::Sub) != (a->isNegative != b->isNegative);
  if (!isNegative && !a->isOther && !b->isOther) return std::nullopt;
  return Product{{std::move(*a), std::move(*b)}, isNegative};
}

}  // namespace einc::strategy
