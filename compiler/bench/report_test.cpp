// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/report.h"

#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"

namespace einc::bench {
namespace {

Report sample() {
  Report r;
  r.kernel = "f<&";
  r.source = "f.tc";
  r.dims = {{"M", 4}};
  r.recognized = "gemm";
  r.work.operations = 2e9;
  r.work.instructions = 1e9;
  r.work.bytes = 1e9;
  r.work.readBytes = 0.75e9;
  r.work.elementBytes = 4;
  r.peak = {200e9, 64, 4, {20e9, "memcpy"}, {15e9, "vectors"}, {10e9, "memset"}};
  r.rounds = 3;
  Contestant einc, other, missing;
  einc.name = "einc";
  einc.seconds = {0.02, 0.04, 0.02};
  other.name = "other";
  other.seconds = {0.03, 0.02, 0.03};
  other.matches = true;
  missing.name = "missing";
  missing.standing = Standing::NotInstalled;
  r.contestants = {einc, other, missing};
  return r;
}

TEST(Summary, Quartiles) {
  Summary s = summarize({4, 1, 2, 3, 5});
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 5);
  EXPECT_EQ(s.lower, 2);
  EXPECT_EQ(s.upper, 4);
  EXPECT_DOUBLE_EQ(s.spread(), 2.0 / 3);
  EXPECT_EQ(summarize({1, 2}).median, 1.5);
  EXPECT_EQ(summarize({}).median, 0);
}

// Rounds are compared with each other, not medians: 1.5, 0.5, 1.5.
TEST(Report, RatiosAreOfTheSameRound) {
  Report r = sample();
  EXPECT_DOUBLE_EQ(*ratio(r, r.contestants[1]), 1.5);
  EXPECT_FALSE(ratio(r, r.contestants[2]));
}

TEST(Report, WhatIsLeastPossible) {
  Report r = sample();
  EXPECT_DOUBLE_EQ(leastByInstructions(r), 0.01);  // 2e9 operations, as multiply-adds
  EXPECT_DOUBLE_EQ(leastByBytes(r), 0.05);
  // 0.75e9 bytes at 15e9 a second, 0.25e9 at 10e9, all of them at 20e9: whichever takes longest.
  EXPECT_DOUBLE_EQ(leastByMemory(r), 0.05);
  r.work.readBytes = 0.9e9;
  EXPECT_DOUBLE_EQ(leastByMemory(r), 0.06);
  r.work.readBytes = 0;
  EXPECT_DOUBLE_EQ(leastByMemory(r), 0.1);
  r.peak.writes = {};
  EXPECT_DOUBLE_EQ(leastByMemory(r), 0);
  r.work.elementBytes = 1;  // four times the lanes
  EXPECT_DOUBLE_EQ(leastByInstructions(r), 0.0025);
  r.peak.elementBytes = 8;  // f64's peak is of half the lanes, so twice the instructions
  EXPECT_DOUBLE_EQ(leastByInstructions(r), 0.00125);
}

TEST(Report, Table) {
  std::string text = tableText(sample());
  for (const char* part :
       {"f<& of f.tc, M=4", "to a library: gemm", "median  spread  GFLOP/s", "einc", "20.00 ms",
        "100.0", "1.50", "not installed", "copies 20.0 GB/s (memcpy), reads 15.0 GB/s (vectors)",
        "writes 10.0 GB/s (memset)", "of memory", "2.50"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("NOT ALONE"), std::string::npos);
  Report shared = sample();
  shared.cpuShare = 0.5;
  EXPECT_NE(tableText(shared).find("NOT ALONE: something else had up to 50%"), std::string::npos);
  Report wrong = sample();
  wrong.contestants[1].matches = false;
  wrong.contestants[1].difference = "at element 3: 1, the kernel has 2";
  EXPECT_NE(tableText(wrong).find("ANOTHER RESULT at element 3"), std::string::npos);
}

TEST(Report, Json) {
  auto parsed = llvm::json::parse(jsonText(sample()));
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Object* all = parsed->getAsObject();
  EXPECT_EQ(all->getString("to_a_library"), "gemm");
  EXPECT_EQ(all->getObject("peak")->getNumber("flops"), 200e9);
  EXPECT_EQ(all->getObject("peak")->getNumber("read_bytes_per_second"), 15e9);
  EXPECT_EQ(all->getObject("peak")->getNumber("write_bytes_per_second"), 10e9);
  const llvm::json::Array* contestants = all->getArray("contestants");
  ASSERT_EQ(contestants->size(), 3u);
  EXPECT_EQ((*contestants)[1].getAsObject()->getNumber("ratio"), 1.5);
  EXPECT_EQ((*contestants)[2].getAsObject()->getString("standing"), "not installed");
}

// Without operations, without anybody timed, without a peak: still a picture.
TEST(Report, PictureOfAnything) {
  Report empty = sample();
  empty.work = {};
  empty.peak = {};
  for (const Report& r : {sample(), empty}) {
    std::string svg = rooflineSvg(r);
    EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << svg;
    EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
    EXPECT_NE(svg.find("f&lt;&amp;"), std::string::npos);
    EXPECT_EQ(svg.find("15.0 GB/s") != std::string::npos, r.peak.reads.bytes > 0);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

}  // namespace
}  // namespace einc::bench
