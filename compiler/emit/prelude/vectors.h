/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of generated kernels, in GNU C. Chunks as in scalars.h; those for f32x16 serve all other
 * types and numbers of lanes, with the names replaced. What a target has better instructions for
 * stands in vectors_TARGET.h under the same name. This file compiles as it stands. */
#pragma once

#include <stdint.h>
#include <string.h>

/*@ inline: */
#define EINC_INLINE static inline __attribute__((always_inline, unused))

/*@ f32x16: inline */
typedef float einc_f32x16 __attribute__((vector_size(16 * sizeof(float))));

/*@ mask_f32x16: f32x16 */
/* What comparisons give: all bits of a lane, or none. */
typedef int32_t einc_mask_f32x16 __attribute__((vector_size(16 * sizeof(float))));

/*@ load_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_load_f32x16(const float *from) {
  einc_f32x16 v = {0};
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/*@ load_words_i32x16: i32x16 */
/* Of smaller elements, which begin anywhere. */
EINC_INLINE einc_i32x16 einc_load_words_i32x16(const void *from) {
  einc_i32x16 v = {0};
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/*@ store_f32x16: f32x16 */
EINC_INLINE void einc_store_f32x16(float *to, einc_f32x16 v) { __builtin_memcpy(to, &v, sizeof v); }

/*@ non_temporal_f32x16: f32x16 */
/* Around the caches; `to` is a multiple of the vector's size. */
EINC_INLINE void einc_non_temporal_f32x16(float *to, einc_f32x16 v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, (einc_f32x16 *)(void *)to);
#else
  __builtin_memcpy(to, &v, sizeof v);
#endif
}

/*@ non_temporal_end: inline */
/* What comes later is seen after all non-temporal stores. */
EINC_INLINE void einc_non_temporal_end(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/*@ narrow_bf16: inline */
/* Half of a unit is added, less one where that would make an even one odd: carries count the exponent up. */
EINC_INLINE uint16_t einc_narrow_bf16(float a) {
  uint32_t bits = 0;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return (uint16_t)((a == a ? bits + 0x7fff + (bits >> 16 & 1) : bits | 0x7fc00000) >> 16);
}

/*@ splat_f32x16: f32x16 */
/* (Less a zero: what adds one changes the sign of -0.) */
EINC_INLINE einc_f32x16 einc_splat_f32x16(float x) {
  const einc_f32x16 zero = {0};
  return x - zero;
}

/*@ splat_i32x16: i32x16 */
EINC_INLINE einc_i32x16 einc_splat_i32x16(int32_t x) {
  const einc_i32x16 zero = {0};
  return zero + x;
}

/*@ pieces: inline */
/* A part of a vector, in the largest pieces; one function for all places. */
static __attribute__((noinline, unused)) void einc_pieces(char *to, const char *from,
                                                          int64_t bytes) {
  for (; bytes >= 16; to += 16, from += 16, bytes -= 16) __builtin_memcpy(to, from, 16);
  if (bytes & 8) __builtin_memcpy(to, from, 8), to += 8, from += 8;
  if (bytes & 4) __builtin_memcpy(to, from, 4), to += 4, from += 4;
  if (bytes & 2) __builtin_memcpy(to, from, 2), to += 2, from += 2;
  if (bytes & 1) *to = *from;
}

/*@ load_some_f32x16: load_f32x16 splat_f32x16 pieces */
/* The first `count` lanes (none if that is negative, at most all), the others are `pad`. (If it is
 * known how many, compilers find the pieces.) */
EINC_INLINE einc_f32x16 einc_load_some_f32x16(const float *from, int64_t count, float pad) {
  const int64_t all = sizeof(einc_f32x16) / sizeof pad;
  einc_f32x16 v = einc_splat_f32x16(pad);
  if (count >= all)
    v = einc_load_f32x16(from);
  else if (count > 0 && __builtin_constant_p(count))
    __builtin_memcpy(&v, from, (size_t)count * sizeof pad);
  else if (count > 0)
    einc_pieces((char *)&v, (const char *)from, count * (int64_t)sizeof pad);
  return v;
}

/*@ load_between_f32x16: load_some_f32x16 */
/* The lanes from `low` on, up to `count`. */
EINC_INLINE einc_f32x16 einc_load_between_f32x16(const float *from, int64_t low, int64_t count,
                                                 float pad) {
  const int64_t all = sizeof(einc_f32x16) / sizeof pad, end = count < all ? count : all;
  einc_f32x16 v;
  if (low <= 0) return einc_load_some_f32x16(from, count, pad);
  v = einc_splat_f32x16(pad);
  if (low < end)
    einc_pieces((char *)&v + low * (int64_t)sizeof pad, (const char *)(from + low),
                (end - low) * (int64_t)sizeof pad);
  return v;
}

/*@ store_some_f32x16: store_f32x16 pieces */
EINC_INLINE void einc_store_some_f32x16(float *to, int64_t count, einc_f32x16 v) {
  const int64_t all = sizeof v / sizeof *to;
  if (count >= all)
    einc_store_f32x16(to, v);
  else if (count > 0 && __builtin_constant_p(count))
    __builtin_memcpy(to, &v, (size_t)count * sizeof *to);
  else if (count > 0)
    einc_pieces((char *)to, (const char *)&v, count * (int64_t)sizeof *to);
}

/*@ all_lanes: inline */
#if defined(__clang__)
#define EINC_ALL_LANES _Pragma("clang loop unroll(full)")
#else
#define EINC_ALL_LANES _Pragma("GCC unroll 64")
#endif

/*@ gather_f32x16: load_f32x16 all_lanes */
/* Neighbours, if the stride says so. Else one by one: compilers are not to see how far apart, or
 * Clang makes gathers (sums of 600 x 700 f32 with strides of 2, Zen 4: 109 us, and 73 us so). */
EINC_INLINE einc_f32x16 einc_gather_f32x16(const float *from, int64_t stride) {
  einc_f32x16 v = {0};
  int i;
  if (stride == 1) return einc_load_f32x16(from);
  if (stride == -1) {
    const int last = (int)(sizeof v / sizeof *from) - 1;
    const einc_f32x16 backwards = einc_load_f32x16(from - last);
    EINC_ALL_LANES for (i = 0; i < 16; ++i) v[i] = backwards[last - i];
    return v;
  }
  EINC_ALL_LANES for (i = 0; i < 16; ++i) {
    if (i > 0) from += stride;
    if (!__builtin_constant_p(stride)) __asm__("" : "+r"(from));
    v[i] = *from;
  }
  return v;
}

/*@ copy_some_f32x16: inline */
/* What is left behind whole vectors, in one function for all places. */
static __attribute__((cold, noinline, unused)) void einc_copy_some_f32x16(
    float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

/*@ gather_some_f32x16: gather_f32x16 splat_f32x16 load_some_f32x16 load_between_f32x16 copy_some_f32x16 all_lanes */
EINC_INLINE einc_f32x16 einc_gather_some_f32x16(const float *from, int64_t stride, int64_t count,
                                                float pad) {
  const int64_t all = sizeof(einc_f32x16) / sizeof(float);
  einc_f32x16 v;
  if (count >= all) return einc_gather_f32x16(from, stride);
  if (stride == 1) return einc_load_some_f32x16(from, count, pad);
  v = einc_splat_f32x16(pad);
  if (stride == -1 && count > 0) {
    const int last = (int)all - 1;
    const einc_f32x16 backwards = einc_load_between_f32x16(from - last, all - count, all, pad);
    int i;
    EINC_ALL_LANES for (i = 0; i < 16; ++i) v[i] = backwards[last - i];
    return v;
  }
  einc_copy_some_f32x16((float *)&v, 1, from, stride, count);
  return v;
}

/*@ permuted: inline all_lanes */
/* A vector whose lane i is lane at[i] of another: what has as many bytes is one of `index` lanes. (Compilers are not to see
 * where `at` lies: of indices in registers Clang makes one instruction; not of 8 bytes each, so these are halves.) */
#if defined(__clang__)
#define EINC_PERMUTED(to, from, index, at)                                                      \
  do {                                                                                          \
    typedef index indices __attribute__((vector_size(sizeof(to))));                             \
    const int lanes = (int)(sizeof(to) / sizeof(index));                                        \
    const indices elements = (indices)(from);                                                   \
    indices order, permuted = {0};                                                              \
    int lane;                                                                                   \
    __builtin_memcpy(&order, at, sizeof order);                                                 \
    EINC_ALL_LANES for (lane = 0; lane < lanes; ++lane) permuted[lane] = elements[order[lane]]; \
    __builtin_memcpy(&(to), &permuted, sizeof(to));                                             \
  } while (0)
#else
#define EINC_PERMUTED(to, from, index, at)                            \
  do {                                                                \
    typedef index indices __attribute__((vector_size(sizeof(to))));   \
    indices order;                                                    \
    __builtin_memcpy(&order, at, sizeof order);                       \
    (to) = (__typeof__(to))__builtin_shuffle((indices)(from), order); \
  } while (0)
#endif

/*@ spread_f32x16: gather_some_f32x16 permuted */
/* Of so many elements from `from` on, lane i is number places[i], or `pad` from `count` on. */
EINC_INLINE einc_f32x16 einc_spread_f32x16(const float *from, int64_t stride, int64_t elements,
                                           const void *places, int64_t count, float pad) {
  const einc_f32x16 some = einc_gather_some_f32x16(from, stride, elements, pad);
  einc_f32x16 v = some;
  int i;
  __asm__("" : "+r"(places));
  if (sizeof pad == 1)
    EINC_PERMUTED(v, some, int8_t, places);
  else if (sizeof pad == 2)
    EINC_PERMUTED(v, some, int16_t, places);
  else
    EINC_PERMUTED(v, some, int32_t, places);
  if (count < (int64_t)(sizeof v / sizeof *from))
    EINC_ALL_LANES for (i = 0; i < 16; ++i) v[i] = i < count ? v[i] : pad;
  return v;
}

/*@ scatter_f32x16: store_f32x16 all_lanes */
EINC_INLINE void einc_scatter_f32x16(float *to, int64_t stride, einc_f32x16 v) {
  int i;
  if (stride == 1) {
    einc_store_f32x16(to, v);
    return;
  }
  if (stride == -1) {
    const int last = (int)(sizeof v / sizeof *to) - 1;
    einc_f32x16 backwards = v;
    EINC_ALL_LANES for (i = 0; i < 16; ++i) backwards[i] = v[last - i];
    einc_store_f32x16(to - last, backwards);
    return;
  }
  EINC_ALL_LANES for (i = 0; i < 16; ++i) to[i * stride] = v[i];
}

/*@ scatter_some_f32x16: scatter_f32x16 store_some_f32x16 copy_some_f32x16 */
EINC_INLINE void einc_scatter_some_f32x16(float *to, int64_t stride, int64_t count, einc_f32x16 v) {
  const int64_t all = sizeof(einc_f32x16) / sizeof(float);
  if (count >= all)
    einc_scatter_f32x16(to, stride, v);
  else if (stride == 1)
    einc_store_some_f32x16(to, count, v);
  else
    einc_copy_some_f32x16(to, stride, (const float *)&v, 1, count);
}

/*@ select_f32x16: mask_f32x16 */
EINC_INLINE einc_f32x16 einc_select_f32x16(einc_mask_f32x16 mask, einc_f32x16 a, einc_f32x16 b) {
  return (einc_f32x16)((mask & (einc_mask_f32x16)a) | (~mask & (einc_mask_f32x16)b));
}

/*@ odd_i32x16: i32x16 select_f32x16 */
/* To float, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once. */
EINC_INLINE einc_f32x16 einc_odd_i32x16(einc_i32x16 a) {
  const einc_i32x16 high = (a >> 8) | ((einc_i32x16)((a & 255) != 0) & 1);
  const einc_f32x16 exact = __builtin_convertvector(a, einc_f32x16);
  const einc_f32x16 rounded = __builtin_convertvector(high, einc_f32x16) * 256.0f;
  return einc_select_f32x16((einc_mask_f32x16)((a >= -(1 << 24)) & (a <= 1 << 24)), exact, rounded);
}

/*@ odd_u32x16: u32x16 i32x16 select_f32x16 */
/* The same. */
EINC_INLINE einc_f32x16 einc_odd_u32x16(einc_u32x16 a) {
  const einc_u32x16 high = (a >> 8) | ((einc_u32x16)((a & 255) != 0) & 1);
  const einc_f32x16 exact = __builtin_convertvector((einc_i32x16)a, einc_f32x16);
  const einc_f32x16 rounded = __builtin_convertvector((einc_i32x16)high, einc_f32x16) * 256.0f;
  return einc_select_f32x16((einc_mask_f32x16)(a <= 1 << 24), exact, rounded);
}

/*@ odd_f64x16: f64x16 u64x16 f32x16 */
/* To float, rounded to odd. The number is whole, so that its exponent is one of a float, or it is 0. */
EINC_INLINE einc_f32x16 einc_odd_f64x16(einc_f64x16 a) {
  const einc_u64x16 bits = (einc_u64x16)a;
  const uint64_t rest = ((uint64_t)1 << 29) - 1;
  const einc_u64x16 odd = (einc_u64x16)((bits & rest) != 0) & (rest + 1);
  return __builtin_convertvector((einc_f64x16)((bits & ~rest) | odd), einc_f32x16);
}

/*@ odd_i64x16: i64x16 odd_f64x16 select_f64x16 */
/* The same, first to double. */
EINC_INLINE einc_f32x16 einc_odd_i64x16(einc_i64x16 a) {
  const int64_t most = (int64_t)1 << 53;
  const einc_i64x16 high = (a >> 11) | ((einc_i64x16)((a & 2047) != 0) & 1);
  const einc_f64x16 exact = __builtin_convertvector(a, einc_f64x16);
  const einc_f64x16 rounded = __builtin_convertvector(high, einc_f64x16) * 2048.0;
  return einc_odd_f64x16(
      einc_select_f64x16((einc_mask_f64x16)((a >= -most) & (a <= most)), exact, rounded));
}

/*@ odd_u64x16: u64x16 i64x16 odd_f64x16 select_f64x16 */
/* The same. */
EINC_INLINE einc_f32x16 einc_odd_u64x16(einc_u64x16 a) {
  const einc_u64x16 high = (a >> 11) | ((einc_u64x16)((a & 2047) != 0) & 1);
  const einc_f64x16 exact = __builtin_convertvector((einc_i64x16)a, einc_f64x16);
  const einc_f64x16 rounded = __builtin_convertvector((einc_i64x16)high, einc_f64x16) * 2048.0;
  return einc_odd_f64x16(
      einc_select_f64x16((einc_mask_f64x16)(a <= (uint64_t)1 << 53), exact, rounded));
}

/*@ bits_f32x16: f32x16 u32x16 */
EINC_INLINE einc_u32x16 einc_bits_f32x16(einc_f32x16 a) { return (einc_u32x16)a; }

/*@ of_bits_f32x16: f32x16 u32x16 */
EINC_INLINE einc_f32x16 einc_of_bits_f32x16(einc_u32x16 bits) { return (einc_f32x16)bits; }

/*@ all_f32x16: mask_f32x16 */
EINC_INLINE int einc_all_f32x16(einc_mask_f32x16 mask) {
#if defined(__clang__)
  return __builtin_reduce_and(mask) != 0;
#else
  int i, all = 1;
  for (i = 0; i < 16; ++i) all &= mask[i] != 0;
  return all;
#endif
}

/*@ fma_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_fma_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 c) {
  einc_f32x16 v = {0};
  int i;
  for (i = 0; i < 16; ++i) v[i] = fmaf(a[i], b[i], c[i]);
  return v;
}

/*@ max_f32x16: select_f32x16 */
/* NaN if either is, and -0 < +0: of two zeros either order gives the second; all bits are a NaN. */
EINC_INLINE einc_f32x16 einc_max_f32x16(einc_f32x16 a, einc_f32x16 b) {
  const einc_mask_f32x16 one = (einc_mask_f32x16)einc_select_f32x16(a > b, a, b);
  const einc_mask_f32x16 other = (einc_mask_f32x16)einc_select_f32x16(b > a, b, a);
  return (einc_f32x16)((one & other) | (a != a) | (b != b));
}

/*@ min_f32x16: select_f32x16 */
/* The same: where the orders differ one gives a, the other b, and a NaN with more bits is a NaN. */
EINC_INLINE einc_f32x16 einc_min_f32x16(einc_f32x16 a, einc_f32x16 b) {
  const einc_mask_f32x16 one = (einc_mask_f32x16)einc_select_f32x16(a < b, a, b);
  const einc_mask_f32x16 other = (einc_mask_f32x16)einc_select_f32x16(b < a, b, a);
  return (einc_f32x16)(one | other);
}

/*@ opaque_mask: */
/* Nothing to be hidden from compilers: lanes are looked at one by one. */
#define einc_opaque_mask(mask) ((void)(mask))

/*@ computed: */
/* As with opaque_mask. */
#define einc_computed(vector) ((void)(vector))

/*@ numbers_f32x16: f32x16 */
/* Of the lanes whose bits are set those in which both are numbers. */
EINC_INLINE uint16_t einc_numbers_f32x16(uint16_t of, einc_f32x16 a, einc_f32x16 b) {
  int i;
  for (i = 0; i < 16; ++i)
    if (a[i] != a[i] || b[i] != b[i]) of &= (uint16_t)~(1u << i);
  return of;
}

/*@ max_i32x16: select_i32x16 */
EINC_INLINE einc_i32x16 einc_max_i32x16(einc_i32x16 a, einc_i32x16 b) {
  return einc_select_i32x16(a > b, a, b);
}

/*@ min_i32x16: select_i32x16 */
EINC_INLINE einc_i32x16 einc_min_i32x16(einc_i32x16 a, einc_i32x16 b) {
  return einc_select_i32x16(a < b, a, b);
}

/*@ add_i32x16: i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_add_i32x16(einc_i32x16 a, einc_i32x16 b) {
  return (einc_i32x16)((einc_u32x16)a + (einc_u32x16)b);
}

/*@ sub_i32x16: i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_sub_i32x16(einc_i32x16 a, einc_i32x16 b) {
  return (einc_i32x16)((einc_u32x16)a - (einc_u32x16)b);
}

/*@ mul_i32x16: i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_mul_i32x16(einc_i32x16 a, einc_i32x16 b) {
  return (einc_i32x16)((einc_u32x16)a * (einc_u32x16)b);
}

/*@ neg_i32x16: i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_neg_i32x16(einc_i32x16 a) { return (einc_i32x16)(0 - (einc_u32x16)a); }

/*@ abs_i32x16: neg_i32x16 select_i32x16 */
EINC_INLINE einc_i32x16 einc_abs_i32x16(einc_i32x16 a) {
  return einc_select_i32x16(a < 0, einc_neg_i32x16(a), a);
}

/*@ sign_i32x16: i32x16 */
/* A comparison that holds is -1. */
EINC_INLINE einc_i32x16 einc_sign_i32x16(einc_i32x16 a) {
  return (einc_i32x16)(a < 0) - (einc_i32x16)(a > 0);
}

/*@ shl_i32x16: select_i32x16 u32x16 */
/* 0 where the count is not one of the bits. */
EINC_INLINE einc_i32x16 einc_shl_i32x16(einc_i32x16 a, einc_i32x16 n) {
  const einc_i32x16 zero = {0}, last = zero + (int32_t)(8 * sizeof(int32_t) - 1);
  const einc_i32x16 some = einc_select_i32x16((n & ~last) == zero, a, zero);
  return (einc_i32x16)((einc_u32x16)some << (einc_u32x16)(n & last));
}

/*@ shr_i32x16: select_i32x16 */
/* The sign where the count is not one of the bits. */
EINC_INLINE einc_i32x16 einc_shr_i32x16(einc_i32x16 a, einc_i32x16 n) {
  const einc_i32x16 zero = {0}, last = zero + (int32_t)(8 * sizeof(int32_t) - 1);
  return a >> einc_select_i32x16((n & ~last) == zero, n, last);
}

/*@ shr_u32x16: select_u32x16 */
EINC_INLINE einc_u32x16 einc_shr_u32x16(einc_u32x16 a, einc_u32x16 n) {
  const einc_u32x16 zero = {0}, last = zero + (uint32_t)(8 * sizeof(uint32_t) - 1);
  return einc_select_u32x16((n & ~last) == zero, a, zero) >> (n & last);
}

/*@ square_i32x16: i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_square_i32x16(einc_i32x16 a) {
  return (einc_i32x16)((einc_u32x16)a * (einc_u32x16)a);
}

/*@ sign_f32x16: select_f32x16 */
/* Zeros and NaN stay what they are. */
EINC_INLINE einc_f32x16 einc_sign_f32x16(einc_f32x16 a) {
  const einc_f32x16 zero = {0};
  return einc_select_f32x16(a > zero, zero + 1.0f, einc_select_f32x16(a < zero, zero - 1.0f, a));
}

/*@ abs_f32x16: mask_f32x16 */
EINC_INLINE einc_f32x16 einc_abs_f32x16(einc_f32x16 a) {
  const einc_f32x16 zero = {0};
  const einc_mask_f32x16 sign = (einc_mask_f32x16)-zero;
  return (einc_f32x16)((einc_mask_f32x16)a & ~sign);
}

/*@ square_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_square_f32x16(einc_f32x16 a) { return a * a; }

/*@ sqrt_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_sqrt_f32x16(einc_f32x16 a) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(a);
#else
  int i;
  for (i = 0; i < 16; ++i) a[i] = sqrtf(a[i]);
  return a;
#endif
}

/*@ floor_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_floor_f32x16(einc_f32x16 a) {
#if defined(__clang__)
  return __builtin_elementwise_floor(a);
#else
  int i;
  for (i = 0; i < 16; ++i) a[i] = floorf(a[i]);
  return a;
#endif
}

/*@ ceil_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_ceil_f32x16(einc_f32x16 a) {
#if defined(__clang__)
  return __builtin_elementwise_ceil(a);
#else
  int i;
  for (i = 0; i < 16; ++i) a[i] = ceilf(a[i]);
  return a;
#endif
}

/*@ trunc_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_trunc_f32x16(einc_f32x16 a) {
#if defined(__clang__)
  return __builtin_elementwise_trunc(a);
#else
  int i;
  for (i = 0; i < 16; ++i) a[i] = truncf(a[i]);
  return a;
#endif
}

/*@ away_f32x16: abs_f32x16 select_f32x16 */
/* `whole`, or what is 1 further from zero, with the sign of `a`, where `further` says so. */
EINC_INLINE einc_f32x16 einc_away_f32x16(einc_f32x16 a, einc_f32x16 whole,
                                         einc_mask_f32x16 further) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 one = einc_select_f32x16(a < zero, zero - 1.0f, zero + 1.0f);
  return einc_select_f32x16(further, whole + one, whole);
}

/*@ half_away_f32x16: away_f32x16 trunc_f32x16 */
/* To the nearest, halves away from zero. What trunc takes off is exact. */
EINC_INLINE einc_f32x16 einc_half_away_f32x16(einc_f32x16 a) {
  const einc_f32x16 whole = einc_trunc_f32x16(a), part = einc_abs_f32x16(a - whole);
  return einc_away_f32x16(a, whole, (einc_mask_f32x16)(part >= 0.5f));
}

/*@ roundeven_f32x16: away_f32x16 trunc_f32x16 */
EINC_INLINE einc_f32x16 einc_roundeven_f32x16(einc_f32x16 a) {
#if defined(__clang__) && __clang_major__ >= 16
  return __builtin_elementwise_roundeven(a);
#else
  const einc_f32x16 whole = einc_trunc_f32x16(a), part = einc_abs_f32x16(a - whole);
  const einc_f32x16 pairs = whole * 0.5f;
  const einc_mask_f32x16 odd = (einc_mask_f32x16)(einc_trunc_f32x16(pairs) != pairs);
  const einc_mask_f32x16 more = (einc_mask_f32x16)(part > 0.5f);
  return einc_away_f32x16(a, whole, more | (odd & (einc_mask_f32x16)(part == 0.5f)));
#endif
}

/*@ widen_bf16x16: f32x16 u16x16 u32x16 */
EINC_INLINE einc_f32x16 einc_widen_bf16x16(einc_u16x16 a) {
  return (einc_f32x16)(__builtin_convertvector(a, einc_u32x16) << 16);
}

/*@ narrow_bf16x16: f32x16 u16x16 u32x16 */
/* To nearest even: what falls away, and the last digit that is kept, carry into that. */
EINC_INLINE einc_u16x16 einc_narrow_bf16x16(einc_f32x16 a) {
  const einc_u32x16 bits = (einc_u32x16)a, nan = (einc_u32x16)(a != a);
  const einc_u32x16 rounded = bits + 0x7fff + ((bits >> 16) & 1);
  const einc_u32x16 one = (bits & 0x80000000u) | 0x7fc00000u;
  return __builtin_convertvector(((nan & one) | (~nan & rounded)) >> 16, einc_u16x16);
}

/*@ round_bf16x16: narrow_bf16x16 widen_bf16x16 */
EINC_INLINE einc_f32x16 einc_round_bf16x16(einc_f32x16 a) {
  return einc_widen_bf16x16(einc_narrow_bf16x16(a));
}
