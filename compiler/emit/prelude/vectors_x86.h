/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What x86 has instructions for, in place of the functions of the same name in vectors.h. Only
 * within functions that are compiled for a CPU that has them.
 *
 * They are named by the compilers' builtins, which GCC and Clang have in common (tried: GCC 12, Clang
 * 14 and 19): to read <immintrin.h> takes longer (0.2 s) than to compile most kernels. For a product
 * that is added, Clang has a portable one since version 17, in place of those of x86. */
#pragma once

#include "compiler/emit/prelude/vectors.h"

/*@ fma_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_fma_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddps512_mask(a, b, c, (uint16_t)-1, 4);
#endif
}

/*@ fma_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_fma_f32x8(einc_f32x8 a, einc_f32x8 b, einc_f32x8 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddps256(a, b, c);
#endif
}

/*@ fma_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_fma_f32x4(einc_f32x4 a, einc_f32x4 b, einc_f32x4 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddps(a, b, c);
#endif
}

/*@ fma_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_fma_f64x8(einc_f64x8 a, einc_f64x8 b, einc_f64x8 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, (uint8_t)-1, 4);
#endif
}

/*@ fma_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_fma_f64x4(einc_f64x4 a, einc_f64x4 b, einc_f64x4 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddpd256(a, b, c);
#endif
}

/*@ fma_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_fma_f64x2(einc_f64x2 a, einc_f64x2 b, einc_f64x2 c) {
#if defined(__clang__) && __clang_major__ >= 17
  return __builtin_elementwise_fma(a, b, c);
#else
  return __builtin_ia32_vfmaddpd(a, b, c);
#endif
}
