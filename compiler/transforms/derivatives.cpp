// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/derivatives.h"

#include <utility>

#include "compiler/ir/scalar.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::ValueRef;

ValueRef number(ir::ScalarType type, double value) {
  return ir::makeLiteral(type, ir::Number{ir::roundTo(type, value), 0});
}
const ir::Literal* literalOf(const ValueRef& value) {
  return std::get_if<ir::Literal>(&value->node);
}

// Of a * b, where null is 0: numbers stand in front, as one.
ValueRef product(const ValueRef& a, const ValueRef& b) {
  if (!a || !b) return nullptr;
  const ir::Literal *x = literalOf(a), *y = literalOf(b);
  if (x && y) return number(a->type, x->number.asFloat * y->number.asFloat);
  if (y) return product(b, a);
  if (x && x->number.asFloat == 1) return b;
  auto* inner = std::get_if<ir::Call>(&b->node);
  const bool hasNumber = inner && inner->function == Function::Mul && literalOf(inner->args[0]);
  if (x && hasNumber) return product(product(a, inner->args[0]), inner->args[1]);
  if (!x && hasNumber) return product(inner->args[0], product(a, inner->args[1]));
  return ir::makeCall(Function::Mul, {a, b});
}
ValueRef sum(const ValueRef& a, const ValueRef& b) {
  if (!a || !b) return a ? a : b;
  return ir::makeCall(Function::Add, {a, b});
}
ValueRef negative(const ValueRef& a) { return a ? product(number(a->type, -1), a) : nullptr; }

// A value and its derivatives: null is 0.
using Terms = std::vector<ValueRef>;

std::optional<Terms> trimmed(Terms terms) {
  while (terms.size() > 1 && !terms.back()) terms.pop_back();
  return terms.size() > 1 + kMostDerivatives ? std::nullopt : std::optional(std::move(terms));
}
ValueRef at(const Terms& terms, size_t number) {
  return number < terms.size() ? terms[number] : nullptr;
}

double choose(size_t n, size_t k) {
  double result = 1;
  for (size_t i = 0; i < k; ++i)
    result = result * static_cast<double>(n - i) / static_cast<double>(i + 1);
  return result;
}

std::optional<Terms> ofSum(const Terms& a, const Terms& b) {
  Terms result;
  for (size_t k = 0; k < std::max(a.size(), b.size()); ++k)
    result.push_back(sum(at(a, k), at(b, k)));
  return trimmed(std::move(result));
}
Terms ofNegative(const Terms& a) {
  Terms result;
  for (const ValueRef& one : a) result.push_back(negative(one));
  return result;
}
std::optional<Terms> ofProduct(const Terms& a, const Terms& b) {
  Terms result;
  for (size_t k = 0; k + 1 < a.size() + b.size(); ++k) {
    ValueRef all;
    for (size_t i = 0; i <= k; ++i) {
      const ValueRef one = product(at(a, i), at(b, k - i));
      if (one) all = sum(all, product(number(one->type, choose(k, i)), one));
    }
    result.push_back(std::move(all));
  }
  return trimmed(std::move(result));
}
std::optional<Terms> ofSquare(const Terms& a) {
  Terms result;
  for (size_t k = 0; k + 1 < 2 * a.size(); ++k) {
    ValueRef all;
    for (size_t i = 0; 2 * i <= k; ++i) {
      const ValueRef one = product(at(a, i), at(a, k - i));
      const double times = choose(k, i) * (2 * i == k ? 1 : 2);
      if (one) all = sum(all, product(number(one->type, times), one));
    }
    result.push_back(std::move(all));
  }
  return trimmed(std::move(result));
}

// One value: `operand` says how what it reads changes.
class Deriver {
 public:
  explicit Deriver(const DerivativesOf& operand) : operand_(operand) {}

  std::optional<Terms> of(const ValueRef& value) const {
    if (std::holds_alternative<ir::OperandRef>(value->node)) {
      auto own = operand_(value);
      if (!own) return std::nullopt;
      own->insert(own->begin(), value);
      return own;
    }
    if (auto* cast = std::get_if<ir::Cast>(&value->node)) return ofCast(value, cast->arg);
    if (auto* call = std::get_if<ir::Call>(&value->node)) return ofCall(value, *call);
    return Terms{value};
  }

 private:
  std::optional<Terms> ofCast(const ValueRef& value, const ValueRef& from) const {
    auto inner = of(from);
    if (!inner || inner->size() == 1) return inner ? std::optional(Terms{value}) : std::nullopt;
    const bool areFloats = ir::info(value->type).isFloat() && ir::info(from->type).isFloat();
    if (!areFloats) return std::nullopt;
    for (ValueRef& one : *inner) {
      auto* literal = one ? literalOf(one) : nullptr;
      if (one)
        one =
            literal ? number(value->type, literal->number.asFloat) : ir::makeCast(value->type, one);
    }
    return inner;
  }

  std::optional<Terms> ofCall(const ValueRef& value, const ir::Call& call) const {
    std::vector<Terms> args;
    bool stays = true;
    for (const ValueRef& arg : call.args) {
      auto one = of(arg);
      if (!one) return std::nullopt;
      stays &= one->size() == 1;
      args.push_back(std::move(*one));
    }
    if (stays) return Terms{value};
    if (!ir::info(value->type).isFloat()) return std::nullopt;
    auto terms = ofArguments(call, args);
    if (terms) terms->front() = value;
    return terms;
  }
  static std::optional<Terms> ofArguments(const ir::Call& call, const std::vector<Terms>& args) {
    switch (call.function) {
      case Function::Add:
        return ofSum(args[0], args[1]);
      case Function::Sub:
        return ofSum(args[0], ofNegative(args[1]));
      case Function::Neg:
        return ofNegative(args[0]);
      case Function::Square:
        return ofSquare(args[0]);
      case Function::Mul:
        return ir::equal(call.args[0], call.args[1]) ? ofSquare(args[0])
                                                     : ofProduct(args[0], args[1]);
      case Function::Div:
        return args[1].size() == 1 ? std::optional(ofQuotient(args[0], call.args[1]))
                                   : std::nullopt;
      case Function::Select:
        return args[0].size() == 1 ? std::optional(ofChoice(args)) : std::nullopt;
      default:
        return std::nullopt;
    }
  }
  static Terms ofQuotient(const Terms& a, const ValueRef& by) {
    Terms result;
    for (const ValueRef& one : a)
      result.push_back(one ? ir::makeCall(Function::Div, {one, by}) : nullptr);
    return result;
  }
  static Terms ofChoice(const std::vector<Terms>& args) {
    Terms result;
    // A number that stays is 0 then: of -0, which adds nothing to any sum, the sign is kept.
    auto orZero = [&](size_t arg, size_t k) {
      const ValueRef value = at(args[arg], k);
      auto* literal = literalOf(args[arg][0]);
      const bool isZero = literal && literal->number.asFloat == 0;
      return value ? value : isZero ? args[arg][0] : number(args[arg][0]->type, 0);
    };
    for (size_t k = 0; k < std::max(args[1].size(), args[2].size()); ++k)
      result.push_back(ir::makeCall(Function::Select, {args[0][0], orZero(1, k), orZero(2, k)}));
    return result;
  }

  const DerivativesOf& operand_;
};

}  // namespace

std::optional<Derivatives> derivativesOf(const ValueRef& value, const DerivativesOf& operand) {
  if (!ir::info(value->type).isFloat()) return std::nullopt;
  auto terms = Deriver(operand).of(value);
  if (!terms) return std::nullopt;
  Derivatives result(terms->begin() + 1, terms->end());
  for (ValueRef& one : result)
    if (!one) one = number(value->type, 0);
  return result;
}

ValueRef distance(ir::ScalarType type, const ValueRef& from, const ValueRef& to) {
  const bool isWider = ir::info(to->type).bytes() > ir::info(type).bytes();
  const ir::ScalarType in = isWider ? to->type : type;
  return ir::makeCast(type,
                      ir::makeCall(Function::Sub, {ir::makeCast(in, to), ir::makeCast(in, from)}));
}

ValueRef movedBy(const std::vector<ValueRef>& sums, const ValueRef& distance) {
  const ir::ScalarType type = distance->type;
  const ValueRef zero = number(type, 0);
  ValueRef all, power;
  double count = 1;
  for (size_t k = 0; k < sums.size(); ++k) {
    power = power ? ir::makeCall(Function::Mul, {power, distance}) : distance;
    count *= static_cast<double>(k + 1);
    const ValueRef by = k == 0 ? power : ir::makeCall(Function::Div, {power, number(type, count)});
    all =
        sum(all, ir::makeCall(Function::Select, {ir::makeCall(Function::Eq, {sums[k], zero}), zero,
                                                 ir::makeCall(Function::Mul, {sums[k], by})}));
  }
  return all;
}

}  // namespace einc::transforms
