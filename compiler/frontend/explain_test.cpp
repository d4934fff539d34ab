// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the table is made by some spec: that of its page, or one of those below.
#include <map>

#include "compiler/frontend/einsum.h"
#include "compiler/frontend/frontend.h"
#include "compiler/frontend/lint.h"
#include "compiler/frontend/parser.h"
#include "gtest/gtest.h"

namespace einc::frontend {
namespace {

// The diagnostics that `einc check` has for a spec.
std::vector<Diagnostic> check(std::string text) {
  SourceFile source("spec.tc", std::move(text));
  Diagnostics errors(source);
  Spec spec = parse(source, errors);
  if (auto module = buildModule(spec, {.types = {}, .notes = true}, errors))
    for (const ir::Kernel& kernel : module->kernels) lint(kernel, errors);
  return errors.all();
}

bool has(const std::vector<Diagnostic>& diagnostics, Diag id) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [&](const Diagnostic& d) { return d.id == id; });
}

std::string listed(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics)
    text += std::string(nameOf(d.id)) + ": " + d.message + "\n";
  return text;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Specs for pages without one: too long, or no text that a person could read.
const std::map<Diag, std::string>& others() {
  static const std::map<Diag, std::string> specs = {
      {Diag::NotUtf8, std::string("def \xff")},
      {Diag::NestedTooDeeply, "def f(x: f32(M)) -> (y: f32(M)) { y(m) = " + repeated("(", 300) +
                                  "x(m)" + repeated(")", 300) + "; }"},
      {Diag::TooLarge, "def f(x: f32{n: N}) -> (y: f32{n: N}) layouts(" +
                           repeated("g(x = n, y = n), ", 2000) +
                           "h(x = n, y = n)) { y{n} = x{n}; }"},
      {Diag::TypeNotGiven, "def f<T>(x: T(M)) -> (y: T(M)) { y(m) = x(m); }"},
  };
  return specs;
}

// Those of other texts than specs, which have tests of their own.
bool isOfOtherTexts(Diag id) {
  return id == Diag::Einsum || id == Diag::Notation || id == Diag::Schedule || id == Diag::Tuning ||
         id == Diag::IrRule || id == Diag::IrLevel || id == Diag::CName;
}

class Explain : public testing::TestWithParam<DiagPage> {};

TEST_P(Explain, PageIsTrue) {
  const DiagPage& page = GetParam();
  EXPECT_FALSE(page.explanation.empty());
  if (isOfOtherTexts(page.id)) return;
  if (auto other = others().find(page.id); other != others().end()) {
    EXPECT_TRUE(page.slip.empty());
    EXPECT_TRUE(has(check(other->second), page.id)) << listed(check(other->second));
    return;
  }
  auto slip = check(std::string(page.slip)), mended = check(std::string(page.mended));
  EXPECT_TRUE(has(slip, page.id)) << page.slip << "\n" << listed(slip);
  EXPECT_FALSE(has(mended, page.id)) << page.mended << "\n" << listed(mended);
  for (const Diagnostic& d : mended)
    EXPECT_NE(d.severity, Severity::Error) << page.mended << "\n" << d.message;
}

INSTANTIATE_TEST_SUITE_P(Pages, Explain, testing::ValuesIn(diagPages()),
                         [](const testing::TestParamInfo<DiagPage>& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Explain, EinsumHasItsName) {
  SourceFile source("--einsum", "ij,jk-");
  Diagnostics errors(source);
  expandEinsum(errors);
  EXPECT_TRUE(has(errors.all(), Diag::Einsum));
}

TEST(Explain, NamesAreStable) {
  for (const DiagPage& page : diagPages()) {
    EXPECT_EQ(page.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789"),
              std::string_view::npos)
        << page.name;
    EXPECT_EQ(std::count_if(diagPages().begin(), diagPages().end(),
                            [&](const DiagPage& other) { return other.name == page.name; }),
              1)
        << page.name;
  }
}

}  // namespace
}  // namespace einc::frontend
