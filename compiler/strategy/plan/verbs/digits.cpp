// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   digits m by 16 as m_high, n by S as n_high { ... } left of m { ... } left of n { ... }
#include "compiler/transforms/digits.h"

#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// The op has no elements where a size is 0 that an operand's index is divided by.
bool isDivided(const Work& work, const At& here, const std::string& iterator,
               const affine::Expr& by) {
  return llvm::any_of(transforms::findDigits(work.builder.kernel(), here.op, 1),
                      [&](const transforms::Digit& digit) {
                        return digit.iterator == iterator && digit.base == by;
                      });
}

std::optional<std::string> cannotBeDigits(const Work& work, const At& here,
                                          const DigitsStep::Digit& digit, const affine::Expr& by) {
  if (auto why = work.cannotCut(here, digit.iterator)) return why;
  if (here.isReduction(digit.iterator) && !work.mayReorder(here))
    return orderText(work, digit.iterator);
  if (isTaken(work, here, digit.name))
    return "there is something called '" + digit.name + "' already";
  if (auto known = by.asConstant(); known && *known < 1) return "expected 1 or more";
  const std::string name = here.actualName(digit.iterator);
  if (!by.asConstant() && !isDivided(work, here, name, by))
    return "'" + digit.iterator + "' has digits of a size where operands divide it by that, and " +
           "no step stands before 'digits'";
  return std::nullopt;
}

}  // namespace

ir::Block apply(const Work& work, At here, const DigitsStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'digits' stands in its parts");
  if (here.streaming) return work.refuse(here, "'digits' stands before 'non_temporal'");
  std::vector<transforms::Digit> digits;
  ir::If test;  // a base may be 0, where there are no elements
  for (const DigitsStep::Digit& digit : step.digits) {
    auto by = work.number(here, digit.by);
    if (!by) return work.refuse(here, by.reason());
    if (auto why = cannotBeDigits(work, here, digit, *by)) return work.refuse(here, *why);
    const std::string name = here.actualName(digit.iterator);
    const bool isTwice = llvm::any_of(digits, [&](const auto& d) { return d.iterator == name; });
    if (isTwice) return work.refuse(here, "'" + digit.iterator + "' stands twice");
    digits.push_back({name, *by, work.builder.name(digit.name)});
    here.actual[digit.name] = digits.back().high;
    if (!by->asConstant() && !here.minima.isAssumedPositive(*by))
      test.conditions.push_back({ir::Condition::Kind::Less, affine::Expr(), *by});
  }
  ir::Block block = transforms::splitDigits(
      work.builder, here.op, digits, [&](const ir::StructuredOp& part, size_t whole) {
        At inside = here;
        inside.op = part;
        inside.isReady = false;
        for (size_t i = 0; i < digits.size(); ++i) {
          if (i >= whole) inside.actual.erase(step.digits[i].name);
          if (auto by = digits[i].base.asConstant(); by && i <= whole)
            inside.limit(digits[i].iterator, i == whole ? *by - 1 : *by);
        }
        const bool isLeft = whole < digits.size();
        return work.start(std::move(inside), isLeft ? step.digits[whole].left : step.whole);
      });
  if (test.conditions.empty()) return block;
  test.then = std::move(block);
  return transforms::only({std::move(test)});
}

}  // namespace einc::strategy
