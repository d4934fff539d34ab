/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What generated kernels check before they touch data. Chunks as in scalars.h. The statuses stand
 * before this in a generated file; here they come from the runtime. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compiler/emit/prelude/scalars.h"
#include "runtime/status.h"

/*@ range: */
/* The values that an index or a size can take, or the status that says why it has none. */
typedef struct {
  int64_t low, high;
  einc_status status;
} einc_range;

/*@ range_at: range */
static inline einc_range einc_range_at(int64_t value) {
  const einc_range range = {value, value, EINC_OK};
  return range;
}

/*@ range_to: range */
/* 0, 1, ..., extent - 1 */
static inline einc_range einc_range_to(int64_t extent) {
  const einc_range range = {0, extent - 1, EINC_OK};
  return range;
}

/*@ range_add: range */
static inline einc_range einc_range_add(einc_range a, einc_range b) {
  einc_range sum = a;
  if (a.status != EINC_OK) return a;
  if (b.status != EINC_OK) return b;
  if (__builtin_add_overflow(a.low, b.low, &sum.low) ||
      __builtin_add_overflow(a.high, b.high, &sum.high))
    sum.status = EINC_OVERFLOW;
  return sum;
}

/*@ range_mul: range */
static inline einc_range einc_range_mul(einc_range a, einc_range b) {
  einc_range product = a;
  int64_t corner[4];
  int i;
  if (a.status != EINC_OK) return a;
  if (b.status != EINC_OK) return b;
  if (__builtin_mul_overflow(a.low, b.low, &corner[0]) ||
      __builtin_mul_overflow(a.low, b.high, &corner[1]) ||
      __builtin_mul_overflow(a.high, b.low, &corner[2]) ||
      __builtin_mul_overflow(a.high, b.high, &corner[3])) {
    product.status = EINC_OVERFLOW;
    return product;
  }
  product.low = product.high = corner[0];
  for (i = 1; i < 4; ++i) {
    if (corner[i] < product.low) product.low = corner[i];
    if (corner[i] > product.high) product.high = corner[i];
  }
  return product;
}

/*@ range_floordiv: range floordiv */
/* The divisor is one value. */
static inline einc_range einc_range_floordiv(einc_range a, einc_range b) {
  einc_range quotient = a;
  if (a.status != EINC_OK) return a;
  if (b.status != EINC_OK) return b;
  if (b.low == 0) {
    quotient.status = EINC_DIVISION_BY_ZERO;
  } else if (b.low == -1 && a.low == INT64_MIN) {
    quotient.status = EINC_OVERFLOW;
  } else {
    quotient.low = einc_floordiv(b.low > 0 ? a.low : a.high, b.low);
    quotient.high = einc_floordiv(b.low > 0 ? a.high : a.low, b.low);
  }
  return quotient;
}

/*@ range_floormod: range floordiv floormod */
/* The divisor is one value. Within one period the remainder runs like the dividend. */
static inline einc_range einc_range_floormod(einc_range a, einc_range b) {
  einc_range rest = a;
  if (a.status != EINC_OK) return a;
  if (b.status != EINC_OK) return b;
  if (b.low == 0) {
    rest.status = EINC_DIVISION_BY_ZERO;
  } else if (b.low != -1 && einc_floordiv(a.low, b.low) == einc_floordiv(a.high, b.low)) {
    rest.low = einc_floormod(a.low, b.low);
    rest.high = einc_floormod(a.high, b.low);
  } else {
    rest.low = b.low > 0 ? 0 : b.low + 1;
    rest.high = b.low > 0 ? b.low - 1 : 0;
  }
  return rest;
}

/*@ check_size: range */
/* A declared size against the argument's. */
static inline einc_status einc_check_size(int64_t size, einc_range declared) {
  if (declared.status != EINC_OK) return declared.status;
  return declared.low == size ? EINC_OK : EINC_SIZE_MISMATCH;
}

/*@ check_index: range */
static inline einc_status einc_check_index(einc_range index, int64_t size) {
  if (index.status != EINC_OK) return index.status;
  return index.low >= 0 && index.high < size ? EINC_OK : EINC_OUT_OF_RANGE;
}

/*@ period: */
/* `period` times what is divided by; INT64_MAX stands for all that is larger. */
static inline int64_t einc_period(int64_t period, int64_t divisor) {
  int64_t product;
  return divisor == INT64_MIN ||
                 __builtin_mul_overflow(period, divisor < 0 ? -divisor : divisor, &product)
             ? INT64_MAX
             : product;
}

/*@ boxes: range */
/* Boxes of positions, one after the other: `at` is the present one. Those in which an index may
 * leave its tensor are divided along the iterator that has most positions, which are halved; what
 * an index takes in between it takes, the same number more or less, in the first or the last period
 * as well. */
typedef struct {
  int axis, second;
  einc_range whole, other;
} einc_half;
typedef struct {
  einc_range *at;
  const int64_t *periods;
  int count;
  einc_half *halves;
  int depth;
  einc_status status;
} einc_boxes;

static inline void einc_divide_box(einc_boxes *boxes, int axis) {
  const int64_t low = boxes->at[axis].low, high = boxes->at[axis].high;
  einc_half *half = &boxes->halves[boxes->depth++];
  half->axis = axis;
  half->second = 0;
  half->whole = half->other = boxes->at[axis];
  if ((high - low) / 2 >= boxes->periods[axis]) {
    boxes->at[axis].high = low + boxes->periods[axis] - 1;
    half->other.low = high - boxes->periods[axis] + 1;
  } else {
    boxes->at[axis].high = low + (high - low) / 2;
    half->other.low = boxes->at[axis].high + 1;
  }
}

/* Takes what the index takes in the present box. Whether there is another box to look at; if not,
 * the status says what was found. */
static inline int einc_next_box(einc_boxes *boxes, einc_range index, int64_t size) {
  int axis = 0, i;
  if ((boxes->status = index.status) != EINC_OK) return 0;
  if (index.low < 0 || index.high >= size) {
    for (i = 1; i < boxes->count; ++i)
      if (boxes->at[i].high - boxes->at[i].low > boxes->at[axis].high - boxes->at[axis].low)
        axis = i;
    if (index.high < 0 || index.low >= size || boxes->at[axis].low == boxes->at[axis].high) {
      boxes->status = EINC_OUT_OF_RANGE;
      return 0;
    }
    einc_divide_box(boxes, axis);
    return 1;
  }
  while (boxes->depth > 0) {
    einc_half *half = &boxes->halves[boxes->depth - 1];
    if (!half->second) {
      half->second = 1;
      boxes->at[half->axis] = half->other;
      return 1;
    }
    boxes->at[half->axis] = half->whole;
    --boxes->depth;
  }
  return 0;
}

/*@ view: */
/* A tensor as bytes: element i is at aligned + (offset + sum(i[d] * strides[d])) * element. */
typedef struct {
  const void *aligned;
  int rank;
  int64_t offset;
  const int64_t *sizes, *strides;
  int64_t element;
} einc_view;

/*@ view_of: view */
#define EINC_VIEW(t, rank) \
  {(t)->aligned, rank, (t)->offset, (t)->sizes, (t)->strides, sizeof *(t)->aligned}

/*@ view_of_one: view */
#define EINC_VIEW_OF_ONE(t) {(t)->aligned, 0, (t)->offset, NULL, NULL, sizeof *(t)->aligned}

/*@ view_in_halves: view */
/* Where an argument's elements are parts of bytes, of all arguments: addresses, too, count half bytes. */
#define EINC_VIEW_IN_HALVES(t, rank, element)   \
  {(const void *)(2 * (uintptr_t)(t)->aligned), \
   rank,                                        \
   (t)->offset,                                 \
   (t)->sizes,                                  \
   (t)->strides,                                \
   element}

/*@ view_of_one_in_halves: view */
#define EINC_VIEW_OF_ONE_IN_HALVES(t, element) \
  {(const void *)(2 * (uintptr_t)(t)->aligned), 0, (t)->offset, NULL, NULL, element}

/*@ is_empty: view */
static inline int einc_is_empty(const einc_view *view) {
  int d;
  for (d = 0; d < view->rank; ++d)
    if (view->sizes[d] == 0) return 1;
  return 0;
}

/*@ check_views: is_empty */
/*
 * Sizes are not negative, and offsets, in elements and in bytes, stay within ptrdiff_t. With a size of 0 as 1 there are
 * at most 2^56 bytes, so that sums and products of sizes are exact, also where nothing is to be done.
 */
EINC_SHARED einc_status einc_check_views(const einc_view *view, int count) {
  for (; count > 0; --count, ++view) {
    int64_t low = view->offset, end, reach, all = view->element, bytes;
    int over = __builtin_add_overflow(low, 1, &end), large = 0, d;
    for (d = 0; d < view->rank; ++d) {
      if (view->sizes[d] < 0) return EINC_NEGATIVE_SIZE;
      over |= __builtin_mul_overflow(view->sizes[d] - 1, view->strides[d], &reach);
      over |= __builtin_add_overflow(reach < 0 ? low : end, reach, reach < 0 ? &low : &end);
      large |= __builtin_mul_overflow(all, view->sizes[d] > 0 ? view->sizes[d] : 1, &all);
    }
    if (large || all > (int64_t)1 << 56) return EINC_OVERFLOW;
    over |= __builtin_sub_overflow(end, low, &reach);
    over |= __builtin_mul_overflow(reach, view->element, &bytes);
    over |= __builtin_mul_overflow(low, view->element, &bytes);
    over |= __builtin_mul_overflow(end, view->element, &bytes);
    if (over && !einc_is_empty(view)) return EINC_OVERFLOW;
  }
  return EINC_OK;
}

/*@ check_data: is_empty */
/* There is data if there are elements, and it is aligned for them. */
EINC_SHARED einc_status einc_check_data(const einc_view *view, int count) {
  for (; count > 0; --count, ++view) {
    if (einc_is_empty(view)) continue;
    if (view->aligned == NULL) return EINC_NULL_DATA;
    if ((uintptr_t)view->aligned % (uintptr_t)view->element != 0) return EINC_MISALIGNED;
  }
  return EINC_OK;
}

/*@ solve: cold */
enum { EINC_MAX_TERMS = 72, EINC_SOLVE_WORK = 1 << 16 };

/* step * x with 0 <= x <= most. Behind the terms of a sum stands one of step 0. */
typedef struct {
  uint64_t step, most;
} einc_term;

static inline uint64_t einc_magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

/* Terms of one step count as one; larger steps come first. */
static einc_cold void einc_add_term(einc_term *term, uint64_t step, uint64_t most) {
  einc_term next = {step, most}, moved;
  if (most == 0) return;
  while (term->step > step) ++term;
  if (term->step == step) {
    term->most += most;
    return;
  }
  for (; next.step != 0; ++term) {
    moved = *term;
    *term = next;
    next = moved;
  }
}

/* Whether the terms can add up to `target`: a bounded linear Diophantine equation, solved by
 * search. Strides that nest leave few values for each x. Past the limit on work the answer is yes.
 */
static einc_cold int einc_can_reach(const einc_term *term, uint64_t target, int *work) {
  uint64_t rest = 0, x, most;
  const einc_term *other;
  if (target == 0) return 1;
  if (term->step == 0) return 0;
  if (--*work < 0) return 1;
  for (other = term + 1; other->step != 0; ++other) rest += other->step * other->most;
  x = target > rest ? (target - rest + term->step - 1) / term->step : 0;
  most = target / term->step < term->most ? target / term->step : term->most;
  for (; x <= most; ++x)
    if (einc_can_reach(term + 1, target - x * term->step, work)) return 1;
  return 0;
}

/*@ nests: view */
/* Each dimension steps over all of those after it, or before it. */
static inline __attribute__((always_inline)) int einc_nests(const einc_view *view, int rows) {
  int64_t reach = 0;
  int i;
  for (i = 0; i < view->rank; ++i) {
    const int d = rows ? view->rank - 1 - i : i;
    if (view->sizes[d] != 1 && view->strides[d] <= reach) return 0;
    reach += view->strides[d] * (view->sizes[d] - 1);
  }
  return 1;
}

/*@ overlaps_itself: is_empty solve nests */
/* Whether two indices name one element: differences of indices, the first of which that is not zero
 * is positive, cancel out. */
EINC_SHARED int einc_overlaps_itself(const einc_view *view) {
  int first, d;
  if (einc_is_empty(view) || einc_nests(view, 1) || einc_nests(view, 0)) return 0;
  for (first = 0; first < view->rank; ++first) {
    /* step * (1 + x) == sum(steps * (most - y)) */
    const uint64_t step = einc_magnitude(view->strides[first]);
    einc_term terms[EINC_MAX_TERMS + 1] = {{0, 0}};
    uint64_t target = 0;
    int work = EINC_SOLVE_WORK;
    if (view->sizes[first] == 1) continue;
    for (d = first + 1; d < view->rank; ++d) {
      const uint64_t other = einc_magnitude(view->strides[d]);
      target += other * (uint64_t)(view->sizes[d] - 1);
      einc_add_term(terms, other, 2 * (uint64_t)(view->sizes[d] - 1));
    }
    einc_add_term(terms, step, (uint64_t)(view->sizes[first] - 2));
    if (target >= step && einc_can_reach(terms, target - step, &work)) return 1;
  }
  return 0;
}

/*@ start: view */
/* The address of element 0. */
static inline __attribute__((always_inline)) uintptr_t einc_start(const einc_view *view) {
  return (uintptr_t)view->aligned + (uintptr_t)view->offset * (uintptr_t)view->element;
}

/*@ apart: start */
/* The addresses of the first and the last byte. */
typedef struct {
  uintptr_t first, last;
} einc_span;

static inline __attribute__((always_inline)) einc_span einc_span_of(const einc_view *view) {
  einc_span span = {einc_start(view), einc_start(view) + (uintptr_t)(view->element - 1)};
  int d;
  for (d = 0; d < view->rank; ++d) {
    const int64_t stride = view->strides[d];
    *(stride > 0 ? &span.last : &span.first) +=
        (uintptr_t)stride * (uintptr_t)view->element * (uintptr_t)(view->sizes[d] - 1);
  }
  return span;
}

static inline __attribute__((always_inline)) int einc_apart(const einc_view *a,
                                                            const einc_view *b) {
  const einc_span one = einc_span_of(a), other = einc_span_of(b);
  return one.last < other.first || other.last < one.first;
}

/*@ beside: start */
/* So many bytes from one view's first element on and so many from the other's have none in common.
 */
static inline __attribute__((always_inline)) int einc_beside(const einc_view *a, uintptr_t bytes_a,
                                                             const einc_view *b,
                                                             uintptr_t bytes_b) {
  const uintptr_t at_a = einc_start(a), at_b = einc_start(b);
  return at_a - at_b >= bytes_b && at_b - at_a >= bytes_a;
}

/*@ is_usual: view */
/* There are elements, and aligned data for them; no stride is negative, and nothing computed from
 * these numbers comes near the end of an int64_t. */
static inline __attribute__((always_inline)) int einc_is_usual(const einc_view *view) {
  uint64_t most = 0, strides = 0;
  int d;
  for (d = 0; d < view->rank; ++d) {
    most |= (uint64_t)view->sizes[d] - 1;
    strides |= (uint64_t)view->strides[d];
  }
  return most >> (view->rank > 2 ? 48 / view->rank : 24) == 0 && strides >> 31 == 0 &&
         (uint64_t)view->offset >> 48 == 0 && view->aligned != NULL &&
         (uintptr_t)view->aligned % (uintptr_t)view->element == 0;
}

/*@ overlap: is_empty solve apart */
static einc_cold void einc_add_bytes(einc_term *terms, const einc_view *view) {
  int d;
  for (d = 0; d < view->rank; ++d)
    einc_add_term(terms, einc_magnitude(view->strides[d]) * (uint64_t)view->element,
                  (uint64_t)(view->sizes[d] - 1));
  einc_add_term(terms, 1, (uint64_t)(view->element - 1));
}

/* Whether two views have a byte in common: first(a) + x == last(b) - y. */
EINC_SHARED int einc_overlap(const einc_view *a, const einc_view *b) {
  einc_term terms[EINC_MAX_TERMS + 1] = {{0, 0}};
  int work = EINC_SOLVE_WORK;
  if (einc_is_empty(a) || einc_is_empty(b) || einc_apart(a, b)) return 0;
  einc_add_bytes(terms, a);
  einc_add_bytes(terms, b);
  return einc_can_reach(terms, einc_span_of(b).last - einc_span_of(a).first, &work);
}

/*@ overlap_partly: overlap */
/* Each index may name the same element of both. */
EINC_SHARED int einc_overlap_partly(const einc_view *a, const einc_view *b) {
  int same = einc_start(a) == einc_start(b), d;
  for (d = 0; d < a->rank; ++d)
    same &= a->sizes[d] == b->sizes[d] && (a->sizes[d] <= 1 || a->strides[d] == b->strides[d]);
  return !same && einc_overlap(a, b);
}

/*@ reserve: range range_add range_mul range_at */
/* The workspace after one more block of these sizes, each block at a multiple of 64 bytes. As large as a view may be. */
EINC_SHARED einc_range einc_reserve(einc_range bytes, int rank, const einc_range *sizes,
                                    int64_t element) {
  einc_range block = einc_range_at(element);
  int d, empty = 0;
  if (bytes.status != EINC_OK) return bytes;
  for (d = 0; d < rank; ++d) {
    if (sizes[d].status != EINC_OK) return sizes[d];
    if (sizes[d].low < 0) {
      block.status = EINC_NEGATIVE_SIZE;
      return block;
    }
    empty |= sizes[d].low == 0;
  }
  for (d = 0; d < rank; ++d)
    if (sizes[d].low > 0) block = einc_range_mul(block, sizes[d]);
  if (block.status == EINC_OK && block.low > (int64_t)1 << 56) block.status = EINC_OVERFLOW;
  if (block.status == EINC_OK && empty) block = einc_range_at(0);
  block = einc_range_add(block, einc_range_at(63));
  block.low = block.high = block.low / 64 * 64;
  return einc_range_add(bytes, block);
}
