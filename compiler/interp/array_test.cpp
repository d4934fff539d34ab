// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/array.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace einc::interp {
namespace {

using ir::ScalarType;

TEST(Array, AllocateIsRowMajorAndZero) {
  View view = *allocate(ScalarType::F16, {2, 3, 4});
  EXPECT_EQ(view.strides, (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(view.storageBytes, 48);
  int count = 0;
  forEachIndex(view.sizes, [&](auto index) {
    EXPECT_EQ(view.load(index).asFloat, 0);
    view.store(index, {static_cast<double>(count++), 0});
  });
  EXPECT_EQ(count, 24);
  EXPECT_EQ(view.load(std::vector<int64_t>{1, 2, 3}).asFloat, 23);
}

TEST(Array, AllocateBeginsAtACacheLine) {
  for (int64_t size : {0, 1, 7, 100, 100000}) {
    View view = *allocate(ScalarType::F32, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.storage.get()) % 64, 0U) << size;
    std::memset(view.storage.get(), 1, static_cast<size_t>(view.storageBytes));  // all of it
  }
}

TEST(Array, AllocateRefusesAbsurdSizes) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_EQ(allocate(ScalarType::F32, {-1}).reason(), "size -1 is negative");
  EXPECT_EQ(allocate(ScalarType::I8, {kHuge, 4}).reason(),
            "the number of elements does not fit in 64 bits");
  EXPECT_EQ(allocate(ScalarType::I8, {kHuge}).reason(),
            "an array of 4611686018427387904 elements is larger than 1 TiB");
  EXPECT_TRUE(allocate(ScalarType::F64, {kHuge, kHuge, 0}));
  EXPECT_TRUE(allocate(ScalarType::F64, {}));
}

TEST(Array, ReachKnowsItsLimits) {
  View view = *allocate(ScalarType::F64, {4});
  view.sizes = {3, 5};
  view.strides = {-10, 2};
  view.offset = 100;
  EXPECT_EQ(reachOf(view)->low, 80);
  EXPECT_EQ(reachOf(view)->high, 108);
  EXPECT_FALSE(staysInside(view));
  view.strides = {INT64_MIN, INT64_MAX};
  EXPECT_FALSE(reachOf(view));
  view.strides = {0, int64_t{1} << 58};  // 2^60 elements of 8 bytes
  EXPECT_FALSE(reachOf(view));
  view.sizes = {0, INT64_MAX};
  EXPECT_TRUE(staysInside(view));
  view.sizes = {-1};
  EXPECT_FALSE(reachOf(view));
}

TEST(Array, ZerosCountAsOnesInTheLimit) {
  View view = *allocate(ScalarType::F64, {0, 4});
  EXPECT_FALSE(isTooLarge(view));
  view.sizes = {int64_t{1} << 53, 0};  // 2^56 bytes
  EXPECT_FALSE(isTooLarge(view));
  view.sizes = {(int64_t{1} << 53) + 1, 0};
  EXPECT_TRUE(isTooLarge(view));
  view.sizes = {INT64_MAX, INT64_MAX, INT64_MAX, 0};
  EXPECT_TRUE(isTooLarge(view));
}

View randomView(std::mt19937& random, const View& base) {
  View view = base;
  do {
    view.offset = static_cast<int64_t>(random() % 20);
    size_t rank = random() % 4;
    view.sizes.clear();
    view.strides.clear();
    for (size_t d = 0; d < rank; ++d) {
      view.sizes.push_back(static_cast<int64_t>(random() % 5));
      view.strides.push_back(static_cast<int64_t>(random() % 13) - 6);
    }
  } while (!staysInside(view));
  return view;
}

std::multiset<const std::byte*> bytesOf(const View& view) {
  std::multiset<const std::byte*> bytes;
  forEachIndex(view.sizes, [&](auto index) {
    for (unsigned b = 0; b < info(view.type).bytes(); ++b) bytes.insert(view.address(index) + b);
  });
  return bytes;
}

TEST(Array, OverlapTestsAgreeWithCounting) {
  std::mt19937 random(3);
  View base = *allocate(ScalarType::U8, {160});
  for (int i = 0; i < 20000; ++i) {
    base.type = i % 3 == 0 ? ScalarType::F32 : ScalarType::I16;
    View a = randomView(random, base);
    base.type = i % 2 == 0 ? ScalarType::F32 : ScalarType::I16;
    View b = randomView(random, base);
    auto inA = bytesOf(a), inB = bytesOf(b);
    std::set<const std::byte*> distinct(inA.begin(), inA.end());
    ASSERT_EQ(overlapsItself(a), distinct.size() != inA.size());
    bool common = std::any_of(inB.begin(), inB.end(), [&](auto* p) { return distinct.count(p); });
    ASSERT_EQ(overlap(a, b), common);
  }
}

TEST(Array, LargeNestedViewsAreDecidedWithoutCounting) {
  View view = *allocate(ScalarType::U8, {1});
  view.sizes = {1 << 20, 1 << 20};
  view.strides = {1 << 21, -1};
  EXPECT_FALSE(overlapsItself(view));
  view.strides = {1 << 19, 1};
  EXPECT_TRUE(overlapsItself(view));
}

TEST(Array, SameViewIgnoresStridesOfSingleElements) {
  View a = *allocate(ScalarType::F32, {1, 4});
  View b = a;
  b.strides[0] = 99;
  EXPECT_TRUE(sameView(a, b));
  b.strides[1] = -1;
  EXPECT_FALSE(sameView(a, b));
  EXPECT_FALSE(sameView(a, *allocate(ScalarType::F32, {1, 4})));
}

}  // namespace
}  // namespace einc::interp
