// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "compiler/bench/contestants.h"

namespace einc::bench {
namespace {

TEST(Worker, RunsApartWithItsOwnEnvironmentAndOutput) {
  int output = 1;
  WorkerOptions options;
  options.environment = {{"EINC_TEST_WORKER", "yes"}};
  options.reset = [&] { output = 40; };
  options.output = &output;
  options.outputBytes = sizeof output;
  auto worker = Worker::start(options, [&]() -> Result<Load> {
    return Load{[&] { output += 2; }, [] { return std::string(::getenv("EINC_TEST_WORKER")); }};
  });
  ASSERT_TRUE(worker) << worker.reason();
  EXPECT_EQ(*worker->describe(), "yes");
  EXPECT_EQ(::getenv("EINC_TEST_WORKER"), nullptr);
  ASSERT_TRUE(worker->sample(1e-4));  // runs before runOnce leave no trace in it
  ASSERT_TRUE(worker->runOnce());
  int seen = 0;
  std::memcpy(&seen, worker->output(), sizeof seen);
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(output, 1);
}

TEST(Worker, SamplesLastAsLongAsAsked) {
  auto worker = Worker::start({}, []() -> Result<Load> {
    return Load{[] { ::usleep(100); }, [] { return std::string(); }};
  });
  ASSERT_TRUE(worker) << worker.reason();
  auto sample = worker->sample(0.01);
  ASSERT_TRUE(sample) << sample.reason();
  EXPECT_GE(sample->seconds, 100e-6);
  EXPECT_GT(sample->runs, 1);
  EXPECT_LE(sample->runs, 100);
  EXPECT_LT(sample->share, 0.9);  // it sleeps, which looks the same as having to wait
}

TEST(Worker, WhatFailsIsSaid) {
  auto refused = Worker::start({}, []() -> Result<Load> { return Reason{"not today"}; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), "not today");
  auto dead = Worker::start({}, []() -> Result<Load> { ::_exit(1); });
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.reason(), "it crashed while it was loaded");
  auto crashing = Worker::start(
      {}, []() -> Result<Load> { return Load{[] { ::_exit(1); }, [] { return std::string(); }}; });
  ASSERT_TRUE(crashing);
  auto once = crashing->runOnce();
  ASSERT_FALSE(once);
  EXPECT_EQ(once.reason(), "it crashed");
  EXPECT_FALSE(crashing->sample(0.01));
}

TEST(Contestants, AreChosenByNameOrGroup) {
  EXPECT_EQ(chooseLibraries({}, "X")->size(), allLibraries("X").size());
  EXPECT_TRUE(chooseLibraries({"none"}, "X")->empty());
  auto two = chooseLibraries({"openblas"}, "Zen");
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].environment.count("OPENBLAS_CORETYPE"), 0u);
  EXPECT_EQ((*two)[1].environment.at("OPENBLAS_CORETYPE"), "Zen");
  EXPECT_EQ(chooseLibraries({"openblas-fit"}, "Zen")->size(), 1u);
  auto wrong = chooseLibraries({"openblass"}, "X");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.reason().find("did you mean"), std::string::npos) << wrong.reason();
  EXPECT_FALSE(chooseLibraries({"none", "blis"}, "X"));
}

TEST(Contestants, EveryAdapterHasItsSource) {
  for (const Library& library : allLibraries("X"))
    EXPECT_EQ(adapterSources().count(library.adapter), 1u) << library.adapter;
}

TEST(Contestants, CoreTypes) {
  EXPECT_EQ(coreTypeFor(64, true), "SkylakeX");
  EXPECT_EQ(coreTypeFor(32, true), "Haswell");
  EXPECT_EQ(coreTypeFor(16, false), "Nehalem");
}

}  // namespace
}  // namespace einc::bench
