// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/library_rule.h"

#include <gtest/gtest.h>

namespace einc::ir {
namespace {

// The rules as they are printed, or the first error.
std::string read(const std::string& text) {
  SourceFile source("rules", text);
  Diagnostics errors(source);
  TokenStream in(source, errors);
  std::vector<LibraryRule> rules = parseLibraryRules(in);
  return in.failed() ? errors.all().front().message : rulesText(rules);
}

TEST(LibraryRule, WhatIsPrintedIsRead) {
  for (const char* text :
       {"none", "cblas", "cblas else blis", "blis where m < 8",
        "cblas where m * n * k >= 4096 and k >= 8 else blis where n < 4 else cblas where m < 2"})
    EXPECT_EQ(read(text), text);
}

TEST(LibraryRule, SaysWhatIsWrong) {
  EXPECT_EQ(read("mkl"), "no library 'mkl' here; there are cblas, blis, none");
  EXPECT_EQ(read("cblas else none"), "no library 'none' here; there are cblas, blis, none");
  EXPECT_EQ(read("cblas where m > 3"), "expected '=' after '>': there are < and >=, found '3'");
  EXPECT_EQ(read("cblas where m"), "expected '>', or '<', found the end of the file");
  EXPECT_EQ(read("cblas where < 3"), "expected an iterator, found '<'");
}

}  // namespace
}  // namespace einc::ir
