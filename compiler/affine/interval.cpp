// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/interval.h"

#include <algorithm>

namespace einc::affine {
namespace {

// Bounds as 128-bit integers, where products of two int64_t cannot overflow; an open end is far
// outside int64_t and absorbs what is added to it.
using Wide = __int128;
constexpr Wide kInfinity = static_cast<Wide>(1) << 100;

Wide low(const Interval& i) { return i.low ? *i.low : -kInfinity; }
Wide high(const Interval& i) { return i.high ? *i.high : kInfinity; }

std::optional<int64_t> narrow(Wide value) {
  if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(value);
}

Interval make(Wide lo, Wide hi) { return {narrow(lo), narrow(hi)}; }

Wide multiply(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  bool infinite = a >= kInfinity || a <= -kInfinity || b >= kInfinity || b <= -kInfinity;
  if (infinite) return (a < 0) == (b < 0) ? kInfinity : -kInfinity;
  return a * b;
}

Wide divideDown(Wide a, Wide b) {
  Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Interval corners(const Interval& a, const Interval& b, Wide (*combine)(Wide, Wide)) {
  Wide values[] = {combine(low(a), low(b)), combine(low(a), high(b)), combine(high(a), low(b)),
                   combine(high(a), high(b))};
  auto [least, most] = std::minmax_element(std::begin(values), std::end(values));
  return make(*least, *most);
}

}  // namespace

bool Interval::contains(int64_t value) const {
  return (!low || *low <= value) && (!high || value <= *high);
}

std::string Interval::str() const {
  return "[" + (low ? std::to_string(*low) : "...") + ", " +
         (high ? std::to_string(*high) : "...") + "]";
}

Interval operator+(const Interval& a, const Interval& b) {
  return make(low(a) + low(b), high(a) + high(b));
}

Interval operator*(const Interval& a, const Interval& b) { return corners(a, b, multiply); }

Interval floorDiv(const Interval& a, const Interval& b) {
  if (b.contains(0)) return {};
  return corners(a, b, divideDown);
}

Interval mod(const Interval& a, const Interval& b) {
  if (b.contains(0)) return {};
  // a - b * floor(a / b) runs like a while a stays within one period.
  Interval quotient = floorDiv(a, b);
  if (quotient == Interval::point(0)) return a;
  bool onePeriod = quotient.low && quotient.low == quotient.high;
  if (onePeriod && b.low == b.high) return a + quotient * b * Interval::point(-1);
  return low(b) > 0 ? make(0, high(b) - 1) : make(low(b) + 1, 0);
}

Interval intervalOf(const Expr& expr, const IntervalLookup& lookup) {
  if (expr.overflowed()) return {};
  Interval sum = Interval::point(0);
  for (const Term& term : expr.terms()) {
    Interval product = Interval::point(term.coefficient);
    for (const Atom& atom : term.factors) {
      Interval factor;
      if (!atom.div) {
        factor = lookup(atom);
      } else {
        Interval dividend = intervalOf(atom.div->dividend, lookup);
        Interval divisor = intervalOf(atom.div->divisor, lookup);
        factor = atom.kind == Atom::Kind::FloorDiv ? floorDiv(dividend, divisor)
                                                   : mod(dividend, divisor);
      }
      product = product * factor;
    }
    sum = sum + product;
  }
  return sum;
}

}  // namespace einc::affine
