// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Random layouts of any rank against a brute-force model: the list of all element positions, in
// row-major order of the indices.
#include "runtime/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

using Ints = std::vector<int64_t>;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Calls f for each index, in row-major order.
void for_each(const Ints &sizes, const std::function<void(const Ints &)> &f) {
  Ints index(sizes.size(), 0);
  for (int64_t size : sizes) {
    if (size == 0) return;
  }
  for (;;) {
    f(index);
    int d = static_cast<int>(sizes.size()) - 1;
    while (d >= 0 && ++index[static_cast<size_t>(d)] == sizes[static_cast<size_t>(d)]) {
      index[static_cast<size_t>(d--)] = 0;
    }
    if (d < 0) return;
  }
}

Ints sizes_of(const einc_layout &l) { return Ints(l.sizes, l.sizes + l.rank); }

Ints positions(const einc_layout &l) {
  Ints result;
  for_each(sizes_of(l), [&](const Ints &index) {
    int64_t at = l.offset;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * l.strides[d];
    result.push_back(at);
  });
  return result;
}

einc_layout make(const Ints &sizes, const Ints &strides, int64_t offset = 0) {
  einc_layout l;
  EXPECT_EQ(
      einc_layout_make(static_cast<int>(sizes.size()), sizes.data(), strides.data(), offset, &l),
      EINC_OK);
  return l;
}

class Random {
 public:
  int64_t in(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  Ints many(int n, int64_t low, int64_t high) {
    Ints result;
    for (int d = 0; d < n; ++d) result.push_back(in(low, high));
    return result;
  }
  template <class T>
  void shuffle(T &values) {
    std::shuffle(values.begin(), values.end(), engine_);
  }

 private:
  std::mt19937_64 engine_{20240611};
};

TEST(Layout, RowMajor) {
  einc_layout l;
  const Ints sizes = {2, 3, 4};
  ASSERT_EQ(einc_layout_row_major(3, sizes.data(), &l), EINC_OK);
  EXPECT_EQ(Ints(l.strides, l.strides + 3), (Ints{12, 4, 1}));
  ASSERT_EQ(einc_layout_row_major(0, nullptr, &l), EINC_OK);
  EXPECT_EQ(positions(l), Ints{0});
  const Ints empty = {0, kMax, kMax};
  EXPECT_EQ(einc_layout_row_major(3, empty.data(), &l), EINC_OK);
  EXPECT_EQ(einc_layout_check(&l, 8), EINC_OK);
  const Ints huge = {kMax, 2};
  EXPECT_EQ(einc_layout_row_major(2, huge.data(), &l), EINC_OVERFLOW);
  const Ints negative = {0, -1};
  EXPECT_EQ(einc_layout_row_major(2, negative.data(), &l), EINC_NEGATIVE_SIZE);
  EXPECT_EQ(einc_layout_row_major(EINC_MAX_RANK + 1, huge.data(), &l), EINC_BAD_VIEW);
  EXPECT_EQ(einc_layout_row_major(-1, huge.data(), &l), EINC_BAD_VIEW);
}

TEST(Layout, RangeHoldsAllPositionsTightly) {
  Random random;
  for (int trial = 0; trial < 500; ++trial) {
    const int rank = static_cast<int>(random.in(0, 4));
    const einc_layout l = make(random.many(rank, 0, 4), random.many(rank, -9, 9), random.in(-5, 5));
    const Ints all = positions(l);
    int64_t count, low, high;
    ASSERT_EQ(einc_layout_count(&l, &count), EINC_OK);
    ASSERT_EQ(einc_layout_range(&l, &low, &high), EINC_OK);
    EXPECT_EQ(count, static_cast<int64_t>(all.size()));
    EXPECT_EQ(low, all.empty() ? l.offset : *std::min_element(all.begin(), all.end()));
    EXPECT_EQ(high, all.empty() ? l.offset : *std::max_element(all.begin(), all.end()) + 1);
  }
}

TEST(Layout, ArithmeticNeverOverflowsSilently) {
  struct Case {
    Ints sizes, strides;
    int64_t offset;
    size_t bytes;
    einc_status status;
  };
  const int64_t most = PTRDIFF_MAX;
  const Case cases[] = {
      {{2}, {kMax - 1}, 0, 1, EINC_OK},
      {{2}, {kMax}, 0, 1, EINC_OVERFLOW},                        // the end is one further
      {{2}, {kMin}, 0, 1, EINC_OVERFLOW},                        // spans more than kMax
      {{1}, {kMin}, 0, 8, EINC_OK},                              // a stride that is never taken
      {{3}, {kMax / 2 + 1}, 0, 1, EINC_OVERFLOW},                // the product
      {{2, 2}, {kMax / 2, kMax / 2 + 2}, 0, 1, EINC_OVERFLOW},   // the sum
      {{2, 2}, {most / 2, -most / 2 - 2}, 0, 1, EINC_OVERFLOW},  // the distance
      {{2, 2}, {most / 16 + 1, -most / 16 - 1}, 0, 8, EINC_OVERFLOW},  // the distance in bytes
      {{1}, {1}, kMax, 1, EINC_OVERFLOW},
      {{1}, {1}, kMin, 1, EINC_OVERFLOW},
      {{1}, {1}, most / 8, 8, EINC_OVERFLOW},  // bytes past PTRDIFF_MAX
      {{1}, {1}, most / 8 - 1, 8, EINC_OK},
      {{most / 4}, {1}, 0, 4, EINC_OK},
      {{most / 4 + 1}, {1}, 0, 4, EINC_OVERFLOW},
      {{kMax, kMax}, {0, 0}, 0, 1, EINC_OVERFLOW},  // the count
      {{kMax, 0, kMax}, {kMin, 3, kMax}, kMax, 8, EINC_OK},
      {{int64_t{1} << 33, 4}, {4, 1}, int64_t{1} << 40, 8, EINC_OK},
  };
  for (const Case &c : cases) {
    const einc_layout l = make(c.sizes, c.strides, c.offset);
    EXPECT_EQ(einc_layout_check(&l, c.bytes), c.status) << "case " << &c - cases;
    EXPECT_EQ(einc_layout_check(&l, 0), EINC_BAD_VIEW);
  }
}

TEST(Overlap, AgreesWithBruteForce) {
  Random random;
  int overlapping = 0;
  const int kTrials = 6000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const int rank = static_cast<int>(random.in(0, 5));
    const int64_t reach = random.in(1, 60);
    const einc_layout l = make(random.many(rank, trial % 7 == 0 ? 0 : 1, 5),
                               random.many(rank, -reach, reach), random.in(-9, 9));
    const Ints all = positions(l);
    const bool expected = std::set<int64_t>(all.begin(), all.end()).size() != all.size();
    overlapping += expected;
    ASSERT_EQ(einc_layout_overlaps_itself(&l) != 0, expected) << "trial " << trial;
  }
  EXPECT_GT(overlapping, kTrials / 5);  // both answers are tried
  EXPECT_LT(overlapping, kTrials * 4 / 5);
}

// Strides that are not nested, with few elements spread widely: what the search is there for.
TEST(Overlap, AgreesWithBruteForceOnSparseLayouts) {
  Random random;
  int overlapping = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const int rank = static_cast<int>(random.in(3, 5));
    const int64_t unit = random.in(1, 3);
    Ints strides = random.many(rank, 50, 700);
    for (int64_t &s : strides) s *= unit;
    const einc_layout l = make(random.many(rank, 2, rank == 5 ? 4 : 7), strides);
    const Ints all = positions(l);
    const bool expected = std::set<int64_t>(all.begin(), all.end()).size() != all.size();
    overlapping += expected;
    ASSERT_EQ(einc_layout_overlaps_itself(&l) != 0, expected) << "trial " << trial;
  }
  EXPECT_GT(overlapping, 100);
  EXPECT_LT(overlapping, 900);
}

TEST(Overlap, LargeLayoutsAreDecidedInClosedForm) {
  const int64_t big = int64_t{1} << 29;
  const auto overlaps = [](const einc_layout &l) { return einc_layout_overlaps_itself(&l) != 0; };
  // x0 * big = x1 * (big + 1) first at x0 = big + 1.
  EXPECT_FALSE(overlaps(make({big + 1, big}, {big, big + 1})));
  EXPECT_TRUE(overlaps(make({big + 2, big + 1}, {big, big + 1})));
  EXPECT_FALSE(overlaps(make({1 << 20, 1 << 20}, {-(1 << 20), 1})));
  EXPECT_TRUE(overlaps(make({1 << 20, (1 << 20) + 1}, {1 << 20, 1})));
  EXPECT_FALSE(overlaps(make({kMax / 2, 2}, {2, -1})));
  EXPECT_FALSE(
      overlaps(make({1 << 17, 1 << 20, 1 << 20}, {3, int64_t{1} << 20, int64_t{1} << 41})));
  EXPECT_TRUE(overlaps(make({2, kMax}, {1, 0})));
}

TEST(Overlap, WorkIsBounded) {
  // Rank 32 with strides that leave many choices: decided or given up, but soon.
  Random random;
  const einc_layout l =
      make(Ints(EINC_MAX_RANK, 2), random.many(EINC_MAX_RANK, int64_t{1} << 40, int64_t{1} << 41));
  einc_layout_overlaps_itself(&l);
}

TEST(Slice, AgreesWithPythonsRange) {
  Random random;
  for (int trial = 0; trial < 3000; ++trial) {
    const int rank = static_cast<int>(random.in(1, 3));
    const einc_layout l = make(random.many(rank, 0, 5), random.many(rank, -9, 9), random.in(-5, 5));
    const int dim = static_cast<int>(random.in(0, rank - 1));
    const int64_t start = random.in(-2, 6), stop = random.in(-2, 6), step = random.in(-3, 3);
    einc_layout cut;
    const einc_status status = einc_layout_slice(&l, dim, start, stop, step, &cut);
    const int64_t size = l.sizes[dim], low = step > 0 ? 0 : -1, high = size + low;
    if (step == 0) {
      EXPECT_EQ(status, EINC_BAD_VIEW);
      continue;
    }
    const bool inside = low <= start && start <= high && low <= stop && stop <= high;
    ASSERT_EQ(status, inside ? EINC_OK : EINC_OUT_OF_RANGE);
    if (!inside) continue;
    Ints kept;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) kept.push_back(i);
    Ints sizes = sizes_of(l), expected;
    sizes[static_cast<size_t>(dim)] = static_cast<int64_t>(kept.size());
    EXPECT_EQ(sizes_of(cut), sizes);
    for_each(sizes, [&](const Ints &index) {
      int64_t at = l.offset;
      for (int d = 0; d < rank; ++d) {
        const int64_t i = index[static_cast<size_t>(d)];
        at += (d == dim ? kept[static_cast<size_t>(i)] : i) * l.strides[d];
      }
      expected.push_back(at);
    });
    EXPECT_EQ(positions(cut), expected);
  }
}

TEST(Slice, ExtremeSteps) {
  const einc_layout l = make({10}, {3}, 5);
  einc_layout cut;
  for (int64_t step : {kMax, kMin + 1, kMin}) {
    const bool up = step > 0;
    ASSERT_EQ(einc_layout_slice(&l, 0, up ? 2 : 9, up ? 10 : -1, step, &cut), EINC_OK);
    EXPECT_EQ(positions(cut), Ints{5 + 3 * (up ? 2 : 9)});
  }
  EXPECT_EQ(einc_layout_slice(&l, 0, kMin, kMax, 1, &cut), EINC_OUT_OF_RANGE);
  EXPECT_EQ(einc_layout_slice(&l, 1, 0, 1, 1, &cut), EINC_BAD_VIEW);
  EXPECT_EQ(einc_layout_slice(&l, -1, 0, 1, 1, &cut), EINC_BAD_VIEW);
  // An empty layout whose strides could not be walked.
  const einc_layout empty = make({kMax, 0}, {kMax, kMin}, kMax);
  ASSERT_EQ(einc_layout_slice(&empty, 0, kMax - 1, -1, -2, &cut), EINC_OK);
  EXPECT_EQ(einc_layout_check(&cut, 8), EINC_OK);
}

TEST(Subview, AgreesWithIndexing) {
  Random random;
  int made = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const int rank = static_cast<int>(random.in(1, 3));
    const einc_layout l = make(random.many(rank, 1, 6), random.many(rank, -9, 9), random.in(-5, 5));
    const Ints offsets = random.many(rank, 0, 5), sizes = random.many(rank, 0, 3),
               steps = random.many(rank, -2, 2);
    einc_layout part;
    const einc_status status =
        einc_layout_subview(&l, offsets.data(), sizes.data(), steps.data(), &part);
    bool inside = true;
    for (size_t d = 0; d < offsets.size(); ++d) {
      inside = inside && offsets[d] <= l.sizes[d];
      for (int64_t i = 0; i < sizes[d]; ++i) {
        const int64_t at = offsets[d] + i * steps[d];
        inside = inside && 0 <= at && at < l.sizes[d];
      }
    }
    ASSERT_EQ(status, inside ? EINC_OK : EINC_OUT_OF_RANGE);
    if (!inside) continue;
    ++made;
    Ints expected;
    for_each(sizes, [&](const Ints &index) {
      int64_t at = l.offset;
      for (size_t d = 0; d < index.size(); ++d) {
        at += (offsets[d] + index[d] * steps[d]) * l.strides[d];
      }
      expected.push_back(at);
    });
    EXPECT_EQ(sizes_of(part), sizes);
    EXPECT_EQ(positions(part), expected);
  }
  EXPECT_GT(made, 500);
}

// All ways to write `count` as a product of `rank` sizes, as far as a random walk finds them.
Ints random_sizes(Random &random, int64_t count, int rank) {
  Ints sizes(static_cast<size_t>(rank), 1);
  for (int64_t p = 2; count > 1; ++p) {
    for (; count % p == 0; count /= p) sizes[static_cast<size_t>(random.in(0, rank - 1))] *= p;
  }
  return sizes;
}

// Where some strides give the same positions in the same order, reshape finds them; the only
// candidates are the distances to the neighbours of element 0.
TEST(Reshape, SucceedsExactlyWhereStridesExist) {
  Random random;
  int possible = 0, refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const int64_t count =
        std::vector<int64_t>{4, 6, 8, 12, 16, 24, 36}[static_cast<size_t>(random.in(0, 6))];
    const int rank = static_cast<int>(random.in(1, 4)),
              new_rank = static_cast<int>(random.in(1, 4));
    einc_layout l;
    ASSERT_EQ(einc_layout_row_major(rank, random_sizes(random, count, rank).data(), &l), EINC_OK);
    // Damage the row-major strides here and there; negate and scale all.
    const int64_t scale = random.in(-2, 2);
    for (int d = 0; d < rank; ++d) l.strides[d] *= scale;
    if (random.in(0, 1)) l.strides[random.in(0, rank - 1)] += random.in(-3, 3);
    if (random.in(0, 3) == 0) std::swap(l.strides[0], l.strides[rank - 1]);
    const Ints sizes = random_sizes(random, count, new_rank);

    const Ints all = positions(l);
    Ints strides(sizes.size());
    for (size_t d = sizes.size(), step = 1; d-- > 0; step *= static_cast<size_t>(sizes[d])) {
      strides[d] = sizes[d] > 1 ? all[step] - all[0] : 0;
    }
    const bool expected = positions(make(sizes, strides, l.offset)) == all;
    einc_layout reshaped;
    const einc_status status = einc_layout_reshape(&l, new_rank, sizes.data(), &reshaped);
    ASSERT_EQ(status, expected ? EINC_OK : EINC_NOT_CONTIGUOUS) << "trial " << trial;
    ++(expected ? possible : refused);
    if (!expected) continue;
    EXPECT_EQ(sizes_of(reshaped), sizes);
    EXPECT_EQ(positions(reshaped), all);
  }
  EXPECT_GT(possible, 3000);
  EXPECT_GT(refused, 3000);
}

TEST(Reshape, Failures) {
  const einc_layout l = make({2, 3}, {3, 1});
  einc_layout out;
  const Ints five = {5}, negative = {-2, -3}, huge = {kMax, 2}, ones = {1, 6, 1};
  EXPECT_EQ(einc_layout_reshape(&l, 1, five.data(), &out), EINC_SIZE_MISMATCH);
  EXPECT_EQ(einc_layout_reshape(&l, 0, nullptr, &out), EINC_SIZE_MISMATCH);
  EXPECT_EQ(einc_layout_reshape(&l, 2, negative.data(), &out), EINC_NEGATIVE_SIZE);
  EXPECT_EQ(einc_layout_reshape(&l, 2, huge.data(), &out), EINC_OVERFLOW);
  EXPECT_EQ(einc_layout_reshape(&l, 3, ones.data(), &out), EINC_OK);
  const einc_layout empty = make({0, 3}, {7, 7});
  const Ints zero = {4, 0, 2};
  EXPECT_EQ(einc_layout_reshape(&empty, 3, zero.data(), &out), EINC_OK);
}

TEST(Broadcast, FollowsNumPy) {
  Random random;
  for (int trial = 0; trial < 2000; ++trial) {
    const int rank = static_cast<int>(random.in(0, 3));
    const int new_rank = rank + static_cast<int>(random.in(0, 2));
    const einc_layout l = make(random.many(rank, 0, 3), random.many(rank, -9, 9), random.in(-5, 5));
    Ints sizes = random.many(new_rank, 0, 3);
    for (int d = 0; d < rank; ++d) {  // mostly make them fit
      const size_t to = static_cast<size_t>(d + new_rank - rank);
      if (l.sizes[d] != 1 && random.in(0, 9) > 0) sizes[to] = l.sizes[d];
    }
    bool fits = true;
    for (int d = 0; d < rank; ++d) {
      fits = fits &&
             (l.sizes[d] == 1 || l.sizes[d] == sizes[static_cast<size_t>(d + new_rank - rank)]);
    }
    einc_layout wide;
    const einc_status status = einc_layout_broadcast(&l, new_rank, sizes.data(), &wide);
    ASSERT_EQ(status, fits ? EINC_OK : EINC_SIZE_MISMATCH);
    if (!fits) continue;
    Ints expected;
    for_each(sizes, [&](const Ints &index) {
      int64_t at = l.offset;
      for (int d = 0; d < rank; ++d) {
        at +=
            (l.sizes[d] == 1 ? 0 : index[static_cast<size_t>(d + new_rank - rank)]) * l.strides[d];
      }
      expected.push_back(at);
    });
    EXPECT_EQ(positions(wide), expected);
  }
  const einc_layout l = make({2, 3}, {3, 1});
  einc_layout out;
  const Ints three = {3};
  EXPECT_EQ(einc_layout_broadcast(&l, 1, three.data(), &out), EINC_BAD_VIEW);
}

TEST(Transpose, Permutes) {
  Random random;
  for (int trial = 0; trial < 200; ++trial) {
    const int rank = static_cast<int>(random.in(0, 5));
    const einc_layout l = make(random.many(rank, 0, 9), random.many(rank, -9, 9));
    std::vector<int> permutation(static_cast<size_t>(rank));
    std::iota(permutation.begin(), permutation.end(), 0);
    random.shuffle(permutation);
    einc_layout out = l;
    ASSERT_EQ(einc_layout_transpose(&out, permutation.data(), &out), EINC_OK);  // in place
    for (int d = 0; d < rank; ++d) {
      EXPECT_EQ(out.sizes[d], l.sizes[permutation[static_cast<size_t>(d)]]);
      EXPECT_EQ(out.strides[d], l.strides[permutation[static_cast<size_t>(d)]]);
    }
  }
  const einc_layout l = make({2, 3}, {3, 1});
  einc_layout out;
  for (const std::vector<int> &bad : {std::vector<int>{0, 0}, {0, 2}, {-1, 0}}) {
    EXPECT_EQ(einc_layout_transpose(&l, bad.data(), &out), EINC_BAD_VIEW);
  }
}

}  // namespace
