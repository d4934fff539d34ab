// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/aliasing.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

const char* const kNegate =
    "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> neg(a) }";

ir::Kernel kernelOf(const std::string& ops) {
  return ir::test::goodKernel(
      "kernel @f(%A: tensor<M x M x f32>, %B: tensor<M x f32>) -> (%C: tensor<M x M x f32>)"
      " level tensors {" +
      ops + " }");
}

bool mayShare(const std::string& ops) { return mayShareMemory(kernelOf(ops), 2, 0); }

TEST(Aliasing, WhatIsReadWhereItIsOverwritten) {
  const std::string negate = kNegate;
  EXPECT_TRUE(mayShare(negate));
  EXPECT_FALSE(mayShare(negate + negate));
  EXPECT_FALSE(
      mayShare("op (m: parallel, n: parallel) ins(%A[n, m]) outs(%C[m, n]) { (a, c) -> a }"));
  EXPECT_FALSE(
      mayShare("op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %A[k, n])"
               " outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }"));
}

TEST(Aliasing, AnOutputAndAnInput) {
  const ir::Kernel kernel = kernelOf(kNegate);
  EXPECT_FALSE(mayShareMemory(kernel, 0, 2));
  EXPECT_FALSE(mayShareMemory(kernel, 2, 2));
  EXPECT_FALSE(mayShareMemory(kernel, 2, 1));  // of another shape
}

TEST(Aliasing, OneStandsForAllInAPlace) {
  EXPECT_EQ(sharedPlaces(kernelOf(kNegate)), (std::vector<unsigned>{2, 1, 2}));
  const ir::Kernel kernel = kernelOf(std::string(kNegate) + kNegate);
  EXPECT_EQ(sharedPlaces(kernel), (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(placeByType(kernel, 2), 0u);
}

}  // namespace
}  // namespace einc::facts
