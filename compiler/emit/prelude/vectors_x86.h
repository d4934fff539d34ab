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
