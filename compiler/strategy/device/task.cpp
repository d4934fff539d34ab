// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/task.h"

#include <algorithm>
#include <utility>

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

}  // namespace

Steps either(std::vector<Test> tests, Steps then, Steps otherwise) {
  if (std::any_of(tests.begin(), tests.end(),
                  [](const Test& test) { return known(test) == false; }))
    return otherwise;
  std::erase_if(tests, [](const Test& test) { return known(test) == true; });
  if (tests.empty()) return then;
  return {WhenStep{std::move(tests), std::move(then), std::move(otherwise)}};
}

}  // namespace einc::strategy
