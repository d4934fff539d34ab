/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What AVX-512 (with VL, DQ and BW) has masks for, in place of the functions of the same name in
 * vectors.h. */
#pragma once

#include <immintrin.h>

#include "compiler/emit/prelude/vectors.h"

/*@ first: inline */
/* The first `count` of up to 16 lanes, as a mask. */
EINC_INLINE __mmask16 einc_first(int64_t count) {
  const int32_t clamped = (int32_t)(count < 0 ? 0 : count > 16 ? 16 : count);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_cmplt_epi32_mask(lanes, _mm512_set1_epi32(clamped));
}

/*@ first_many: inline */
/* The first `count` of up to 64 lanes, as a mask. */
EINC_INLINE __mmask64 einc_first_many(int64_t count) {
  return count <= 0 ? 0 : count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

/*@ load_some_i32x16: splat_i32x16 first */
EINC_INLINE einc_i32x16 einc_load_some_i32x16(const int32_t *from, int64_t count, int32_t pad) {
  return (einc_i32x16)_mm512_mask_loadu_epi32((__m512i)einc_splat_i32x16(pad),
                                              (__mmask16)einc_first(count), from);
}

/*@ store_some_i32x16: i32x16 first */
EINC_INLINE void einc_store_some_i32x16(int32_t *to, int64_t count, einc_i32x16 v) {
  _mm512_mask_storeu_epi32(to, (__mmask16)einc_first(count), (__m512i)v);
}

/*@ max_f32x16: f32x16 */
/* NaN if either is, and -0 < +0: VRANGEPS orders zeros, but prefers numbers to NaN. */
EINC_INLINE einc_f32x16 einc_max_f32x16(einc_f32x16 a, einc_f32x16 b) {
  const __m512 larger = _mm512_range_ps((__m512)a, (__m512)b, 5);
  const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
  return (einc_f32x16)_mm512_mask_add_ps(larger, nan, (__m512)a, (__m512)b);
}

/*@ min_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_min_f32x16(einc_f32x16 a, einc_f32x16 b) {
  const __m512 smaller = _mm512_range_ps((__m512)a, (__m512)b, 4);
  const __mmask16 nan = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
  return (einc_f32x16)_mm512_mask_add_ps(smaller, nan, (__m512)a, (__m512)b);
}

/*@ max_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_max_f64x8(einc_f64x8 a, einc_f64x8 b) {
  const __m512d larger = _mm512_range_pd((__m512d)a, (__m512d)b, 5);
  const __mmask8 nan = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q);
  return (einc_f64x8)_mm512_mask_add_pd(larger, nan, (__m512d)a, (__m512d)b);
}

/*@ min_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_min_f64x8(einc_f64x8 a, einc_f64x8 b) {
  const __m512d smaller = _mm512_range_pd((__m512d)a, (__m512d)b, 4);
  const __mmask8 nan = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q);
  return (einc_f64x8)_mm512_mask_add_pd(smaller, nan, (__m512d)a, (__m512d)b);
}

/*@ numbers_f32x16: f32x16 */
/* Of the lanes whose bits are set those in which both are numbers. */
EINC_INLINE uint16_t einc_numbers_f32x16(uint16_t of, einc_f32x16 a, einc_f32x16 b) {
  return _mm512_mask_cmp_ps_mask((__mmask16)of, (__m512)a, (__m512)b, _CMP_ORD_Q);
}

/*@ numbers_f32x8: f32x8 */
EINC_INLINE uint16_t einc_numbers_f32x8(uint16_t of, einc_f32x8 a, einc_f32x8 b) {
  return _mm256_mask_cmp_ps_mask((__mmask8)of, (__m256)a, (__m256)b, _CMP_ORD_Q);
}

/*@ numbers_f32x4: f32x4 */
EINC_INLINE uint16_t einc_numbers_f32x4(uint16_t of, einc_f32x4 a, einc_f32x4 b) {
  return _mm_mask_cmp_ps_mask((__mmask8)of, (__m128)a, (__m128)b, _CMP_ORD_Q);
}

/*@ numbers_f64x8: f64x8 */
EINC_INLINE uint16_t einc_numbers_f64x8(uint16_t of, einc_f64x8 a, einc_f64x8 b) {
  return _mm512_mask_cmp_pd_mask((__mmask8)of, (__m512d)a, (__m512d)b, _CMP_ORD_Q);
}

/*@ numbers_f64x4: f64x4 */
EINC_INLINE uint16_t einc_numbers_f64x4(uint16_t of, einc_f64x4 a, einc_f64x4 b) {
  return _mm256_mask_cmp_pd_mask((__mmask8)of, (__m256d)a, (__m256d)b, _CMP_ORD_Q);
}

/*@ numbers_f64x2: f64x2 */
EINC_INLINE uint16_t einc_numbers_f64x2(uint16_t of, einc_f64x2 a, einc_f64x2 b) {
  return _mm_mask_cmp_pd_mask((__mmask8)of, (__m128d)a, (__m128d)b, _CMP_ORD_Q);
}

/*@ quick_max_f32x16: f32x16 */
/* For numbers; those that begin with quick_ are used where NaN is watched for. */
EINC_INLINE einc_f32x16 einc_quick_max_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return (einc_f32x16)_mm512_range_ps((__m512)a, (__m512)b, 5);
}

/*@ quick_max_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_quick_max_f32x8(einc_f32x8 a, einc_f32x8 b) {
  return (einc_f32x8)_mm256_range_ps((__m256)a, (__m256)b, 5);
}

/*@ quick_max_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_quick_max_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return (einc_f32x4)_mm_range_ps((__m128)a, (__m128)b, 5);
}

/*@ quick_max_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_quick_max_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return (einc_f64x8)_mm512_range_pd((__m512d)a, (__m512d)b, 5);
}

/*@ quick_max_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_quick_max_f64x4(einc_f64x4 a, einc_f64x4 b) {
  return (einc_f64x4)_mm256_range_pd((__m256d)a, (__m256d)b, 5);
}

/*@ quick_max_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_quick_max_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return (einc_f64x2)_mm_range_pd((__m128d)a, (__m128d)b, 5);
}

/*@ quick_min_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_quick_min_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return (einc_f32x16)_mm512_range_ps((__m512)a, (__m512)b, 4);
}

/*@ quick_min_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_quick_min_f32x8(einc_f32x8 a, einc_f32x8 b) {
  return (einc_f32x8)_mm256_range_ps((__m256)a, (__m256)b, 4);
}

/*@ quick_min_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_quick_min_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return (einc_f32x4)_mm_range_ps((__m128)a, (__m128)b, 4);
}

/*@ quick_min_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_quick_min_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return (einc_f64x8)_mm512_range_pd((__m512d)a, (__m512d)b, 4);
}

/*@ quick_min_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_quick_min_f64x4(einc_f64x4 a, einc_f64x4 b) {
  return (einc_f64x4)_mm256_range_pd((__m256d)a, (__m256d)b, 4);
}

/*@ quick_min_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_quick_min_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return (einc_f64x2)_mm_range_pd((__m128d)a, (__m128d)b, 4);
}
