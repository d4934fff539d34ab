// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "compiler/affine/interval.h"

namespace einc::affine {
namespace {

Expr exprOf(const Atom& atom) {
  switch (atom.kind) {
    case Atom::Kind::Iterator:
      return Expr::iterator(atom.name);
    case Atom::Kind::Symbol:
      return Expr::symbol(atom.name);
    case Atom::Kind::FloorDiv:
      return atom.div->dividend.floorDiv(atom.div->divisor);
    case Atom::Kind::Mod:
      return atom.div->dividend.mod(atom.div->divisor);
  }
  return {};
}

bool moves(const Atom& atom) {
  return atom.kind == Atom::Kind::Iterator || exprOf(atom).hasIterators();
}

// Whether the expression takes all values between its ends.
bool leavesNothingOut(const Expr& expr) {
  auto sum = grouped(expr);
  if (!sum || sum->parts.size() > 1) return false;
  if (sum->parts.empty()) return true;
  const Grouped::Part& part = sum->parts[0];
  auto factor = part.coefficient.asConstant();
  if (!factor || (*factor != 1 && *factor != -1)) return false;
  return part.atom.kind == Atom::Kind::Iterator ||
         (part.atom.kind == Atom::Kind::FloorDiv && leavesNothingOut(part.atom.div->dividend));
}

// A multiset of divisors, each as often as in the one that has most of it.
void unite(std::vector<Expr>& all, const std::vector<Expr>& more) {
  for (const Expr& divisor : more) {
    auto have = std::count(all.begin(), all.end(), divisor);
    auto want = std::count(more.begin(), more.end(), divisor);
    for (; have < want; ++have) all.push_back(divisor);
  }
}

using Box = std::vector<std::pair<std::string, Interval>>;

// The interval of the expression, with what belongs to an iterator put together.
Interval intervalIn(const Expr& expr, const IntervalLookup& lookup) {
  auto sum = grouped(expr);
  if (!sum) return intervalOf(expr, lookup);
  Interval result = intervalOf(sum->rest, lookup);
  for (const Grouped::Part& part : sum->parts) {
    const Division* div = part.atom.div.get();
    Interval value = div ? intervalIn(div->dividend, lookup) : lookup(part.atom);
    if (div) {
      Interval divisor = intervalOf(div->divisor, lookup);
      value =
          part.atom.kind == Atom::Kind::FloorDiv ? floorDiv(value, divisor) : mod(value, divisor);
    }
    result = result + value * intervalOf(part.coefficient, lookup);
  }
  return result;
}

class Search {
 public:
  Search(const Expr& expr, const IntervalLookup& lookup) : expr_(expr), lookup_(lookup) {
    for (const std::string& name : expr.iterators()) {
      box_.emplace_back(name, lookup({Atom::Kind::Iterator, name, nullptr}));
      int64_t period = 1;
      for (const Expr& divisor : periodOf(expr, name)) {
        auto value = intervalOf(divisor, lookup).low;
        if (!value || *value == INT64_MIN ||
            __builtin_mul_overflow(period, *value < 0 ? -*value : *value, &period))
          period = INT64_MAX;
      }
      periods_.push_back(period);
    }
  }

  Interval run() {
    Box whole = box_;
    for (auto& [name, range] : box_) range = Interval::point(*range.low);
    found_ = inBox();
    box_ = whole;
    visit();
    return found_;
  }

 private:
  Interval inBox() const {
    return intervalIn(expr_, [&](const Atom& atom) {
      for (const auto& [name, range] : box_)
        if (name == atom.name) return range;
      return lookup_(atom);
    });
  }

  // Finds what the expression takes in the box.
  void visit() {
    Interval all = inBox();
    if (!all.low || !all.high) return;
    if (*found_.low <= *all.low && *all.high <= *found_.high) return;
    auto widest = std::max_element(box_.begin(), box_.end(), [](const auto& a, const auto& b) {
      return width(a.second) < width(b.second);
    });
    if (widest == box_.end() || width(widest->second) == 0) {
      found_ = {std::min(*found_.low, *all.low), std::max(*found_.high, *all.high)};
      return;
    }
    const Interval whole = widest->second;
    const int64_t period = periods_[static_cast<size_t>(widest - box_.begin())];
    int64_t first = *whole.low + width(whole) / 2, last = first + 1;
    if (width(whole) / 2 >= period) {
      first = *whole.low + period - 1;
      last = *whole.high - period + 1;
    }
    for (const Interval& half : {Interval{whole.low, first}, Interval{last, whole.high}}) {
      widest->second = half;
      visit();
    }
    widest->second = whole;
  }

  static int64_t width(const Interval& range) { return *range.high - *range.low; }

  const Expr& expr_;
  const IntervalLookup& lookup_;
  Box box_;
  std::vector<int64_t> periods_;
  Interval found_;
};

}  // namespace

std::optional<Grouped> grouped(const Expr& expr) {
  if (expr.overflowed() || !expr.isAffine()) return std::nullopt;
  Grouped result;
  for (const Term& term : expr.terms()) {
    const Atom* moving = nullptr;
    Expr coefficient = Expr::constant(term.coefficient);
    for (const Atom& atom : term.factors) {
      if (moves(atom))
        moving = &atom;
      else
        coefficient = coefficient * exprOf(atom);
    }
    if (!moving) {
      result.rest = result.rest + coefficient;
      continue;
    }
    auto part = std::find_if(result.parts.begin(), result.parts.end(),
                             [&](const Grouped::Part& p) { return p.atom == *moving; });
    if (part == result.parts.end())
      result.parts.push_back({*moving, coefficient});
    else
      part->coefficient = part->coefficient + coefficient;
  }
  std::erase_if(result.parts, [](const Grouped::Part& p) { return p.coefficient.isZero(); });
  return result;
}

bool hasExactInterval(const Expr& expr) {
  auto sum = grouped(expr);
  if (!sum) return false;
  std::vector<std::string> seen;
  for (const Grouped::Part& part : sum->parts) {
    if (part.coefficient.terms().size() != 1) return false;
    for (std::string& name : exprOf(part.atom).iterators()) {
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) return false;
      seen.push_back(std::move(name));
    }
    if (!part.atom.div) continue;
    const Expr& dividend = part.atom.div->dividend;
    if (!hasExactInterval(dividend)) return false;
    if (part.atom.kind == Atom::Kind::Mod && !leavesNothingOut(dividend)) return false;
  }
  return true;
}

std::vector<Expr> periodOf(const Expr& expr, const std::string& iterator) {
  std::vector<Expr> divisors;
  for (const Term& term : expr.terms())
    for (const Atom& atom : term.factors) {
      if (!atom.div) continue;
      auto names = atom.div->dividend.iterators();
      if (std::find(names.begin(), names.end(), iterator) == names.end()) continue;
      std::vector<Expr> own = periodOf(atom.div->dividend, iterator);
      own.push_back(atom.div->divisor);
      unite(divisors, own);
    }
  return divisors;
}

Interval exactIntervalOf(const Expr& expr, const IntervalLookup& lookup) {
  Interval all = intervalOf(expr, lookup);
  if (!all.low || !all.high || hasExactInterval(expr)) return all;
  return Search(expr, lookup).run();
}

}  // namespace einc::affine
