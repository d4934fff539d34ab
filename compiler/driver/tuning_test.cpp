// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/tuning.h"

#include <gtest/gtest.h>

#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

struct Outcome {
  std::optional<Tuning> tuning;
  std::string errors;
};

Outcome parsed(const std::string& text) {
  SourceFile source("t.json", text);
  Diagnostics errors(source);
  Outcome outcome{parseTuning(source, errors), ""};
  llvm::raw_string_ostream out(outcome.errors);
  errors.print(out);
  return outcome;
}

// A file of one entry with these settings.
std::string with(const std::string& settings) {
  return R"({"einc_tuning": 1, "defs": [{"def": "f", "kernel": ["k"], "target": "native", )"
         R"("threads": 1, "settings": [)" +
         settings + "]}]}";
}

TEST(Tuning, WhatIsWrittenIsRead) {
  Tuning tuning;
  TunedDef def;
  def.def = "g";
  def.kernel = {"kernel @g() {", "}"};
  def.target = "x86-64-v4";
  def.threads = 4;
  def.machine = {{"cpu", "one \"quoted\""}};
  def.settings = {{"g", 0, "kc", "256"}, {"g", 2, "library", "cblas where m * n >= 9 else blis"}};
  def.measured = {{{{"M", 8}}, {{"generated", 12e-9}, {"op 0 by blis", 3e-6}}}};
  tuning.defs = {def};
  def.def = "f";
  tuning.defs.push_back(def);
  std::string text = tuningText(tuning);
  Outcome again = parsed(text);
  ASSERT_TRUE(again.tuning) << again.errors;
  EXPECT_EQ(tuningText(*again.tuning), text);
  ASSERT_EQ(again.tuning->defs.size(), 2u);
  EXPECT_EQ(again.tuning->defs[0].def, "f");  // sorted
  EXPECT_EQ(again.tuning->defs[1].settings[1].value, "cblas where m * n >= 9 else blis");
  for (const auto& [way, seconds] : again.tuning->defs[1].measured[0].seconds)
    EXPECT_DOUBLE_EQ(seconds, way == "generated" ? 12e-9 : 3e-6);
}

TEST(Tuning, SaysWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "t.json:1:1: error: no JSON"},
      {"{\n  \"einc_tuning\": 1,\n  ]", "t.json:3:"},
      {"[]", "this is no tuning file"},
      {"{\"einc_tuning\": 7}", "this is version 7 of tuning files; this einc reads version 1"},
      {"{\"einc_tuning\": 1}", "expected \"defs\""},
      {"{\"einc_tuning\": 1, \"defs\": [3]}", "defs[0]: expected an object"},
      {with("3"), "defs[0].settings: expected objects"},
      {with(R"({"op": -1, "name": "kc", "value": "8"})"), "defs[0].settings: expected objects"},
      {with(R"({"op": 0, "name": "kc", "value": 8})"), "defs[0].settings: expected objects"},
      {with(R"({"op": 0, "name": "library", "value": "mkl"})"), "which library is asked"},
      {with(R"({"op": 0, "name": "library", "value": "cblas where m"})"), "which library is asked"},
      {with(R"({"op": 0, "name": "kc", "value": "8},unroll{x"})"), "no setting has such"},
      {with(R"({"op": 0, "name": "k.c", "value": "8"})"), "no setting has such"}};
  for (const auto& [text, message] : cases) {
    Outcome outcome = parsed(text);
    EXPECT_FALSE(outcome.tuning) << text;
    EXPECT_NE(outcome.errors.find(message), std::string::npos) << text << "\n" << outcome.errors;
  }
  EXPECT_TRUE(parsed(with("")).tuning);
}

}  // namespace
}  // namespace einc::driver
