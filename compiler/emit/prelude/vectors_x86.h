/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What x86 has instructions for, in place of the functions of the same name in vectors.h. Only
 * within functions that are compiled for a CPU that has them. */
#pragma once

#include <immintrin.h>

#include "compiler/emit/prelude/vectors.h"

/*@ fma_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_fma_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 c) {
  return (einc_f32x16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/*@ fma_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_fma_f64x8(einc_f64x8 a, einc_f64x8 b, einc_f64x8 c) {
  return (einc_f64x8)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

/*@ fma_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_fma_f32x8(einc_f32x8 a, einc_f32x8 b, einc_f32x8 c) {
  return (einc_f32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

/*@ fma_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_fma_f64x4(einc_f64x4 a, einc_f64x4 b, einc_f64x4 c) {
  return (einc_f64x4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/*@ fma_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_fma_f32x4(einc_f32x4 a, einc_f32x4 b, einc_f32x4 c) {
  return (einc_f32x4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
}

/*@ fma_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_fma_f64x2(einc_f64x2 a, einc_f64x2 b, einc_f64x2 c) {
  return (einc_f64x2)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
}

/*@ widen_f16: inline */
EINC_INLINE float einc_widen_f16(uint16_t a) { return _cvtsh_ss(a); }

/*@ widen_f16x16: f32x16 u16x16 */
/* What is seen as a conversion is compared as f16 by Clang, lane by lane: the empty statement hides
 * it. */
EINC_INLINE einc_f32x16 einc_widen_f16x16(einc_u16x16 a) {
  __m512 v = _mm512_cvtph_ps((__m256i)a);
  __asm__("" : "+v"(v));
  return (einc_f32x16)v;
}

/*@ narrow_f16x16: f32x16 u16x16 */
EINC_INLINE einc_u16x16 einc_narrow_f16x16(einc_f32x16 a) {
  return (einc_u16x16)_mm512_cvtps_ph((__m512)a, _MM_FROUND_TO_NEAREST_INT);
}

/*@ widen_f16x8: f32x8 u16x8 */
EINC_INLINE einc_f32x8 einc_widen_f16x8(einc_u16x8 a) {
  __m256 v = _mm256_cvtph_ps((__m128i)a);
  __asm__("" : "+x"(v));
  return (einc_f32x8)v;
}

/*@ narrow_f16x8: f32x8 u16x8 */
EINC_INLINE einc_u16x8 einc_narrow_f16x8(einc_f32x8 a) {
  return (einc_u16x8)_mm256_cvtps_ph((__m256)a, _MM_FROUND_TO_NEAREST_INT);
}

/*@ widen_f16x4: f32x4 u16x4 */
EINC_INLINE einc_f32x4 einc_widen_f16x4(einc_u16x4 a) {
  int64_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  __m128 v = _mm_cvtph_ps(_mm_cvtsi64_si128(bits));
  __asm__("" : "+x"(v));
  return (einc_f32x4)v;
}

/*@ narrow_f16x4: f32x4 u16x4 */
EINC_INLINE einc_u16x4 einc_narrow_f16x4(einc_f32x4 a) {
  const int64_t bits = _mm_cvtsi128_si64(_mm_cvtps_ph((__m128)a, _MM_FROUND_TO_NEAREST_INT));
  einc_u16x4 v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}

/*@ round_f16x16: narrow_f16x16 widen_f16x16 */
EINC_INLINE einc_f32x16 einc_round_f16x16(einc_f32x16 a) {
  return einc_widen_f16x16(einc_narrow_f16x16(a));
}

/*@ round_f16x8: narrow_f16x8 widen_f16x8 */
EINC_INLINE einc_f32x8 einc_round_f16x8(einc_f32x8 a) {
  return einc_widen_f16x8(einc_narrow_f16x8(a));
}

/*@ round_f16x4: narrow_f16x4 widen_f16x4 */
EINC_INLINE einc_f32x4 einc_round_f16x4(einc_f32x4 a) {
  return einc_widen_f16x4(einc_narrow_f16x4(a));
}
