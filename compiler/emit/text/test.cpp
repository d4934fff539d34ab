// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/test.h"

#include <algorithm>

#include "compiler/support/text_writer.h"

namespace einc::emit {

Test Test::allOf(const std::vector<std::string>& expressions) {
  return expressions.empty() ? known(true) : asked(joined(expressions, " && "));
}

Test Test::allOf(const std::vector<Test>& tests) {
  if (std::any_of(tests.begin(), tests.end(), [](const Test& t) { return t.never(); }))
    return known(false);
  std::vector<std::string> expressions;
  for (const Test& test : tests)
    if (test.isAsked()) expressions.push_back(test.text());
  return allOf(expressions);
}

}  // namespace einc::emit
