/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What AVX2 has masks for, reads of 32 and 64 bits, and its maxima, in place of the functions of the
 * same name in vectors.h. Stores are in pieces, as AMD's CPUs take 12 cycles for one with a mask (seven f32 on Zen
 * 3: 5.8 ns, and 2.8 in pieces). In the compilers' own builtins, as in vectors_x86.h. */
#pragma once

#include "compiler/emit/prelude/vectors.h"

/*@ raw_i32x8: inline */
/* What the compilers' builtins take. */
typedef int einc_raw_i32x8 __attribute__((vector_size(8 * sizeof(int32_t))));

/*@ first: inline */
/* 32 bytes of ones, and of zeros: the first lanes, as a mask, begin as many before the middle. */
static const int64_t einc_first[8] = {-1, -1, -1, -1, 0, 0, 0, 0};

/*@ first_i32x8: raw_i32x8 first */
EINC_INLINE einc_raw_i32x8 einc_first_i32x8(int64_t count) {
  const int64_t all = sizeof(einc_raw_i32x8) / sizeof(int32_t);
  const int64_t some = count < 0 ? 0 : count < all ? count : all;
  einc_raw_i32x8 mask;
  __builtin_memcpy(&mask, (const char *)&einc_first[4] - some * (int64_t)sizeof(int32_t),
                   sizeof mask);
  return mask;
}

/*@ load_some_i32x8: splat_i32x8 first_i32x8 */
EINC_INLINE einc_i32x8 einc_load_some_i32x8(const int32_t *from, int64_t count, int32_t pad) {
  const einc_raw_i32x8 mask = einc_first_i32x8(count);
  const einc_raw_i32x8 rest = (einc_raw_i32x8)einc_splat_i32x8(pad) & ~mask;
  return (einc_i32x8)(rest | (einc_raw_i32x8)__builtin_ia32_maskloadd256(
                                 (const einc_raw_i32x8 *)(const void *)from, mask));
}

/*@ load_between_i32x8: load_i32x8 splat_i32x8 first_i32x8 */
EINC_INLINE einc_i32x8 einc_load_between_i32x8(const int32_t *from, int64_t low, int64_t count,
                                               int32_t pad) {
  const einc_raw_i32x8 mask = einc_first_i32x8(count) & ~einc_first_i32x8(low);
  const einc_raw_i32x8 rest = (einc_raw_i32x8)einc_splat_i32x8(pad) & ~mask;
  if (low <= 0 && count >= (int64_t)(sizeof rest / sizeof pad)) return einc_load_i32x8(from);
  return (einc_i32x8)(rest | (einc_raw_i32x8)__builtin_ia32_maskloadd256(
                                 (const einc_raw_i32x8 *)(const void *)from, mask));
}

/*@ unordered_f32x8: mask_f32x8 */
/* All bits of a lane where either is NaN. */
EINC_INLINE einc_mask_f32x8 einc_unordered_f32x8(einc_f32x8 a, einc_f32x8 b) {
  return (einc_mask_f32x8)__builtin_ia32_cmpps256(a, b, 3);
}

/*@ unordered_f64x4: mask_f64x4 */
EINC_INLINE einc_mask_f64x4 einc_unordered_f64x4(einc_f64x4 a, einc_f64x4 b) {
  return (einc_mask_f64x4)__builtin_ia32_cmppd256(a, b, 3);
}

/*@ max_f32x8: unordered_f32x8 */
/* NaN if either is, and -0 < +0: of two zeros either order gives the second; all bits are a NaN. */
EINC_INLINE einc_f32x8 einc_max_f32x8(einc_f32x8 a, einc_f32x8 b) {
  const einc_mask_f32x8 one = (einc_mask_f32x8)__builtin_ia32_maxps256(a, b);
  const einc_mask_f32x8 other = (einc_mask_f32x8)__builtin_ia32_maxps256(b, a);
  return (einc_f32x8)((one & other) | einc_unordered_f32x8(a, b));
}

/*@ max_f64x4: unordered_f64x4 */
EINC_INLINE einc_f64x4 einc_max_f64x4(einc_f64x4 a, einc_f64x4 b) {
  const einc_mask_f64x4 one = (einc_mask_f64x4)__builtin_ia32_maxpd256(a, b);
  const einc_mask_f64x4 other = (einc_mask_f64x4)__builtin_ia32_maxpd256(b, a);
  return (einc_f64x4)((one & other) | einc_unordered_f64x4(a, b));
}

/*@ min_f32x8: mask_f32x8 */
/* NaN if either is, and -0 < +0: where the orders differ one gives a, the other b. All bits of a NaN and others are a
 * NaN. */
EINC_INLINE einc_f32x8 einc_min_f32x8(einc_f32x8 a, einc_f32x8 b) {
  const einc_mask_f32x8 one = (einc_mask_f32x8)__builtin_ia32_minps256(a, b);
  const einc_mask_f32x8 other = (einc_mask_f32x8)__builtin_ia32_minps256(b, a);
  return (einc_f32x8)(one | other);
}

/*@ min_f64x4: mask_f64x4 */
EINC_INLINE einc_f64x4 einc_min_f64x4(einc_f64x4 a, einc_f64x4 b) {
  const einc_mask_f64x4 one = (einc_mask_f64x4)__builtin_ia32_minpd256(a, b);
  const einc_mask_f64x4 other = (einc_mask_f64x4)__builtin_ia32_minpd256(b, a);
  return (einc_f64x4)(one | other);
}
