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

/*@ halves_f16x8: inline */
/* Eight f16 as the compilers' builtins take them. */
typedef short einc_halves_f16x8 __attribute__((vector_size(16)));

/*@ halves_f16x16: inline */
typedef short einc_halves_f16x16 __attribute__((vector_size(32)));

/*@ widen_f16: halves_f16x8 */
EINC_INLINE float einc_widen_f16(uint16_t a) {
  const einc_halves_f16x8 v = {(short)a};
  return __builtin_ia32_vcvtph2ps(v)[0];
}

/*@ narrow_f16: inline */
/* (0: to the nearest.) */
EINC_INLINE uint16_t einc_narrow_f16(float a) {
  typedef float four __attribute__((vector_size(16)));
  const four v = {a};
  return (uint16_t)__builtin_ia32_vcvtps2ph(v, 0)[0];
}

/*@ widen_f16x16: f32x16 u16x16 halves_f16x16 */
/* What is seen as a conversion is compared as f16 by Clang, lane by lane: the empty statement hides
 * it. */
EINC_INLINE einc_f32x16 einc_widen_f16x16(einc_u16x16 a) {
  const einc_f32x16 zero = {0};
  einc_f32x16 v = __builtin_ia32_vcvtph2ps512_mask((einc_halves_f16x16)a, zero, (uint16_t)-1, 4);
  __asm__("" : "+v"(v));
  return v;
}

/*@ narrow_f16x16: f32x16 u16x16 halves_f16x16 */
/* (0: to the nearest.) */
EINC_INLINE einc_u16x16 einc_narrow_f16x16(einc_f32x16 a) {
  const einc_halves_f16x16 zero = {0};
  return (einc_u16x16)__builtin_ia32_vcvtps2ph512_mask(a, 0, zero, (uint16_t)-1);
}

/*@ widen_f16x8: f32x8 u16x8 halves_f16x8 */
EINC_INLINE einc_f32x8 einc_widen_f16x8(einc_u16x8 a) {
  einc_f32x8 v = __builtin_ia32_vcvtph2ps256((einc_halves_f16x8)a);
  __asm__("" : "+x"(v));
  return v;
}

/*@ narrow_f16x8: f32x8 u16x8 */
EINC_INLINE einc_u16x8 einc_narrow_f16x8(einc_f32x8 a) {
  return (einc_u16x8)__builtin_ia32_vcvtps2ph256(a, 0);
}

/*@ widen_f16x4: f32x4 u16x4 halves_f16x8 */
EINC_INLINE einc_f32x4 einc_widen_f16x4(einc_u16x4 a) {
  einc_halves_f16x8 half = {0};
  __builtin_memcpy(&half, &a, sizeof a);
  einc_f32x4 v = __builtin_ia32_vcvtph2ps(half);
  __asm__("" : "+x"(v));
  return v;
}

/*@ narrow_f16x4: f32x4 u16x4 halves_f16x8 */
EINC_INLINE einc_u16x4 einc_narrow_f16x4(einc_f32x4 a) {
  const einc_halves_f16x8 half = __builtin_ia32_vcvtps2ph(a, 0);
  einc_u16x4 v;
  __builtin_memcpy(&v, &half, sizeof v);
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
