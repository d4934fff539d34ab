// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/neutral.h"

#include <cmath>
#include <limits>

#include "compiler/frontend/prover.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/scalar.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

using ir::Number;
using ir::ScalarType;
using ir::ValueRef;

constexpr size_t kProofSteps = 20000;
constexpr size_t kMostTrials = 64;
constexpr size_t kMostOutputs = 3;  // whose candidates are combined

}  // namespace

std::optional<Number> evaluate(const ir::Value& value, const LeafValue& leaf) {
  if (auto* literal = std::get_if<ir::Literal>(&value.node)) return literal->number;
  if (auto* cast = std::get_if<ir::Cast>(&value.node)) {
    auto arg = evaluate(*cast->arg, leaf);
    return arg ? std::optional(ir::convert(*arg, cast->arg->type, value.type)) : std::nullopt;
  }
  auto* call = std::get_if<ir::Call>(&value.node);
  if (!call) return leaf(value);
  Numbers args;
  for (const ValueRef& arg : call->args) {
    auto number = evaluate(*arg, leaf);
    if (!number) return std::nullopt;
    args.push_back(*number);
  }
  return ir::apply(call->function, call->args.back()->type, args);
}

namespace {

std::optional<Number> evaluateOn(const ir::Value& value, const Numbers& operands) {
  return evaluate(value, [&](const ir::Value& leaf) -> std::optional<Number> {
    auto* reference = std::get_if<ir::OperandRef>(&leaf.node);
    if (!reference || reference->operand >= operands.size()) return std::nullopt;
    return operands[reference->operand];
  });
}

Numbers combine(const Combination& c, const Numbers& a, const Numbers& b) {
  Numbers operands = a, results;
  operands.insert(operands.end(), b.begin(), b.end());
  for (const ValueRef& result : c.results)
    results.push_back(evaluateOn(*result, operands).value_or(Number{}));
  return results;
}

}  // namespace

Number numberOf(ScalarType type, int value) {
  if (ir::info(type).isFloat()) return {static_cast<double>(value), 0};
  return ir::integerNumber(type, static_cast<uint64_t>(value));
}

Numbers ordinary(ScalarType type) {
  Numbers numbers;
  for (int value : {5, 2, 1, 3, 7}) numbers.push_back(numberOf(type, value));
  if (type == ScalarType::Bool) numbers = {numberOf(type, 1), numberOf(type, 0)};
  return numbers;
}

namespace {

Numbers special(ScalarType type) {
  Numbers numbers = ordinary(type);
  if (type == ScalarType::Bool) return numbers;
  numbers.insert(numbers.begin() + 1, numberOf(type, 0));
  if (ir::info(type).isFloat()) numbers.push_back({0.5, 0});
  if (ir::info(type).cls != ir::TypeClass::Unsigned) numbers.push_back(numberOf(type, -3));
  for (bool highest : {false, true}) numbers.push_back(ir::endOf(type, highest));
  return numbers;
}

// Values to try: of one output all, of several a part of all combinations.
std::vector<Numbers> trials(const std::vector<ScalarType>& types, bool withSpecial) {
  std::vector<Numbers> result;
  if (types.size() == 1) {
    for (const Number& number : withSpecial ? special(types[0]) : ordinary(types[0]))
      result.push_back({number});
    return result;
  }
  for (size_t trial = 0; trial < kMostTrials; ++trial) {
    Numbers values;
    for (size_t i = 0; i < types.size(); ++i) {
      Numbers numbers = ordinary(types[i]);
      values.push_back(numbers[(trial + trial / numbers.size() * i) % numbers.size()]);
    }
    result.push_back(std::move(values));
  }
  return result;
}

// Equal up to roundings of the last digits and the sign of zero.
bool isClose(ScalarType type, const Number& a, const Number& b, int digits) {
  if (!ir::info(type).isFloat()) return a.asBits == b.asBits;
  double x = a.asFloat, y = b.asFloat;
  if (x == y || (std::isnan(x) && std::isnan(y))) return true;
  return std::fabs(x - y) <= std::ldexp(std::fmax(std::fabs(x), std::fabs(y)), -digits);
}

}  // namespace

bool areClose(const std::vector<ScalarType>& types, const Numbers& a, const Numbers& b,
              bool roughly) {
  for (size_t i = 0; i < types.size(); ++i) {
    int digits = static_cast<int>(ir::precision(types[i]));
    if (!isClose(types[i], a[i], b[i], roughly ? digits / 2 : digits - 4)) return false;
  }
  return true;
}

std::string numbersText(const std::vector<ScalarType>& types, const Numbers& numbers) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < types.size(); ++i) {
    bool isNaN = ir::info(types[i]).isFloat() && std::isnan(numbers[i].asFloat);
    std::string text = isNaN ? "nan" : ir::literalText(types[i], numbers[i]);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    texts.push_back(std::move(text));
  }
  return texts.size() == 1 ? texts[0] : "(" + joined(texts) + ")";
}

namespace {

// "combine(1, 2) = 3"
std::string callText(const Combination& c, const Numbers& a, const Numbers& b) {
  return "combine(" + numbersText(c.types, a) + ", " + numbersText(c.types, b) +
         ") = " + numbersText(c.types, combine(c, a, b));
}

bool prove(const Combination& c, const Numbers& candidate) {
  size_t n = c.types.size();
  Prover prover(kProofSteps);
  for (size_t i = 0; i < n; ++i) {
    ValueRef filled = ir::rewrite(c.results[i], [&](const ValueRef& value) -> ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference || reference->operand >= n) return nullptr;
      return ir::makeLiteral(value->type, candidate[reference->operand]);
    });
    ValueRef wanted = ir::makeValue(c.types[i], ir::OperandRef{static_cast<unsigned>(n + i)});
    if (!ir::equal(prover.simplify(filled), wanted)) return false;
  }
  return true;
}

Numbers candidates(ScalarType type) {
  Numbers numbers = {numberOf(type, 0), numberOf(type, 1)};
  if (type == ScalarType::Bool) return numbers;
  for (bool highest : {false, true}) numbers.push_back(ir::endOf(type, highest));
  numbers.push_back(numberOf(type, -1));
  return numbers;
}

}  // namespace

std::optional<Numbers> deriveNeutral(const Combination& combination) {
  size_t n = combination.types.size();
  if (n > kMostOutputs) return std::nullopt;
  std::vector<Numbers> choices;
  size_t count = 1;
  for (ScalarType type : combination.types) {
    choices.push_back(candidates(type));
    count *= choices.back().size();
  }
  for (size_t which = 0; which < count; ++which) {
    Numbers candidate;
    size_t digits = which;
    for (const Numbers& choice : choices) {
      candidate.push_back(choice[digits % choice.size()]);
      digits /= choice.size();
    }
    if (!refuteNeutral(combination, candidate) && prove(combination, candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> refuteNeutral(const Combination& c, const Numbers& neutral) {
  for (const Numbers& x : trials(c.types, /*withSpecial=*/true))
    if (!areClose(c.types, combine(c, neutral, x), x, /*roughly=*/false))
      return callText(c, neutral, x);
  return std::nullopt;
}

std::optional<std::string> refuteLaws(const Combination& c) {
  std::vector<Numbers> values = trials(c.types, /*withSpecial=*/false);
  auto second = [&](size_t i) -> const Numbers& { return values[(i * 7 + 5) % values.size()]; };
  for (size_t i = 0; i < values.size(); ++i) {
    const Numbers &x = values[i], &y = second(i);
    if (!areClose(c.types, combine(c, x, y), combine(c, y, x), /*roughly=*/true))
      return "not commutative: " + callText(c, x, y) + ", " + callText(c, y, x);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Numbers &x = values[i], &y = second(i), &z = values[(i * 3 + 2) % values.size()];
    Numbers left = combine(c, x, y), right = combine(c, y, z);
    if (!areClose(c.types, combine(c, left, z), combine(c, x, right), /*roughly=*/true))
      return "not associative: " + callText(c, left, z) + ", " + callText(c, x, right);
  }
  return std::nullopt;
}

bool keepsLawsAtEnds(const Combination& c) {
  if (refuteLaws(c)) return false;
  const std::vector<Numbers> values = trials(c.types, /*withSpecial=*/true);
  auto same = [&](const Numbers& a, const Numbers& b) {
    return areClose(c.types, a, b, /*roughly=*/true);
  };
  if (c.types.size() > 1) return true;  // not all values go together
  for (const Numbers& x : values)
    for (const Numbers& y : values) {
      const Numbers left = combine(c, x, y);
      if (!same(left, combine(c, y, x))) return false;
      for (const Numbers& z : values)
        if (!same(combine(c, left, z), combine(c, x, combine(c, y, z)))) return false;
    }
  return true;
}

std::optional<Number> constantValue(const ValueRef& value) { return evaluateOn(*value, {}); }

ValueRef foldConstants(const ValueRef& value) { return Prover(kProofSteps).simplify(value); }

}  // namespace einc::frontend
