// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether something holds when generated code runs: it is known already, or the code asks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace einc::emit {

class Test {
 public:
  static Test known(bool holds) { return Test(holds, ""); }
  // An expression of the generated language.
  static Test asked(std::string expression) { return Test(std::nullopt, std::move(expression)); }
  // Of expressions that must all hold; none: it holds.
  static Test allOf(const std::vector<std::string>& expressions);
  static Test allOf(const std::vector<Test>& tests);

  bool always() const { return known_ == true; }
  bool never() const { return known_ == false; }
  bool isAsked() const { return !known_; }
  // Of one that is asked.
  const std::string& text() const { return text_; }

 private:
  Test(std::optional<bool> known, std::string text) : known_(known), text_(std::move(text)) {}

  std::optional<bool> known_;
  std::string text_;
};

}  // namespace einc::emit
