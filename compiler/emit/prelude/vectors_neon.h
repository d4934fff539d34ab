/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What AArch64 has instructions for, in place of the functions of the same name in vectors.h. FMAX
 * and FMIN give NaN if either operand is, and order zeros: what the spec's functions do. */
#pragma once

#include <arm_neon.h>

#include "compiler/emit/prelude/vectors.h"

/*@ fma_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_fma_f32x4(einc_f32x4 a, einc_f32x4 b, einc_f32x4 c) {
  return (einc_f32x4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

/*@ fma_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_fma_f64x2(einc_f64x2 a, einc_f64x2 b, einc_f64x2 c) {
  return (einc_f64x2)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

/*@ max_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_max_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return (einc_f32x4)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
}

/*@ min_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_min_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return (einc_f32x4)vminq_f32((float32x4_t)a, (float32x4_t)b);
}

/*@ max_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_max_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return (einc_f64x2)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
}

/*@ min_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_min_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return (einc_f64x2)vminq_f64((float64x2_t)a, (float64x2_t)b);
}
