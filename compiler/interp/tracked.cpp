// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/tracked.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "compiler/ir/literal.h"
#include "compiler/ir/scalar.h"

namespace einc::interp {
namespace {

using ir::Function;
using ir::ScalarType;
using Reduction = Tracked::Reduction;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- Float formats ------------------------------------------------------------------------------

int digits(ScalarType type) { return static_cast<int>(ir::precision(type)); }
double unitRoundoff(ScalarType type) { return std::ldexp(1.0, -digits(type)); }
double smallestNormal(ScalarType type) { return std::ldexp(1.0, minExponent(type)); }
double smallestSubnormal(ScalarType type) {
  return std::ldexp(1.0, minExponent(type) + 1 - digits(type));
}
// Rounds to infinity, or NaN, from here on.
long double overflowLimit(ScalarType type) {
  if (type == ScalarType::F8E4M3) return 464;
  return std::ldexp(1.0L - std::ldexp(1.0L, -1 - digits(type)), maxExponent(type) + 1);
}

bool isRepresentable(ScalarType type, long double value) {
  auto narrow = static_cast<double>(value);
  return narrow == value && roundTo(type, narrow) == narrow;
}

double roundingError(ScalarType type, double magnitude) {
  return std::max(unitRoundoff(type) * magnitude, smallestSubnormal(type) / 2);
}

double gamma(ScalarType type, double roundings) {
  double ku = roundings * unitRoundoff(type);
  return ku < 1 ? ku / (1 - ku) : kInfinity;
}

double magnitudeOf(long double value) { return static_cast<double>(std::fabs(value)); }

// ---- Intervals ----------------------------------------------------------------------------------

long double low(const Tracked& x) { return x.value - x.error; }
long double high(const Tracked& x) { return x.value + x.error; }
bool mayBeZero(const Tracked& x) { return low(x) <= 0 && high(x) >= 0; }

Tracked unbounded(Tracked x) {
  x.error = x.typical = kInfinity;
  return x;
}

struct Errors {
  double error = 0, typical = 0;
};

// What is too large for the type: infinity, or NaN.
Tracked beyond(ScalarType type, long double value) {
  const long double end = roundTo(type, kInfinity);
  return {.type = type, .value = std::copysign(end, value)};
}

// A float with the error that its operands caused and the rounding of its own.
Tracked makeFloat(ScalarType type, long double value, Errors caused, double own) {
  Tracked result{.type = type, .value = value};
  if (!std::isfinite(value)) return result;
  result.error = caused.error + own;
  result.typical = caused.typical + own;
  long double magnitude = std::fabs(value), limit = overflowLimit(type);
  if (magnitude - result.error >= limit) return beyond(type, value);
  if (std::isnan(result.error) || magnitude + result.error >= limit) return unbounded(result);
  return result;
}

// ---- How errors of operands spread --------------------------------------------------------------

bool sameKind(long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return (std::isfinite(a) && std::isfinite(b)) || a == b;
}

// The function jumps, or has a pole, somewhere in the operands' intervals. Jumps that show as
// different kinds of results at the ends (log of a negative number) are not listed.
bool mayJump(Function function, const Tracked& x, const Tracked& y) {
  switch (function) {
    case Function::Div:
      return y.error > 0 && mayBeZero(y);
    case Function::Reciprocal:
      return mayBeZero(x);
    case Function::Rem:
      return mayBeZero(y) || std::trunc(low(x) / low(y)) != std::trunc(high(x) / high(y)) ||
             std::trunc(low(x) / high(y)) != std::trunc(high(x) / low(y));
    case Function::Tan: {
      constexpr long double pi = std::numbers::pi_v<long double>;
      return std::floor(low(x) / pi + 0.5L) != std::floor(high(x) / pi + 0.5L);
    }
    case Function::Pow: {
      bool integer = y.error == 0 && std::trunc(y.value) == y.value;
      return integer ? y.value < 0 && mayBeZero(x) : low(x) <= 0;
    }
    case Function::Atan2: {  // y / x in the names of mathematics; the cut is x <= 0, y = 0
      bool onCut = x.error == 0 && (high(y) < 0 || y.error == 0);
      return mayBeZero(x) && low(y) <= 0 && !onCut;
    }
    default:
      return false;
  }
}

bool isStep(Function function) {
  switch (function) {
    case Function::Sign:
    case Function::Ceil:
    case Function::Floor:
    case Function::Trunc:
    case Function::Round:
    case Function::RoundEven:
      return true;
    default:
      return false;
  }
}

// The ends and the middle of an interval, and zero, where even functions turn.
std::vector<long double> samples(const Tracked& x) {
  if (x.error == 0) return {x.value};
  std::vector<long double> result = {low(x), x.value, high(x)};
  if (mayBeZero(x)) result.push_back(0);
  return result;
}

// The largest change of a function that is monotonic between the samples; nothing if the results
// are not of one kind.
std::optional<double> largestChange(Function function, const Tracked& x, const Tracked& y) {
  long double value = applyWide(function, x.value, y.value), change = 0;
  for (long double a : samples(x))
    for (long double b : samples(y)) {
      long double moved = applyWide(function, a, b);
      if (!sameKind(moved, value)) return std::nullopt;
      if (std::isfinite(value)) change = std::max(change, std::fabs(moved - value));
    }
  return static_cast<double>(change);
}

double productError(const Tracked& x, double xError, const Tracked& y, double yError) {
  return magnitudeOf(x.value) * yError + magnitudeOf(y.value) * xError + xError * yError;
}

// What errors of finite operands do to a finite result of the functions with simple rules.
std::optional<Errors> simpleErrors(Function function, const Tracked& x, const Tracked& y) {
  switch (function) {
    case Function::Add:
    case Function::Sub:
      return Errors{x.error + y.error, x.typical + y.typical};
    case Function::Mul:
    case Function::Square:
      return Errors{productError(x, x.error, y, y.error), productError(x, x.typical, y, y.typical)};
    case Function::Neg:
    case Function::Abs:
    case Function::Max:
    case Function::Min:
      return Errors{std::max(x.error, y.error), std::max(x.typical, y.typical)};
    case Function::Sin:
    case Function::Cos:
      return Errors{std::min(x.error, 2.0), std::min(x.typical, 2.0)};
    case Function::Rem: {
      double quotient = magnitudeOf(std::trunc(x.value / y.value));
      return Errors{x.error + quotient * y.error, x.typical + quotient * y.typical};
    }
    default:
      return std::nullopt;
  }
}

// Nothing if the operands' errors decide between different results.
std::optional<Errors> spreadErrors(Function function, const Tracked& x, const Tracked& y,
                                   long double value) {
  if (x.error == 0 && y.error == 0) return Errors{};
  bool finite = std::isfinite(x.value) && std::isfinite(y.value);
  if ((finite || function == Function::Pow) && mayJump(function, x, y)) return std::nullopt;
  if (finite && std::isfinite(value))
    if (auto errors = simpleErrors(function, x, y)) return errors;
  auto change = largestChange(function, x, y);
  if (!change || (isStep(function) && *change > 0)) return std::nullopt;
  double share =
      std::max(x.error > 0 ? x.typical / x.error : 0, y.error > 0 ? y.typical / y.error : 0);
  return Errors{*change, *change * share};
}

// ---- Rounding of one call -----------------------------------------------------------------------

// Whether a correctly rounded function of exact operands gives `value` without any rounding.
bool isExact(Function function, ScalarType type, long double x, long double y, long double value) {
  if (!isRepresentable(type, value)) return false;
  switch (function) {
    case Function::Add:
    case Function::Sub: {
      // Knuth's two-sum: what the long double sum itself lost.
      long double b = function == Function::Add ? y : -y, part = value - x;
      return (x - (value - part)) + (b - part) == 0;
    }
    case Function::Mul:
    case Function::Square:
      return std::fma(x, y, -value) == 0;
    case Function::Div:
      return std::fma(value, y, -x) == 0;
    case Function::Reciprocal:
      return std::fma(value, x, -1.0L) == 0;
    case Function::Sqrt:
      return std::fma(value, value, -x) == 0;
    default:
      return false;
  }
}

bool roundsCorrectly(Function function) {
  switch (function) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Div:
    case Function::Square:
    case Function::Reciprocal:
    case Function::Sqrt:
      return true;
    default:
      return false;
  }
}

bool neverRounds(Function function) {
  switch (function) {
    case Function::Neg:
    case Function::Abs:
    case Function::Max:
    case Function::Min:
    case Function::Rem:
      return true;
    default:
      return isStep(function);
  }
}

double ownError(Function function, ScalarType type, double magnitude) {
  if (neverRounds(function)) return 0;
  if (roundsCorrectly(function)) return roundingError(type, magnitude);
  // f16 and bf16 round the result of the f32 function.
  ScalarType computed = type == ScalarType::F64 ? ScalarType::F64 : ScalarType::F32;
  double ulp = 2 * unitRoundoff(computed) * magnitude + smallestSubnormal(computed);
  return ulpsOf(function) * ulp + (type == computed ? 0 : roundingError(type, magnitude));
}

Tracked floatCall(Function function, ScalarType type, const Tracked& x, const Tracked& y) {
  long double value = applyWide(function, x.value, y.value);
  auto caused = spreadErrors(function, x, y, value);
  if (!caused) return unbounded({.type = type, .value = value});
  double own = ownError(function, type, magnitudeOf(value) + caused->error);
  if (caused->error == 0 && own > 0 && isExact(function, type, x.value, y.value, value)) own = 0;
  return makeFloat(type, value, *caused, own);
}

Tracked comparison(Function function, const Tracked& x, const Tracked& y) {
  long double a = x.value, b = y.value;
  bool result = function == Function::Eq   ? a == b
                : function == Function::Ne ? a != b
                : function == Function::Lt ? a < b
                : function == Function::Le ? a <= b
                : function == Function::Gt ? a > b
                                           : a >= b;
  Tracked truth = trackedLiteral(ScalarType::Bool, {0.0, result ? uint64_t{1} : uint64_t{0}});
  bool close = low(x) <= high(y) && low(y) <= high(x);
  return close && x.error + y.error > 0 ? unbounded(truth) : truth;
}

// ---- Reductions ---------------------------------------------------------------------------------

// The largest power of two that divides a float other than zero.
double lowestDigit(long double value) {
  auto narrow = static_cast<double>(value);
  int exponent = std::ilogb(narrow);
  auto significand = static_cast<int64_t>(std::ldexp(narrow, 52 - exponent));
  return std::ldexp(static_cast<double>(significand & -significand), exponent - 52);
}

bool isExactZero(const Tracked& x) { return x.value == 0 && x.error == 0; }

// A value as the first term of a sum, or the first factor of a product.
Tracked startOf(Reduction reduction, Tracked x) {
  x = finished(x);
  x.reduction = reduction;
  x.accumulates = true;
  bool finite = std::isfinite(x.value);
  double magnitude = magnitudeOf(x.value);
  if (reduction == Reduction::Sum) {
    x.most = finite ? magnitude + x.error : 0;
    x.least = finite && x.error == 0 ? lowestDigit(x.value) : 0;
  } else {
    x.most = std::max(magnitude + x.error, 1.0);
    x.least = isExactZero(x) ? 1.0 : std::min(magnitude - x.error, 1.0);
  }
  return x;
}

Tracked sum(const Tracked& accumulator, const Tracked& addend) {
  if (isExactZero(addend)) return accumulator;
  Tracked term = startOf(Reduction::Sum, addend);
  if (accumulator.reduction == Reduction::None && isExactZero(accumulator)) return term;
  Tracked result =
      accumulator.reduction == Reduction::Sum ? accumulator : startOf(Reduction::Sum, accumulator);
  result.value += term.value;
  result.error += term.error;
  result.typical += term.typical;
  result.terms += 1;
  result.most += term.most;
  result.least = std::min(result.least, term.least);
  result.ofSum |= addend.ofSum;
  result.isAway |= addend.isAway;
  return result;
}

Tracked product(const Tracked& accumulator, const Tracked& factor) {
  Tracked term = startOf(Reduction::Product, factor);
  Tracked result = accumulator.reduction == Reduction::Product
                       ? accumulator
                       : startOf(Reduction::Product, accumulator);
  long double value = result.value * term.value;
  if (!std::isfinite(value))
    return startOf(Reduction::Product,
                   floatCall(Function::Mul, term.type, finished(result), factor));
  double error = productError(result, result.error, term, term.error);
  // What long double itself lost: not zero, so that the product does not pass as exact.
  if (std::fma(result.value, term.value, -value) != 0) error += std::ldexp(magnitudeOf(value), -64);
  result.typical = productError(result, result.typical, term, term.typical);
  result.error = error;
  result.value = value;
  result.terms += 1;
  result.most *= term.most;
  result.least *= term.least;
  return result;
}

Tracked finishedSum(const Tracked& x) {
  bool exact = x.error == 0 && !x.isAway && x.most <= std::ldexp(x.least, digits(x.type));
  double bound = exact ? 0 : gamma(x.type, x.isAway ? 4 * x.terms + 16 : x.terms - 1);
  double usual = std::min(bound, (x.isAway ? 32 : 8) * std::sqrt(x.terms) * unitRoundoff(x.type));
  Errors errors{x.error + bound * x.most, x.typical + usual * x.most};
  Tracked result = makeFloat(x.type, x.value, errors, 0);
  // Some order may overflow on its way.
  bool mayOverflow = x.terms > 2 && x.most + errors.error >= overflowLimit(x.type);
  return mayOverflow ? unbounded(result) : result;
}

Tracked finishedProduct(const Tracked& x) {
  bool exact = x.error == 0 && isRepresentable(x.type, x.value);
  double bound = exact ? 0 : gamma(x.type, x.terms - 1) * (magnitudeOf(x.value) + x.error);
  // A single product may be subnormal. In longer ones, some order may underflow on its way.
  if (!exact && x.terms == 2) bound = roundingError(x.type, magnitudeOf(x.value) + x.error);
  Tracked result = makeFloat(x.type, x.value, {x.error, x.typical}, bound);
  bool mayLeave = x.most >= overflowLimit(x.type) || x.least < smallestNormal(x.type);
  return x.terms > 2 && mayLeave ? unbounded(result) : result;
}

bool isSum(const Tracked& x) { return x.reduction == Reduction::Sum && x.terms > 1; }

}  // namespace

int ulpsOf(Function function) { return function == Function::Cbrt ? 4 : 2; }

Tracked trackedLiteral(ScalarType type, const ir::Number& number) {
  return {.type = type, .exact = number, .value = number.asFloat};
}

Tracked finished(const Tracked& x) {
  if (x.reduction == Reduction::None || x.terms == 1 || x.isUnbounded()) {
    return {.type = x.type,
            .exact = x.exact,
            .value = x.value,
            .error = x.error,
            .typical = x.typical,
            .ofSum = x.ofSum || isSum(x),
            .isAway = x.isAway};
  }
  Tracked result = isSum(x) ? finishedSum(x) : finishedProduct(x);
  result.ofSum = x.ofSum || isSum(x);
  result.isAway = x.isAway;
  return result;
}

namespace {

Tracked ofCall(Function function, std::span<const Tracked> args) {
  const Tracked &first = args.front(), &last = args.back();
  ScalarType type = last.type;
  if (function == Function::Select) {
    const Tracked& chosen = args[first.exact.asBits != 0 ? 1 : 2];
    return first.isUnbounded() ? unbounded(finished(chosen)) : chosen;
  }
  // No less exact than the two.
  if (function == Function::Fma) {
    Tracked product[] = {trackedCall(Function::Mul, args.first(2)), last};
    return trackedCall(Function::Add, product);
  }
  if (!info(type).isFloat()) {
    bool compares = info(function).signature == ir::Signature::Compare;
    ir::Number numbers[] = {first.exact, last.exact};
    Tracked result = trackedLiteral(compares ? ScalarType::Bool : type,
                                    apply(function, type, {numbers, args.size()}));
    return first.isUnbounded() || last.isUnbounded() ? unbounded(result) : result;
  }
  Tracked x = finished(first), y = finished(last);
  if (x.isUnbounded() || y.isUnbounded()) {
    bool compares = info(function).signature == ir::Signature::Compare;
    return unbounded(trackedLiteral(compares ? ScalarType::Bool : type, {}));
  }
  if (info(function).signature == ir::Signature::Compare) return comparison(function, x, y);
  if (function == Function::Add && first.accumulates) return sum(first, y);
  if (function == Function::Add && last.accumulates) return sum(last, x);
  if (function == Function::Sub && first.accumulates)
    return sum(first, floatCall(Function::Neg, type, y, y));
  if (function == Function::Mul && first.accumulates) return product(first, y);
  if (function == Function::Mul && last.accumulates) return product(last, x);
  return floatCall(function, type, x, y);
}

Tracked ofCast(ScalarType to, const Tracked& x) {
  bool fromFloat = info(x.type).isFloat();
  if (info(to).isFloat()) {
    if (x.isUnbounded()) return unbounded({.type = to, .value = x.value});
    int64_t integer = signedValue(x.type, x.exact);
    long double value = fromFloat                 ? x.value
                        : info(x.type).isSigned() ? static_cast<long double>(integer)
                                                  : static_cast<long double>(x.exact.asBits);
    if (x.error == 0 && std::fabs(value) >= overflowLimit(to)) return beyond(to, value);
    bool exact = ir::widensTo(x.type, to) || (x.error == 0 && isRepresentable(to, value));
    double own = exact ? 0 : roundingError(to, magnitudeOf(value) + x.error);
    return makeFloat(to, value, {x.error, x.typical}, own);
  }
  if (!fromFloat) {
    Tracked result = trackedLiteral(to, convert(x.exact, x.type, to));
    return x.isUnbounded() ? unbounded(result) : result;
  }
  bool toBool = to == ScalarType::Bool;
  auto at = [&](long double value) {
    // A double holds what truncation leaves of every float type.
    double truncated = static_cast<double>(toBool ? value : std::trunc(value));
    return convert({truncated, 0}, ScalarType::F64, to);
  };
  Tracked result = trackedLiteral(to, at(x.value));
  bool clear = x.error == 0 || (toBool ? !mayBeZero(x) : sameBits(at(low(x)), at(high(x))));
  return x.isUnbounded() || !clear ? unbounded(result) : result;
}

}  // namespace

Tracked trackedCall(Function function, std::span<const Tracked> args) {
  Tracked result = ofCall(function, args);
  const bool isFloat = info(result.type).isFloat();
  for (const Tracked& arg : args) {
    if (!isFloat || arg.accumulates) continue;
    const bool ofSum = arg.ofSum || isSum(arg);
    result.ofSum |= ofSum;
    result.isAway |= arg.isAway || (ofSum && function == Function::Sub);
  }
  return result;
}

Tracked trackedCast(ScalarType to, const Tracked& arg) {
  const Tracked x = finished(arg);
  Tracked result = ofCast(to, x);
  result.ofSum = x.ofSum && info(to).isFloat();
  result.isAway = x.isAway && info(to).isFloat();
  return result;
}

}  // namespace einc::interp
