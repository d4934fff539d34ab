// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/within.h"

#include <algorithm>

namespace einc::facts {
namespace {

using affine::Expr;

// Far from the ends of 64 bits, so that what is made of it is, too.
bool isSmall(const Expr& e) {
  constexpr int64_t kMost = int64_t{1} << 40;
  return !e.overflowed() &&
         std::all_of(e.terms().begin(), e.terms().end(), [](const affine::Term& term) {
           return -kMost <= term.coefficient && term.coefficient <= kMost;
         });
}

// The value at the end of the tile where it is largest, or least.
std::optional<Expr> endIn(const Signs& signs, const Expr& e, const std::vector<Span>& tile,
                          bool isMost) {
  const auto linear = e.asLinear();
  if (!linear || !isSmall(e)) return std::nullopt;
  Expr result = linear->rest;
  for (const Expr::Linear::Part& part : linear->parts) {
    auto span = std::find_if(tile.begin(), tile.end(),
                             [&](const Span& p) { return p.iterator == part.iterator; });
    if (span == tile.end()) {
      result = result + part.coefficient * Expr::iterator(part.iterator);
      continue;
    }
    const Sign sign = signs.of(part.coefficient);
    if (sign == Sign::Unknown) return std::nullopt;
    const bool isLast = (sign == Sign::NotNegative) == isMost;
    result = result + part.coefficient *
                          (isLast ? span->origin + span->size - Expr::constant(1) : span->origin);
  }
  return result;
}

ir::Condition isNotNegative(const Expr& e) {
  return {ir::Condition::Kind::LessEqual, Expr::constant(0), e};
}

// Of c * i + rest >= 0: the i that satisfy it.
void addEnd(int64_t coefficient, const Expr& rest, Limits& ends) {
  if (coefficient > 0)
    ends.from.push_back((-rest).ceilDiv(Expr::constant(coefficient)));
  else
    ends.below.push_back(rest.floorDiv(Expr::constant(-coefficient)) + Expr::constant(1));
}

}  // namespace

std::optional<Expr> leastIn(const Signs& signs, const Expr& e, const std::vector<Span>& tile) {
  return endIn(signs, e, tile, /*isMost=*/false);
}

std::optional<Expr> mostIn(const Signs& signs, const Expr& e, const std::vector<Span>& tile) {
  return endIn(signs, e, tile, /*isMost=*/true);
}

std::optional<std::vector<ir::Condition>> allInsideIf(const Signs& signs, const ir::Guard& guard,
                                                      const std::vector<Span>& tile) {
  if (!guard.others.empty()) return std::nullopt;
  std::vector<ir::Condition> conditions;
  for (const Expr& e : guard.notNegative) {
    const auto least = leastIn(signs, e, tile);
    if (!least) return std::nullopt;
    conditions.push_back(isNotNegative(*least));
  }
  return conditions;
}

std::vector<ir::Condition> anyInsideOnlyIf(const Signs& signs, const ir::Guard& guard,
                                           const std::vector<Span>& tile) {
  std::vector<ir::Condition> conditions;
  for (const Expr& e : guard.notNegative)
    if (const auto most = mostIn(signs, e, tile)) conditions.push_back(isNotNegative(*most));
  return conditions;
}

EndsIn endsIn(const Signs& signs, const ir::Guard& guard, const std::string& iterator,
              const std::vector<Span>& tile) {
  EndsIn ends;
  for (const Expr& e : guard.notNegative) {
    const auto linear = e.asLinear();
    if (!linear) continue;
    auto part = std::find_if(linear->parts.begin(), linear->parts.end(),
                             [&](const Expr::Linear::Part& p) { return p.iterator == iterator; });
    const auto coefficient =
        part == linear->parts.end() ? std::nullopt : part->coefficient.asConstant();
    if (!coefficient || *coefficient == 0 || *coefficient == INT64_MIN) continue;
    const Expr others = e - part->coefficient * Expr::iterator(iterator);
    const auto most = mostIn(signs, others, tile), least = leastIn(signs, others, tile);
    if (!most || !least) continue;
    addEnd(*coefficient, *most, ends.some);
    addEnd(*coefficient, *least, ends.all);
  }
  return ends;
}

}  // namespace einc::facts
