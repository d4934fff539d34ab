// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The exact test whether a layout holds an element twice.
//
// Two indices i and j share an element exactly if x = i - j, which is not 0, solves
//     sum of s_d * x_d = 0,    |x_d| <= n_d - 1.
// Only |s_d| matters, since the bounds are symmetric. The dimensions are sorted by stride and x is
// chosen from the largest stride down. Two facts about the smaller strides prune the choice of x_k:
// what they can still add is at most their total reach, and is a multiple of their gcd. The second
// is a congruence that x_k must solve, so only every m-th x_k is visited; at k = 1 any visited
// value is a solution already. In usual layouts no x_k but 0 is in reach, and the test costs
// O(rank).
#include "runtime/layout.h"

typedef struct {
  int64_t stride;   // |s|, not 0
  int64_t limit;    // n - 1, at least 1
  int64_t reach;    // the sum of stride * limit over all smaller dimensions
  int64_t common;   // gcd of this and all smaller strides
  int64_t modulus;  // solutions x repeat with this period: gcd of the smaller strides / common
  int64_t inverse;  // of stride / common, modulo modulus
} dimension;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }  // b > 0
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }   // b > 0
static int64_t floor_mod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// a * b mod m for 0 <= a, b < m, by doubling, since the product may not fit.
static int64_t multiply_mod(int64_t a, int64_t b, int64_t m) {
  int64_t sum = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) sum = sum >= m - a ? sum - (m - a) : sum + a;
    a = a >= m - a ? a - (m - a) : a + a;
  }
  return sum;
}

// The inverse of a modulo m (Euclid); a and m are coprime and positive. 0 if m is 1.
static int64_t inverse_mod(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1, r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return floor_mod(t0, m);
}

// Whether dimensions 0..k can sum to -rest. `rest` is a multiple of dims[k].common and within the
// reach of these dimensions. True as well when the work runs out.
static int can_cancel(const dimension *dims, int k, int64_t rest, int64_t *work) {
  if (--*work < 0 || rest == 0 || k == 0) return 1;
  const dimension *dim = &dims[k];
  const int64_t low = max64(-dim->limit, ceil_div(-rest - dim->reach, dim->stride));
  const int64_t high = min64(dim->limit, floor_div(-rest + dim->reach, dim->stride));
  if (low > high) return 0;
  const int64_t solution =
      multiply_mod(floor_mod(-rest / dim->common, dim->modulus), dim->inverse, dim->modulus);
  int64_t skip = solution - floor_mod(low, dim->modulus);
  if (skip < 0) skip += dim->modulus;
  for (int64_t x = low; skip <= high - x; skip = dim->modulus) {
    x += skip;
    if (can_cancel(dims, k - 1, rest + dim->stride * x, work)) return 1;
  }
  return 0;
}

// Fills dims with the dimensions that matter, by ascending stride. Returns how many; -1 if one has
// stride 0 and so overlaps.
static int sort_dimensions(const einc_layout *in, dimension *dims) {
  int rank = 0;
  for (int d = 0; d < in->rank; ++d) {
    if (in->sizes[d] == 1) continue;
    if (in->strides[d] == 0) return -1;
    const int64_t stride = in->strides[d] < 0 ? -in->strides[d] : in->strides[d];
    int place = rank++;
    for (; place > 0 && dims[place - 1].stride > stride; --place) dims[place] = dims[place - 1];
    dims[place].stride = stride;
    dims[place].limit = in->sizes[d] - 1;
  }
  int64_t reach = 0, common = 0;
  for (int k = 0; k < rank; ++k) {
    dimension *dim = &dims[k];
    dim->reach = reach;
    dim->common = gcd(dim->stride, common);
    dim->modulus = max64(common / dim->common, 1);
    dim->inverse = inverse_mod(dim->stride / dim->common, dim->modulus);
    reach += dim->stride * dim->limit;
    common = dim->common;
  }
  return rank;
}

int einc_layout_overlaps_itself(const einc_layout *in) {
  int64_t count, low, high;
  if (einc_layout_check(in, 1) != EINC_OK) return 1;
  if (einc_layout_count(in, &count) != EINC_OK || count <= 1) return 0;
  if (einc_layout_range(in, &low, &high) != EINC_OK || count > high - low) return 1;  // pigeonhole

  dimension dims[EINC_MAX_RANK];
  const int rank = sort_dimensions(in, dims);
  if (rank < 0) return 1;
  // The first x_k that is not 0 may be taken positive: -x solves the equation as well.
  int64_t work = EINC_OVERLAP_WORK;
  for (int k = 1; k < rank; ++k) {
    const int64_t high_x = min64(dims[k].limit, dims[k].reach / dims[k].stride);
    const int64_t step = dims[k].modulus;
    for (int64_t x = 0; step <= high_x - x;) {
      x += step;
      if (can_cancel(dims, k - 1, dims[k].stride * x, &work)) return 1;
    }
  }
  return 0;
}
