// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/scope.h"

#include <gtest/gtest.h>

#include "compiler/emit/text/words.h"

namespace einc::emit {
namespace {

TEST(ScopeTest, WordsInsideStringsAreNoNames) {
  EXPECT_EQ(withoutStrings("a = f(b, \"c has d\", e);"), "a = f(b, , e);");
  EXPECT_FALSE(usesWord(withoutStrings("say(\"C\")"), "C"));
}

}  // namespace
}  // namespace einc::emit
