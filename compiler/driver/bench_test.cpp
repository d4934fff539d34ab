// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/driver/adapters.h"
#include "compiler/driver/bench_compare.h"
#include "compiler/driver/bench_data.h"
#include "compiler/ir/scalar.h"

namespace einc::driver {
namespace {

class AdaptersTest : public testing::Test {
 protected:
  Result<Adapters> adapters() {
    auto compiler = findCompiler("");
    EXPECT_TRUE(compiler) << compiler.reason();
    return Adapters::create("", *compiler, "");
  }
};

TEST_F(AdaptersTest, ALibraryThatIsNotThere) {
  auto made = adapters();
  ASSERT_TRUE(made) << made.reason();
  bench::Library ghost{"ghost",  "ghost", "",
                       "blas.c", "",      {"-DEINC_BENCH_LIBRARY=\"libeinc-ghost.so.9\"", "-ldl"},
                       {}};
  auto path = made->compile(ghost);
  ASSERT_TRUE(path) << path.reason();
  einc_bench_problem problem = {};
  problem.kind = EINC_BENCH_GEMM;
  auto worker = bench::Worker::start({}, loadAdapter(*path, problem, nullptr, nullptr, nullptr));
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.reason(), kNotInstalled);
  EXPECT_FALSE(bench::findHeader("einc-ghost.h"));
}

TEST_F(AdaptersTest, WhatALibraryDoesNotDo) {
  auto made = adapters();
  ASSERT_TRUE(made) << made.reason();
  auto path = made->compile({"peak", "", "", "peak.c", "", {"-ffp-contract=fast"}, {}});
  ASSERT_TRUE(path) << path.reason();
  einc_bench_problem problem = {};
  problem.kind = EINC_BENCH_POOL;
  auto worker = bench::Worker::start({}, loadAdapter(*path, problem, nullptr, nullptr, nullptr));
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.reason(), kNotOffered);
}

TEST(BenchData, InputsAreMultiplesOfAnEighth) {
  for (ir::ScalarType type : {ir::ScalarType::F32, ir::ScalarType::F64, ir::ScalarType::F16}) {
    auto view = reserve(type, {3, 70000});
    ASSERT_TRUE(view) << view.reason();
    fillInput(*view);
    bool varies = false;
    for (int64_t i = 0; i < 210000; ++i) {
      double value =
          ir::readElement(type, view->storage.get() + i * ir::info(type).bytes()).asFloat;
      ASSERT_TRUE(value >= -1 && value <= 1 && value * 8 == static_cast<int>(value * 8)) << i;
      varies |= value != 0;
    }
    EXPECT_TRUE(varies);
  }
  // 64 * 2^18 is 2^24: every integer up to there is an f32.
  EXPECT_EQ(longestExactSum(ir::ScalarType::F32), 1 << 18);
}

TEST(BenchData, WhatDoesNotFitIsRefused) {
  EXPECT_FALSE(reserve(ir::ScalarType::F64, {int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_FALSE(reserve(ir::ScalarType::F64, {int64_t{1} << 50}));
  EXPECT_TRUE(reserve(ir::ScalarType::F64, {0, 4}));
}

// ---- Results ----

interp::View floats(const std::vector<float>& values) {
  auto view = reserve(ir::ScalarType::F32, {static_cast<int64_t>(values.size())});
  EXPECT_TRUE(view) << view.reason();
  std::memcpy(view->storage.get(), values.data(), values.size() * sizeof(float));
  return *view;
}

TEST(BenchCompare, TheFirstElementThatIsTooFar) {
  const float nan = std::nanf(""), infinity = INFINITY;
  interp::View ours = floats({1, 2, nan, infinity, 0});
  auto difference = [&](const std::vector<float>& values, double allowed) {
    interp::View other = floats(values);
    return firstDifference(ours.storage.get(), other.storage.get(), ours, allowed);
  };
  EXPECT_EQ(difference({1, 2, nan, infinity, -0.0F}, 0), "");
  EXPECT_EQ(difference({1, 2.25, nan, infinity, 0}, 0.25), "");
  EXPECT_EQ(difference({1, 2.5, nan, infinity, 0}, 0.25),
            "at element 1: 2.500000, the kernel has 2.000000");
  EXPECT_NE(difference({1, 2, 0, infinity, 0}, 1e9), "");
  EXPECT_NE(difference({1, 2, nan, -infinity, 0}, 1e9), "");
  EXPECT_NE(difference({nan, 2, nan, infinity, 0}, 1e9), "");
}

TEST(BenchCompare, IntegersAreEqual) {
  auto a = reserve(ir::ScalarType::I32, {2}), b = reserve(ir::ScalarType::I32, {2});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(firstDifference(a->storage.get(), b->storage.get(), *a, 0), "");
  ir::writeElement(ir::ScalarType::I32, {0, 1}, b->storage.get() + 4);
  EXPECT_EQ(firstDifference(a->storage.get(), b->storage.get(), *a, 5),
            "at element 1: 1, the kernel has 0");
}

TEST(BenchCompare, RoundingIsInProportionToTheLargestElement) {
  bench::Work work;
  work.sumLength = 1000;
  double small = allowedRounding(work, floats({1e-4F, -2e-4F}));
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 1e-6);
  EXPECT_NEAR(allowedRounding(work, floats({1, -2})), small * 1e4, small);
  EXPECT_TRUE(std::isfinite(allowedRounding(work, floats({INFINITY, 1}))));
}

}  // namespace
}  // namespace einc::driver
