// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The typed view. The layout rules are tested in layout_test.cpp; here, that views name
// the elements they should (by random chains of operations against a model) and refuse what they
// should.
#include "runtime/memref.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

EINC_MEMREF(float, f32, 1);
EINC_MEMREF(float, f32, 2);
EINC_MEMREF(float, f32, 3);
EINC_MEMREF(int32_t, i32, 2);
EINC_MEMREF_0(float, f32);

namespace {

using einc::MemRef;
using einc::Result;
using einc::Sizes;

static_assert(std::is_standard_layout<MemRef<float, 2>>::value, "");
static_assert(std::is_standard_layout<MemRef<const float, 0>>::value, "");
static_assert(std::is_trivially_copyable<MemRef<float, 3>>::value, "");
static_assert(sizeof(MemRef<float, 0>) == sizeof(einc_memref_f32_0), "");
static_assert(sizeof(MemRef<float, 3>) == sizeof(einc_memref_f32_3), "");
static_assert(std::is_convertible<MemRef<float, 2>, MemRef<const float, 2>>::value, "");
static_assert(!std::is_convertible<MemRef<const float, 2>, MemRef<float, 2>>::value, "");
static_assert(!std::is_convertible<MemRef<int, 2>, MemRef<const float, 2>>::value, "");

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// What MLIR's own runtime calls the same thing.
struct MlirMemRef {
  float *basePtr, *data;
  int64_t offset, sizes[2], strides[2];
};

std::vector<float> iota(size_t n) {
  std::vector<float> result(n);
  for (size_t i = 0; i < n; ++i) result[i] = static_cast<float>(i);
  return result;
}

template <class T>
std::vector<float> values(const MemRef<T, 1> &a) {
  std::vector<float> result(static_cast<size_t>(a.count()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a(i);
  return result;
}

TEST(MemRef, IsTheDescriptor) {
  std::vector<float> buffer = iota(24);
  const MemRef<float, 2> a(buffer.data(), {2, 3}, {12, -2}, 5);
  const auto d = a.as<einc_memref_f32_2>();
  EXPECT_EQ(d.allocated, buffer.data());
  EXPECT_EQ(d.aligned, buffer.data());
  EXPECT_EQ(d.offset, 5);
  EXPECT_EQ(d.sizes[1], 3);
  EXPECT_EQ(d.strides[0], 12);
  EXPECT_EQ(d.strides[1], -2);
  EXPECT_EQ(a(1, 2), 13);
  EXPECT_EQ(a.data(), &buffer[5]);

  const Result<MemRef<float, 2>> back = MemRef<float, 2>::from(d);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->strides(), a.strides());
  const auto mlir = a.as<MlirMemRef>();
  EXPECT_EQ(mlir.data, buffer.data());
  EXPECT_EQ((*MemRef<const float, 2>::from(mlir))(1, 2), 13);

  const MemRef<const float, 2> read_only = a;
  EXPECT_EQ(read_only.as_input<einc_memref_f32_2>().offset, 5);
}

TEST(MemRef, RankZero) {
  float x = 3;
  MemRef<float, 0> a(&x, {});
  EXPECT_EQ(a(), 3);
  a() = 4;
  EXPECT_EQ(x, 4);
  EXPECT_EQ(a.count(), 1);
  EXPECT_EQ(a.as<einc_memref_f32_0>().aligned, &x);
  EXPECT_EQ((*a.broadcast<2>({2, 3}))(1, 2), 4);
  EXPECT_EQ(a.expand<0>()->size(0), 1);
  EXPECT_EQ((MemRef<float, 0>::make(nullptr, {}).status()), EINC_NULL_DATA);
  const MemRef<float, 0> none;
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.at({}).status(), EINC_NULL_DATA);
  EXPECT_EQ(none.expand<0>().status(), EINC_NULL_DATA);
  EXPECT_EQ(none.broadcast<1>({2}).status(), EINC_NULL_DATA);
}

TEST(MemRef, Empty) {
  const MemRef<float, 2> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.data(), nullptr);
  const auto a = MemRef<float, 3>::make(nullptr, {4, 0, kMax}, {kMax, 0, kMax}, kMax);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->count(), 0);
  EXPECT_EQ(a->data(), nullptr);
  EXPECT_TRUE(a->reverse(2).ok());
  EXPECT_TRUE(a->slice(2, kMax, kMax, 3).ok());
  EXPECT_TRUE(a->transpose({2, 0, 1}).ok());
  EXPECT_TRUE((a->collapse<0, 2>().ok()));
  EXPECT_EQ(a->at({0, 0, 0}).status(), EINC_OUT_OF_RANGE);
}

TEST(MemRef, MakeRefuses) {
  alignas(8) float x[8] = {};
  using A = MemRef<float, 2>;
  using C = MemRef<const float, 2>;
  float *const odd = reinterpret_cast<float *>(reinterpret_cast<char *>(x) + 2);
  EXPECT_EQ(A::make(x, {-1, 2}).status(), EINC_NEGATIVE_SIZE);
  EXPECT_EQ(A::make(nullptr, {1, 2}).status(), EINC_NULL_DATA);
  EXPECT_EQ(A::make(odd, {1, 2}).status(), EINC_MISALIGNED);
  EXPECT_EQ(A::make(x, {kMax, 2}).status(), EINC_OVERFLOW);
  EXPECT_EQ(A::make(x, {kMax / 4, 2}).status(), EINC_OVERFLOW);
  EXPECT_EQ(A::make(x, {2, 2}, {1, 1}).status(), EINC_WOULD_ALIAS);
  EXPECT_EQ(A::make(x, {2, 2}, {0, 1}).status(), EINC_WOULD_ALIAS);
  EXPECT_EQ(A::make(x, {3, 3}, {2, 3}).status(), EINC_OK);  // 0 3 6 2 5 8 4 7 10: not nested
  EXPECT_EQ(A::make(x, {4, 3}, {2, 3}).status(), EINC_WOULD_ALIAS);
  EXPECT_EQ(C::make(x, {2, 2}, {1, 1}).status(), EINC_OK);
  EXPECT_EQ(C::make(x, {2, 2}, {0, 0}).status(), EINC_OK);
  // The way to the first element wraps around the address space.
  EXPECT_EQ(C::make(x, {1, 1}, {1, 1}, -kMax / 8).status(), EINC_OVERFLOW);
  // So does the way past the last one.
  const float *const top = reinterpret_cast<const float *>(UINTPTR_MAX - 7);
  EXPECT_EQ(C::make(top, {1, 1}).status(), EINC_OK);
  EXPECT_EQ(C::make(top, {1, 4}).status(), EINC_OVERFLOW);

  EXPECT_EQ(A::make_within(x, 8, {2, 4}, {4, 1}).status(), EINC_OK);
  EXPECT_EQ(A::make_within(x, 7, {2, 4}, {4, 1}).status(), EINC_OUT_OF_RANGE);
  EXPECT_EQ(A::make_within(x, 8, {2, 4}, {-4, 1}, 4).status(), EINC_OK);
  EXPECT_EQ(A::make_within(x, 8, {2, 4}, {-4, 1}, 3).status(), EINC_OUT_OF_RANGE);
  EXPECT_EQ(A::make_within(x, 0, {2, 0}, {4, 1}).status(), EINC_OK);
}

TEST(MemRef, FromRefusesBrokenDescriptors) {
  float x[4] = {};
  einc_memref_f32_2 d = {x, x, 0, {2, 2}, {2, 1}};
  EXPECT_TRUE((MemRef<float, 2>::from(d).ok()));
  d.strides[0] = 1;
  EXPECT_EQ((MemRef<float, 2>::from(d).status()), EINC_WOULD_ALIAS);
  EXPECT_EQ((MemRef<const float, 2>::from(d).status()), EINC_OK);
  d.sizes[1] = -2;
  EXPECT_EQ((MemRef<float, 2>::from(d).status()), EINC_NEGATIVE_SIZE);
}

TEST(MemRef, At) {
  std::vector<float> buffer = iota(6);
  const MemRef<float, 2> a(buffer.data(), {2, 3});
  EXPECT_EQ(**a.at({1, 2}), 5);
  for (const Sizes<2> &bad : {Sizes<2>{2, 0}, {0, 3}, {-1, 0}, {0, -1}, {kMax, kMax}}) {
    EXPECT_EQ(a.at(bad).status(), EINC_OUT_OF_RANGE);
  }
}

TEST(MemRefDeathTest, MisuseAbortsWithTheReason) {
  std::vector<float> buffer = iota(6);
  const MemRef<float, 2> a(buffer.data(), {2, 3});
  EXPECT_DEATH((void)a(2, 0), "would leave a tensor");
  EXPECT_DEATH((void)a.size(2), "dimension 2 of a view of rank 2");
  EXPECT_DEATH((MemRef<float, 2>(buffer.data(), {2, 3}, {1, 1})), "same element twice");
}

TEST(MemRef, Views) {
  std::vector<float> buffer = iota(24);
  const MemRef<float, 2> a(buffer.data(), {4, 6});
  EXPECT_EQ(values(*a.select<0>(2)), (std::vector<float>{12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(values(*a.select<1>(5)), (std::vector<float>{5, 11, 17, 23}));
  EXPECT_EQ(a.select<0>(4).status(), EINC_OUT_OF_RANGE);
  EXPECT_EQ(a.select<0>(-1).status(), EINC_OUT_OF_RANGE);
  EXPECT_EQ(a.select<0>(kMax).status(), EINC_OUT_OF_RANGE);
  EXPECT_EQ(a.squeeze<0>().status(), EINC_SIZE_MISMATCH);
  EXPECT_EQ((*a.transpose({1, 0}))(5, 2), 17);
  EXPECT_EQ((*a.reverse(1))(0, 0), 5);
  EXPECT_EQ((*a.subview({1, 4}, {2, 2}, {2, -3}))(1, 1), 19);
  EXPECT_EQ((*a.subview({1, 4}, {2, 2}))(1, 1), 17);
  EXPECT_EQ((*a.reshape<3>({2, 2, 6}))(1, 1, 3), 21);
  EXPECT_EQ(values(*a.collapse<0, 1>()), buffer);
  EXPECT_EQ((a.slice(1, 0, 5)->collapse<0, 1>().status()), EINC_NOT_CONTIGUOUS);
  EXPECT_EQ((a.slice(1, 0, 5)->reshape<3>({2, 2, 5}).status()), EINC_OK);
  EXPECT_EQ((a.expand<1>()->sizes()), (Sizes<3>{4, 1, 6}));
  EXPECT_EQ((a.expand<2>()->squeeze<2>()->strides()), a.strides());
  // Written through, and chained.
  const auto written = a.transpose({1, 0})
                           .and_then([](const auto &t) { return t.slice(0, 5, -1, -2); })
                           .and_then([](const auto &t) { return t.template select<1>(3); });
  (*written)(0) = 100;
  EXPECT_EQ(buffer[23], 100);
}

TEST(MemRef, WritableViewsNeverRepeatElements) {
  std::vector<float> buffer = iota(6);
  const MemRef<float, 2> a(buffer.data(), {2, 3});
  const MemRef<const float, 2> c = a;
  static_assert(
      std::is_same<decltype(a.broadcast<3>({2, 2, 3}))::value_type, MemRef<const float, 3>>::value,
      "");
  EXPECT_EQ((*a.broadcast<3>({2, 2, 3}))(1, 1, 2), 5);
  EXPECT_EQ(a.broadcast<2>({2, 4}).status(), EINC_SIZE_MISMATCH);
  EXPECT_EQ(a.subview({0, 0}, {2, 2}, {1, 0}).status(), EINC_WOULD_ALIAS);
  EXPECT_EQ(a.subview({0, 0}, {0, 2}, {1, 0}).status(), EINC_OK);
  EXPECT_EQ(a.subview({0, 0}, {2, 1}, {1, 0}).status(), EINC_OK);
  EXPECT_EQ(c.subview({0, 0}, {2, 2}, {1, 0}).status(), EINC_OK);
}

// A rank-3 view beside a list of the addresses that its elements should have, in row-major order.
// Random operations are applied to both, with the model working on indices alone.
class Pair {
 public:
  using View = MemRef<float, 3>;
  explicit Pair(const View &view) : view_(view) {
    const Sizes<3> n = view.sizes();
    for (int64_t i = 0; i < view.count(); ++i) {
      addresses_.push_back(view.data() + i / (n[1] * n[2]) * view.stride(0) +
                           i / n[2] % n[1] * view.stride(1) + i % n[2] * view.stride(2));
    }
  }

  const View &view() const { return view_; }

  // Element (i, j, k) of the new view is element source({i, j, k}) of this one.
  template <class F>
  void replace(const Result<View> &made, const Sizes<3> &sizes, F &&source) {
    ASSERT_TRUE(made) << einc_status_string(made.status());
    ASSERT_EQ(made->sizes(), sizes);
    const Sizes<3> old = view_.sizes();
    std::vector<float *> addresses;
    for (int64_t i = 0; i < sizes[0]; ++i) {
      for (int64_t j = 0; j < sizes[1]; ++j) {
        for (int64_t k = 0; k < sizes[2]; ++k) {
          const Sizes<3> from = source(Sizes<3>{i, j, k});
          addresses.push_back(
              addresses_[static_cast<size_t>((from[0] * old[1] + from[1]) * old[2] + from[2])]);
          ASSERT_EQ(&(*made)(i, j, k), addresses.back());
        }
      }
    }
    view_ = *made;
    addresses_ = addresses;
  }

  void reshape(const Sizes<3> &sizes) {
    const Result<View> made = view_.reshape<3>(sizes);
    if (!made) {
      ASSERT_EQ(made.status(), EINC_NOT_CONTIGUOUS);
      return;
    }
    for (int64_t i = 0; i < made->count(); ++i) {
      const int64_t last = i % sizes[2], middle = i / sizes[2] % sizes[1];
      ASSERT_EQ(&(*made)(i / (sizes[1] * sizes[2]), middle, last),
                addresses_[static_cast<size_t>(i)]);
    }
    view_ = *made;
  }

 private:
  View view_;
  std::vector<float *> addresses_;
};

TEST(MemRef, RandomChainsNameTheRightElements) {
  std::mt19937_64 engine(7);
  const auto random = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  };
  std::vector<float> buffer(1000);
  for (int trial = 0; trial < 400; ++trial) {
    Pair pair(MemRef<float, 3>(buffer.data(), {random(1, 8), random(1, 8), random(1, 8)}));
    for (int step = 0; step < 8 && !pair.view().empty(); ++step) {
      const MemRef<float, 3> view = pair.view();
      const Sizes<3> n = view.sizes();
      const int dim = static_cast<int>(random(0, 2));
      const size_t d = static_cast<size_t>(dim);
      Sizes<3> sizes = n;
      switch (random(0, 5)) {
        case 0: {
          const int64_t by = random(0, 1) ? random(1, 3) : -random(1, 3), low = by > 0 ? 0 : -1;
          const int64_t start = random(low, n[d] + low), stop = random(low, n[d] + low);
          sizes[d] = 0;
          for (int64_t i = start; by > 0 ? i < stop : i > stop; i += by) ++sizes[d];
          pair.replace(view.slice(dim, start, stop, by), sizes, [&](Sizes<3> index) {
            index[d] = start + index[d] * by;
            return index;
          });
          break;
        }
        case 1: {
          Sizes<3> offsets;
          for (size_t e = 0; e < 3; ++e) {
            offsets[e] = random(0, n[e] - 1);
            sizes[e] = random(1, n[e] - offsets[e]);
          }
          pair.replace(view.subview(offsets, sizes), sizes, [&](Sizes<3> index) {
            for (size_t e = 0; e < 3; ++e) index[e] += offsets[e];
            return index;
          });
          break;
        }
        case 2: {
          std::array<int, 3> p = {0, 1, 2};
          std::shuffle(p.begin(), p.end(), engine);
          for (size_t e = 0; e < 3; ++e) sizes[e] = n[static_cast<size_t>(p[e])];
          pair.replace(view.transpose(p), sizes, [&](Sizes<3> index) {
            Sizes<3> from;
            for (size_t e = 0; e < 3; ++e) from[static_cast<size_t>(p[e])] = index[e];
            return from;
          });
          break;
        }
        case 3:
          pair.replace(view.reverse(dim), sizes, [&](Sizes<3> index) {
            index[d] = n[d] - 1 - index[d];
            return index;
          });
          break;
        case 4:
          pair.reshape({n[1] * n[0], 1, n[2]});
          break;
        default:
          pair.reshape({n[0], n[2], n[1]});
          break;
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
