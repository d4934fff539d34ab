// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/injective.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "compiler/ir/shape.h"

namespace einc::ir {
namespace {

struct Digit {
  std::string iterator;
  int64_t weight;                 // |coefficient|
  std::optional<int64_t> extent;  // when constant
};

// The digits of a dimension that are not fixed yet, or nothing if it is not linear with constant
// coefficients.
std::optional<std::vector<Digit>> digitsOf(const Kernel& kernel, const StructuredOp& op,
                                           const affine::Expr& index,
                                           const std::set<std::string>& fixed) {
  auto linear = index.asLinear();
  if (!linear) return std::nullopt;
  std::vector<Digit> digits;
  for (const auto& part : linear->parts) {
    if (fixed.count(part.iterator)) continue;
    auto coefficient = part.coefficient.asConstant();
    if (!coefficient || *coefficient == 0 || *coefficient == INT64_MIN) return std::nullopt;
    auto extent = extentOf(kernel, op, part.iterator);
    digits.push_back({part.iterator, std::abs(*coefficient),
                      extent ? extent->extent.asConstant() : std::nullopt});
  }
  return digits;
}

bool isMixedRadix(std::vector<Digit> digits) {
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  int64_t reach = 0;  // of the digits so far
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].weight <= reach) return false;
    if (i + 1 == digits.size()) return true;
    int64_t span;
    if (!digits[i].extent || *digits[i].extent < 0 ||
        __builtin_mul_overflow(digits[i].weight, std::max<int64_t>(*digits[i].extent - 1, 0),
                               &span) ||
        __builtin_add_overflow(reach, span, &reach))
      return false;
  }
  return true;
}

}  // namespace

bool isInjective(const Kernel& kernel, const StructuredOp& op, unsigned operand) {
  std::set<std::string> fixed, parallel;
  for (const Iterator& iterator : op.iterators)
    if (iterator.kind == IteratorKind::Parallel) parallel.insert(iterator.name);
  // A dimension may become decidable once others have fixed some of its iterators.
  for (bool progress = true; progress;) {
    progress = false;
    for (const affine::Expr& index : op.operand(operand).map) {
      auto digits = digitsOf(kernel, op, index, fixed);
      if (!digits || digits->empty() || !isMixedRadix(*digits)) continue;
      for (const Digit& digit : *digits) fixed.insert(digit.iterator);
      progress = true;
    }
  }
  return std::includes(fixed.begin(), fixed.end(), parallel.begin(), parallel.end());
}

}  // namespace einc::ir
