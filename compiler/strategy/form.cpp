// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/form.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using Kind = Test::Kind;

// What is known of a test without running anything.
std::optional<bool> known(const Test& test) {
  if (test.kind != Kind::Less && test.kind != Kind::LessEqual) return std::nullopt;
  auto left = test.left.asConstant(), right = test.right.asConstant();
  if (!left || !right) return std::nullopt;
  return test.kind == Kind::Less ? *left < *right : *left <= *right;
}

// Wherever `later` may be taken, `earlier` may, too.
bool hides(const Form& earlier, const Form& later) {
  return llvm::all_of(earlier.where,
                      [&](const Test& test) { return llvm::is_contained(later.where, test); });
}

}  // namespace

Steps either(std::vector<Test> tests, Steps then, Steps otherwise, const std::string& why) {
  if (llvm::any_of(tests, [](const Test& test) { return known(test) == false; })) return otherwise;
  std::erase_if(tests, [](const Test& test) { return known(test) == true; });
  if (tests.empty()) return then;
  return {Step(WhenStep{std::move(tests), std::move(then), std::move(otherwise)}, why)};
}

Step inFunction(std::string name, Steps steps) {
  return Step(FunctionStep{std::move(name), std::move(steps)},
              "compiled once, and called for each tile");
}

Form orElse(Form form, Form other) {
  if (form.where.empty()) return form;
  Steps steps = std::move(form.lets);
  llvm::append_range(steps, either(std::move(form.where), std::move(form.steps),
                                   std::move(other.steps), form.why));
  form.steps = std::move(steps);
  form.where = std::move(other.where);
  form.lets = std::move(other.lets);
  form.why = std::move(other.why);
  form.lines.insert(form.lines.begin(), other.lines.begin(), other.lines.end());
  form.settings.insert(form.settings.begin(), other.settings.begin(), other.settings.end());
  return form;
}

Form nested(std::vector<Form> ways) {
  std::vector<Form> inOrder, reached;
  auto isFaster = [](const Form& a, const Form& b) { return a.cycles < b.cycles; };
  for (Form& way : ways) {
    auto place = std::upper_bound(inOrder.begin(), inOrder.end(), way, isFaster);
    inOrder.insert(place, std::move(way));
  }
  for (Form& way : inOrder)
    if (llvm::none_of(reached, [&](const Form& before) { return hides(before, way); }))
      reached.push_back(std::move(way));
  std::vector<std::string> lines;
  for (const Form& way : reached) llvm::append_range(lines, way.lines);
  Form result = std::move(reached.back());
  for (auto way = std::next(reached.rbegin()); way != reached.rend(); ++way)
    result = orElse(std::move(*way), std::move(result));
  result.lines = std::move(lines);
  return result;
}

}  // namespace einc::strategy
