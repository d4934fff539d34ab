// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What facts leave open (facts/asked.h), as expressions of a language with C's operators.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/emit/text/test.h"
#include "compiler/facts/asked.h"

namespace einc::emit {

struct QuestionPrinter {
  // An operand of a comparison; and where in memory an element is.
  std::function<std::string(const affine::Expr&)> index;
  std::function<std::string(unsigned tensor, const facts::Index&)> address;
  std::function<std::string(unsigned tensor, unsigned dim)> stride;
  std::function<std::string(const facts::Start&)> start;
  std::function<std::string(const facts::Run&)> run = nullptr;  // none: there are no tables

  std::string text(const facts::Question& question) const;
  std::vector<std::string> texts(const facts::Comparisons& comparisons) const;
  Test test(const facts::Asked& asked) const;
  Test test(const facts::Comparisons& comparisons) const;  // all of them
};

}  // namespace einc::emit
