/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Functions of mathematics, for all lanes of a vector at once. Chunks as in vectors.h. The scalar
 * function of the same name is this text with numbers for vectors ("_f32" for "_f32x16"): the same
 * operations in the same order, each rounded once. Where a target has an instruction for it, a
 * product that is added with `mad` is rounded once with the sum, unless kernels are --fp=strict;
 * nothing else is fused: an element has the same bits wherever it stands, whatever compiled it, on
 * all targets with that instruction, and on all without. A choice is made by selecting; what is
 * computed for the lanes that are not selected may be anything. `zero + c` is c in all lanes.
 *
 * Arguments are reduced as Cody and Waite did (Software Manual for the Elementary Functions, 1980):
 * what is subtracted is held in two parts, of which the first times a small integer is exact. A sum
 * with 1.5 * 2^23 (2^52 for f64) rounds to an integer, whose digits are then the sum's last ones.
 * Polynomials are minimax ones; coefficients.py computes their coefficients. Errors are in units in
 * the last place (ulps), the greatest that was measured rounded up:
 * tests/numeric/functions_test.py. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "compiler/emit/prelude/vectors.h"

/*@ mad_f32x16: f32x16 */
/* a * b + c. In code for a target that adds products with one rounding it is written as fma. */
EINC_INLINE einc_f32x16 einc_mad_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 c) {
  return a * b + c;
}

/*@ mad_f64x16: f64x16 */
/* a * b + c. In code for a target that adds products with one rounding it is written as fma. */
EINC_INLINE einc_f64x16 einc_mad_f64x16(einc_f64x16 a, einc_f64x16 b, einc_f64x16 c) {
  return a * b + c;
}

/*@ step_f32x16: mad_f32x16 */
/* Of Horner's scheme. */
EINC_INLINE einc_f32x16 einc_step_f32x16(einc_f32x16 sum, einc_f32x16 x, float c) {
  const einc_f32x16 zero = {0};
  return einc_mad_f32x16(sum, x, zero + c);
}

/*@ step_f64x16: mad_f64x16 */
/* Of Horner's scheme. */
EINC_INLINE einc_f64x16 einc_step_f64x16(einc_f64x16 sum, einc_f64x16 x, double c) {
  const einc_f64x16 zero = {0};
  return einc_mad_f64x16(sum, x, zero + c);
}

/*@ scale_f32x16: bits_f32x16 of_bits_f32x16 */
/* a * 2^n, -252 <= n <= 254, where n = t - 1.5 * 2^23: in two steps, of which only the second can
 * round, to a subnormal number or to infinity. */
EINC_INLINE einc_f32x16 einc_scale_f32x16(einc_f32x16 a, einc_f32x16 t) {
  const einc_u32x16 n = einc_bits_f32x16(t) - (0x4b400000u - 254), half = n >> 1;
  return a * einc_of_bits_f32x16(half << 23) * einc_of_bits_f32x16((n - half) << 23);
}

/*@ scale_f64x16: bits_f64x16 of_bits_f64x16 */
/* a * 2^n, -2044 <= n <= 2046, where n = t - 1.5 * 2^52: in two steps, of which only the second can
 * round, to a subnormal number or to infinity. */
EINC_INLINE einc_f64x16 einc_scale_f64x16(einc_f64x16 a, einc_f64x16 t) {
  const einc_u64x16 n = einc_bits_f64x16(t) - (UINT64_C(0x4338000000000000) - 2046), half = n >> 1;
  return a * einc_of_bits_f64x16(half << 52) * einc_of_bits_f64x16((n - half) << 52);
}

/*@ exp_series_f32x16: step_f32x16 */
/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2, minimax. */
EINC_INLINE einc_f32x16 einc_exp_series_f32x16(einc_f32x16 r) {
  const einc_f32x16 zero = {0};
  einc_f32x16 p = einc_step_f32x16(zero + 0x1.6db4eap-10f, r, 0x1.123bdep-7f);
  p = einc_step_f32x16(p, r, 0x1.55545ep-5f);
  p = einc_step_f32x16(p, r, 0x1.55548ep-3f);
  p = einc_step_f32x16(p, r, 0.5f);
  return p;
}

/*@ exp_series_f64x16: step_f64x16 mad_f64x16 */
/* (e^r - 1 - r) / r^2, |r| <= log(2) / 2, minimax. */
EINC_INLINE einc_f64x16 einc_exp_series_f64x16(einc_f64x16 r) {
  const einc_f64x16 zero = {0}, z = r * r;
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.af860947473fbp-26, z, 0x1.71dddf7a32b74p-19);
  einc_f64x16 q = einc_step_f64x16(zero + 0x1.28b0a6d8fa9fep-22, z, 0x1.a0199630f17a6p-16);
  p = einc_step_f64x16(p, z, 0x1.a01a01bb06d36p-13);
  q = einc_step_f64x16(q, z, 0x1.6c16c185cac14p-10);
  p = einc_step_f64x16(p, z, 0x1.111111110d5cdp-7);
  q = einc_step_f64x16(q, z, 0x1.555555554ff92p-5);
  p = einc_step_f64x16(p, z, 0x1.5555555555561p-3);
  q = einc_step_f64x16(q, z, 0x1.000000000000cp-1);
  return einc_mad_f64x16(p, r, q);
}

/*@ exp_near_f32x16: mad_f32x16 step_f32x16 scale_f32x16 exp_series_f32x16 */
/* e^x = 2^n e^r with r = x - n log 2, |r| <= log(2) / 2, for -104.0 <= x <= 89.0; log 2 is in two
 * parts. */
EINC_INLINE einc_f32x16 einc_exp_near_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 t = einc_step_f32x16(x, zero + 0x1.715476p+0f, 0x1.8p+23f), n = t - 0x1.8p+23f;
  const einc_f32x16 b = einc_mad_f32x16(n, zero - 0x1.62e4p-1f, x);
  const einc_f32x16 r = einc_mad_f32x16(n, zero - 0x1.7f7d1cp-20f, b);
  return einc_scale_f32x16(1.0f + einc_mad_f32x16(r * r, einc_exp_series_f32x16(r), r), t);
}

/*@ exp_f32x16: select_f32x16 exp_near_f32x16 */
/* Beyond these arguments it is infinity, or 0. NaN stays. At most 1.1 ulps off. */
EINC_INLINE einc_f32x16 einc_exp_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, most = einc_select_f32x16(x > 89.0f, zero + 89.0f, x);
  return einc_exp_near_f32x16(einc_select_f32x16(most < -104.0f, zero - 104.0f, most));
}

/*@ exp_near_f64x16: mad_f64x16 step_f64x16 scale_f64x16 exp_series_f64x16 */
/* e^x = 2^n e^r with r = x - n log 2, |r| <= log(2) / 2, for -746.0 <= x <= 710.0; log 2 is in two
 * parts. */
EINC_INLINE einc_f64x16 einc_exp_near_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 t = einc_step_f64x16(x, zero + 0x1.71547652b82fep+0, 0x1.8p+52),
                    n = t - 0x1.8p+52;
  const einc_f64x16 b = einc_mad_f64x16(n, zero - 0x1.62e42fefa38p-1, x);
  const einc_f64x16 r = einc_mad_f64x16(n, zero - 0x1.ef35793c7673p-45, b);
  return einc_scale_f64x16(1.0 + einc_mad_f64x16(r * r, einc_exp_series_f64x16(r), r), t);
}

/*@ exp_f64x16: select_f64x16 exp_near_f64x16 */
/* Beyond these arguments it is infinity, or 0. NaN stays. At most 1.1 ulps off. */
EINC_INLINE einc_f64x16 einc_exp_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0}, most = einc_select_f64x16(x > 710.0, zero + 710.0, x);
  return einc_exp_near_f64x16(einc_select_f64x16(most < -746.0, zero - 746.0, most));
}

/*@ expm1_quarter_f32x16: bits_f32x16 of_bits_f32x16 mad_f32x16 step_f32x16 exp_series_f32x16 */
/* (2^n e^(r + rest) - 1) / 4 as (q - 1/4) + q r + q (e^r - 1 - r + rest), q = 2^(n-2), for
 * -26.0 <= x <= 89.5. */
EINC_INLINE einc_f32x16 einc_expm1_quarter_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 t = einc_step_f32x16(x, zero + 0x1.715476p+0f, 0x1.8p+23f), n = t - 0x1.8p+23f;
  const einc_f32x16 b = einc_mad_f32x16(n, zero - 0x1.62e4p-1f, x);
  const einc_f32x16 r = einc_mad_f32x16(n, zero - 0x1.7f7d1cp-20f, b);
  const einc_f32x16 rest = einc_mad_f32x16(n, zero - 0x1.7f7d1cp-20f, b - r);
  const einc_f32x16 q = einc_of_bits_f32x16((einc_bits_f32x16(t) - (0x4b400000u - 125)) << 23);
  const einc_f32x16 tail = einc_mad_f32x16(r * r, einc_exp_series_f32x16(r), rest);
  return einc_mad_f32x16(q, tail, einc_mad_f32x16(q, r, q - 0.25f));
}

/*@ expm1_f32x16: select_f32x16 expm1_quarter_f32x16 */
/* x itself if it is that small. At most 1.4 ulps off. */
EINC_INLINE einc_f32x16 einc_expm1_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 most = einc_select_f32x16(x > 89.0f, zero + 89.0f, x);
  const einc_f32x16 a = einc_select_f32x16(most < -26.0f, zero - 26.0f, most);
  const einc_f32x16 y = einc_expm1_quarter_f32x16(a) * 4.0f;
  return einc_select_f32x16(a * a < 0x1p-50f, x, y);
}

/*@ expm1_quarter_f64x16: bits_f64x16 of_bits_f64x16 mad_f64x16 step_f64x16 exp_series_f64x16 */
/* (2^n e^(r + rest) - 1) / 4 as (q - 1/4) + q r + q (e^r - 1 - r + rest), q = 2^(n-2), for
 * -56.0 <= x <= 710.5. */
EINC_INLINE einc_f64x16 einc_expm1_quarter_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 t = einc_step_f64x16(x, zero + 0x1.71547652b82fep+0, 0x1.8p+52),
                    n = t - 0x1.8p+52;
  const einc_f64x16 b = einc_mad_f64x16(n, zero - 0x1.62e42fefa38p-1, x);
  const einc_f64x16 r = einc_mad_f64x16(n, zero - 0x1.ef35793c7673p-45, b);
  const einc_f64x16 rest = einc_mad_f64x16(n, zero - 0x1.ef35793c7673p-45, b - r);
  const einc_f64x16 q =
      einc_of_bits_f64x16((einc_bits_f64x16(t) - (UINT64_C(0x4338000000000000) - 1021)) << 52);
  const einc_f64x16 tail = einc_mad_f64x16(r * r, einc_exp_series_f64x16(r), rest);
  return einc_mad_f64x16(q, tail, einc_mad_f64x16(q, r, q - 0.25));
}

/*@ expm1_f64x16: select_f64x16 expm1_quarter_f64x16 */
/* x itself if it is that small. At most 1.4 ulps off. */
EINC_INLINE einc_f64x16 einc_expm1_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 most = einc_select_f64x16(x > 710.0, zero + 710.0, x);
  const einc_f64x16 a = einc_select_f64x16(most < -56.0, zero - 56.0, most);
  const einc_f64x16 y = einc_expm1_quarter_f64x16(a) * 4.0;
  return einc_select_f64x16(a * a < 0x1p-108, x, y);
}

/*@ exp2_series_f32x16: step_f32x16 */
/* (2^r - 1) / r, |r| <= 1/2, minimax. */
EINC_INLINE einc_f32x16 einc_exp2_series_f32x16(einc_f32x16 r) {
  const einc_f32x16 zero = {0};
  einc_f32x16 p = einc_step_f32x16(zero + 0x1.43ea3cp-13f, r, 0x1.5f4f18p-10f);
  p = einc_step_f32x16(p, r, 0x1.3b2a72p-7f);
  p = einc_step_f32x16(p, r, 0x1.c6aecp-5f);
  p = einc_step_f32x16(p, r, 0x1.ebfbep-3f);
  return einc_step_f32x16(p, r, 0x1.62e43p-1f);
}

/*@ exp2_series_f64x16: step_f64x16 mad_f64x16 */
/* (2^r - 1) / r, |r| <= 1/2, minimax. */
EINC_INLINE einc_f64x16 einc_exp2_series_f64x16(einc_f64x16 r) {
  const einc_f64x16 zero = {0}, z = r * r;
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.c490b1010b8bbp-36, z, 0x1.e4cf1afd793d4p-28);
  einc_f64x16 q = einc_step_f64x16(zero + 0x1.ea06106251fd2p-32, z, 0x1.b524da17829dap-24);
  p = einc_step_f64x16(p, z, 0x1.62c02240bda66p-20);
  q = einc_step_f64x16(q, z, 0x1.ffcbfc7675d17p-17);
  p = einc_step_f64x16(p, z, 0x1.430912f86bcd6p-13);
  q = einc_step_f64x16(q, z, 0x1.5d87fe78a20f9p-10);
  p = einc_step_f64x16(p, z, 0x1.3b2ab6fba4e78p-7);
  q = einc_step_f64x16(q, z, 0x1.c6b08d704a0d1p-5);
  p = einc_step_f64x16(p, z, 0x1.ebfbdff82c58fp-3);
  q = einc_step_f64x16(q, z, 0x1.62e42fefa39efp-1);
  return einc_mad_f64x16(p, r, q);
}

/*@ exp2_f32x16: select_f32x16 scale_f32x16 step_f32x16 exp2_series_f32x16 */
/* 2^x = 2^n 2^r with r = x - n, |r| <= 1/2. At most 1.3 ulps off. */
EINC_INLINE einc_f32x16 einc_exp2_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  /* Beyond these it is infinity, or 0. NaN stays. */
  const einc_f32x16 most = einc_select_f32x16(x > 129.0f, zero + 129.0f, x);
  const einc_f32x16 a = einc_select_f32x16(most < -151.0f, zero - 151.0f, most);
  const einc_f32x16 t = a + 0x1.8p+23f, r = a - (t - 0x1.8p+23f);
  return einc_scale_f32x16(einc_step_f32x16(einc_exp2_series_f32x16(r), r, 1.0f), t);
}

/*@ exp2_f64x16: select_f64x16 scale_f64x16 step_f64x16 exp2_series_f64x16 */
/* 2^x = 2^n 2^r with r = x - n, |r| <= 1/2. At most 1.5 ulps off. */
EINC_INLINE einc_f64x16 einc_exp2_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  /* Beyond these it is infinity, or 0. NaN stays. */
  const einc_f64x16 most = einc_select_f64x16(x > 1025.0, zero + 1025.0, x);
  const einc_f64x16 a = einc_select_f64x16(most < -1076.0, zero - 1076.0, most);
  const einc_f64x16 t = a + 0x1.8p+52, r = a - (t - 0x1.8p+52);
  return einc_scale_f64x16(einc_step_f64x16(einc_exp2_series_f64x16(r), r, 1.0), t);
}

/*@ exponent_f32x16: bits_f32x16 of_bits_f32x16 */
/* k of x = 2^k m, sqrt(1/2) <= m < sqrt 2, for a normal number: k + 256 as the last digits of a sum
 * with a power of two. */
EINC_INLINE einc_f32x16 einc_exponent_f32x16(einc_f32x16 x) {
  const einc_u32x16 k = (einc_bits_f32x16(x) - 0x3f3504f3u + 0x80000000u) >> 23;
  return einc_of_bits_f32x16(k | 0x4b000000u) - (0x1p+23f + 256.0f);
}

/*@ exponent_f64x16: bits_f64x16 of_bits_f64x16 */
/* k of x = 2^k m, sqrt(1/2) <= m < sqrt 2, for a normal number: k + 2048 as the last digits of a
 * sum with a power of two. */
EINC_INLINE einc_f64x16 einc_exponent_f64x16(einc_f64x16 x) {
  const einc_u64x16 k =
      (einc_bits_f64x16(x) - UINT64_C(0x3fe6a09e667f3bcd) + UINT64_C(0x8000000000000000)) >> 52;
  return einc_of_bits_f64x16(k | UINT64_C(0x4330000000000000)) - (0x1p+52 + 2048.0);
}

/*@ fraction_f32x16: bits_f32x16 of_bits_f32x16 */
/* m - 1 of x = 2^k m, sqrt(1/2) <= m < sqrt 2, for a normal number. Exact. */
EINC_INLINE einc_f32x16 einc_fraction_f32x16(einc_f32x16 x) {
  const einc_u32x16 m = (einc_bits_f32x16(x) - 0x3f3504f3u) & 0x007fffffu;
  return einc_of_bits_f32x16(m + 0x3f3504f3u) - 1.0f;
}

/*@ fraction_f64x16: bits_f64x16 of_bits_f64x16 */
/* m - 1 of x = 2^k m, sqrt(1/2) <= m < sqrt 2, for a normal number. Exact. */
EINC_INLINE einc_f64x16 einc_fraction_f64x16(einc_f64x16 x) {
  const einc_u64x16 m =
      (einc_bits_f64x16(x) - UINT64_C(0x3fe6a09e667f3bcd)) & UINT64_C(0x000fffffffffffff);
  return einc_of_bits_f64x16(m + UINT64_C(0x3fe6a09e667f3bcd)) - 1.0;
}

/*@ log_series_f32x16: step_f32x16 */
/* (log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= sqrt 2, minimax. */
EINC_INLINE einc_f32x16 einc_log_series_f32x16(einc_f32x16 f) {
  const einc_f32x16 zero = {0};
  einc_f32x16 p = einc_step_f32x16(zero - 0x1.38b46cp-4f, f, 0x1.056f9ep-3f);
  p = einc_step_f32x16(p, f, -0x1.0d8eccp-3f);
  p = einc_step_f32x16(p, f, 0x1.22d812p-3f);
  p = einc_step_f32x16(p, f, -0x1.547128p-3f);
  p = einc_step_f32x16(p, f, 0x1.99a014p-3f);
  p = einc_step_f32x16(p, f, -0x1.00022ap-2f);
  return einc_step_f32x16(p, f, 0x1.555554p-2f);
}

/*@ log_tail_f64x16: mad_f64x16 step_f64x16 */
/* log(1 + f) - f + f^2 / 2, sqrt(1/2) <= 1 + f <= sqrt 2: log((1 + s) / (1 - s)) = 2 s + s z p(z)
 * with z = s^2, p minimax, and 2 s = f - f^2 / 2 + s f^2 / 2. */
EINC_INLINE einc_f64x16 einc_log_tail_f64x16(einc_f64x16 f) {
  const einc_f64x16 zero = {0}, s = f / (f + 2.0), z = s * s;
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.2f0d8e56e4273p-3, z, 0x1.39a0f5079f6cdp-3);
  p = einc_step_f64x16(p, z, 0x1.7466462c67ad6p-3);
  p = einc_step_f64x16(p, z, 0x1.c71c51e7f7a88p-3);
  p = einc_step_f64x16(p, z, 0x1.2492494217a1ep-2);
  p = einc_step_f64x16(p, z, 0x1.999999997fb31p-2);
  p = einc_step_f64x16(p, z, 0x1.5555555555593p-1);
  return s * einc_mad_f64x16(p, z, f * f * 0.5);
}

/*@ log_sum_f32x16: log_series_f32x16 mad_f32x16 step_f32x16 */
/* k log 2 + log(1 + f), sqrt(1/2) <= 1 + f <= sqrt 2. */
EINC_INLINE einc_f32x16 einc_log_sum_f32x16(einc_f32x16 k, einc_f32x16 f) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 rest = einc_step_f32x16(einc_log_series_f32x16(f), f, -0.5f);
  const einc_f32x16 sum = f + einc_mad_f32x16(f * f, rest, k * 0x1.7f7d1cp-20f);
  return einc_mad_f32x16(k, zero + 0x1.62e4p-1f, sum);
}

/*@ log_sum_f64x16: log_tail_f64x16 mad_f64x16 */
/* k log 2 + log(1 + f), sqrt(1/2) <= 1 + f <= sqrt 2. */
EINC_INLINE einc_f64x16 einc_log_sum_f64x16(einc_f64x16 k, einc_f64x16 f) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 tail = einc_mad_f64x16(k, zero + 0x1.ef35793c7673p-45, einc_log_tail_f64x16(f));
  return einc_mad_f64x16(k, zero + 0x1.62e42fefa38p-1, f - (f * f * 0.5 - tail));
}

/*@ log_ends_f32x16: select_f32x16 */
/* y, but what logarithms are of 0, infinity, negative numbers and NaN. */
EINC_INLINE einc_f32x16 einc_log_ends_f32x16(einc_f32x16 x, einc_f32x16 y) {
  const einc_f32x16 zero = {0}, finite = einc_select_f32x16(x < INFINITY, y, x);
  const einc_f32x16 other = einc_select_f32x16(x == 0.0f, zero - INFINITY, zero + NAN);
  return einc_select_f32x16(x > 0.0f, finite, other);
}

/*@ log_ends_f64x16: select_f64x16 */
/* y, but what logarithms are of 0, infinity, negative numbers and NaN. */
EINC_INLINE einc_f64x16 einc_log_ends_f64x16(einc_f64x16 x, einc_f64x16 y) {
  const einc_f64x16 zero = {0}, finite = einc_select_f64x16(x < INFINITY, y, x);
  const einc_f64x16 other = einc_select_f64x16(x == 0.0, zero - INFINITY, zero + NAN);
  return einc_select_f64x16(x > 0.0, finite, other);
}

/*@ log_f32x16: select_f32x16 exponent_f32x16 fraction_f32x16 log_sum_f32x16 log_ends_f32x16 */
/* x = 2^k (1 + f); a subnormal number is multiplied by 2^25 first. At most 1.0 ulps off. */
EINC_INLINE einc_f32x16 einc_log_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 a = einc_select_f32x16(x < 0x1p-126f, x * 0x1p+25f, x);
  const einc_f32x16 k =
      einc_exponent_f32x16(a) - einc_select_f32x16(x < 0x1p-126f, zero + 25.0f, zero);
  return einc_log_ends_f32x16(x, einc_log_sum_f32x16(k, einc_fraction_f32x16(a)));
}

/*@ log_f64x16: select_f64x16 exponent_f64x16 fraction_f64x16 log_sum_f64x16 log_ends_f64x16 */
/* x = 2^k (1 + f); a subnormal number is multiplied by 2^54 first. At most 0.9 ulps off. */
EINC_INLINE einc_f64x16 einc_log_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 a = einc_select_f64x16(x < 0x1p-1022, x * 0x1p+54, x);
  const einc_f64x16 k =
      einc_exponent_f64x16(a) - einc_select_f64x16(x < 0x1p-1022, zero + 54.0, zero);
  return einc_log_ends_f64x16(x, einc_log_sum_f64x16(k, einc_fraction_f64x16(a)));
}

/*@ log2_f32x16: select_f32x16 exponent_f32x16 fraction_f32x16 log_series_f32x16 mad_f32x16 step_f32x16 log_ends_f32x16 */
/* x = 2^k (1 + f) as in log; 1 / log 2 is 1 and the rest. At most 1.6 ulps off. */
EINC_INLINE einc_f32x16 einc_log2_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 a = einc_select_f32x16(x < 0x1p-126f, x * 0x1p+25f, x);
  const einc_f32x16 k =
      einc_exponent_f32x16(a) - einc_select_f32x16(x < 0x1p-126f, zero + 25.0f, zero);
  const einc_f32x16 f = einc_fraction_f32x16(a);
  const einc_f32x16 tail = f * f * einc_step_f32x16(einc_log_series_f32x16(f), f, -0.5f);
  const einc_f32x16 rest = einc_mad_f32x16(tail, zero + 0x1.715476p+0f, f * 0x1.c551dap-2f);
  return einc_log_ends_f32x16(x, k + (f + rest));
}

/*@ log2_f64x16: select_f64x16 exponent_f64x16 fraction_f64x16 log_tail_f64x16 mad_f64x16 log_ends_f64x16 */
/* x = 2^k (1 + f) as in log; log(1 + f) and 1 / log 2 are each held in two parts, of which the
 * product of the first ones is exact. At most 1.1 ulps off. */
EINC_INLINE einc_f64x16 einc_log2_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 a = einc_select_f64x16(x < 0x1p-1022, x * 0x1p+54, x);
  const einc_f64x16 k =
      einc_exponent_f64x16(a) - einc_select_f64x16(x < 0x1p-1022, zero + 54.0, zero);
  const einc_f64x16 f = einc_fraction_f64x16(a), half = f * f * 0.5;
  const einc_f64x16 high =
      einc_of_bits_f64x16(einc_bits_f64x16(f - half) & UINT64_C(0xfffffffffc000000));
  const einc_f64x16 low = (f - high - half) + einc_log_tail_f64x16(f);
  const einc_f64x16 rest =
      einc_mad_f64x16(low, zero + 0x1.715476p+0, (low + high) * 0x1.4ae0bf85ddf44p-26);
  return einc_log_ends_f64x16(x, einc_mad_f64x16(high, zero + 0x1.715476p+0, k) + rest);
}

/*@ log10_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 exponent_f32x16 fraction_f32x16 mad_f32x16 log_series_f32x16 log_ends_f32x16 */
/* x = 2^k (1 + f) as in log; log(1 + f) and the constants are each held in two parts, of which the
 * products of the first ones are exact. At most 1.6 ulps off. */
EINC_INLINE einc_f32x16 einc_log10_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_f32x16 a = einc_select_f32x16(x < 0x1p-126f, x * 0x1p+25f, x);
  const einc_f32x16 k =
      einc_exponent_f32x16(a) - einc_select_f32x16(x < 0x1p-126f, zero + 25.0f, zero);
  const einc_f32x16 f = einc_fraction_f32x16(a), h = f * f * 0.5f;
  const einc_f32x16 high = einc_of_bits_f32x16(einc_bits_f32x16(f - h) & 0xfffff000u);
  const einc_f32x16 low = (f - high - h) + f * f * f * einc_log_series_f32x16(f);
  const einc_f32x16 rest =
      einc_mad_f32x16(low, zero + 0x1.bcap-2f,
                      einc_mad_f32x16(k, zero + 0x1.3509f8p-18f, (low + high) * 0x1.7b1526p-14f));
  return einc_log_ends_f32x16(
      x, einc_mad_f32x16(k, zero + 0x1.344p-2f, einc_mad_f32x16(high, zero + 0x1.bcap-2f, rest)));
}

/*@ log10_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 exponent_f64x16 fraction_f64x16 mad_f64x16 log_tail_f64x16 log_ends_f64x16 */
/* x = 2^k (1 + f) as in log; log(1 + f) and the constants are each held in two parts, of which the
 * products of the first ones are exact. At most 1.6 ulps off. */
EINC_INLINE einc_f64x16 einc_log10_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_f64x16 a = einc_select_f64x16(x < 0x1p-1022, x * 0x1p+54, x);
  const einc_f64x16 k =
      einc_exponent_f64x16(a) - einc_select_f64x16(x < 0x1p-1022, zero + 54.0, zero);
  const einc_f64x16 f = einc_fraction_f64x16(a), h = f * f * 0.5;
  const einc_f64x16 high =
      einc_of_bits_f64x16(einc_bits_f64x16(f - h) & UINT64_C(0xfffffffff8000000));
  const einc_f64x16 low = (f - high - h) + einc_log_tail_f64x16(f);
  const einc_f64x16 rest = einc_mad_f64x16(
      low, zero + 0x1.bcb7b1p-2,
      einc_mad_f64x16(k, zero + 0x1.3ef3fde623e25p-31, (low + high) * 0x1.49b9438ca9aaep-28));
  return einc_log_ends_f64x16(
      x,
      einc_mad_f64x16(k, zero + 0x1.344135p-2, einc_mad_f64x16(high, zero + 0x1.bcb7b1p-2, rest)));
}

/*@ log1p_f32x16: select_f32x16 exponent_f32x16 fraction_f32x16 mad_f32x16 log_sum_f32x16 log_ends_f32x16 */
/* 1 + x = u + rest, exactly; log(u + rest) = k log 2 + log(1 + f) with f = u / 2^k - 1 + rest /
 * 2^k, which is x itself where k = 0. At most 1.6 ulps off. */
EINC_INLINE einc_f32x16 einc_log1p_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, u = x + 1.0f, part = u - 1.0f;
  const einc_f32x16 rest = (1.0f - (u - part)) + (x - part);
  /* 2^-k; to large numbers 1 adds nothing. */
  const einc_u32x16 exponent = (einc_bits_f32x16(u) - 0x3f3504f3u) & 0xff800000u;
  const einc_f32x16 scale =
      einc_select_f32x16(x < 0x1p+64f, einc_of_bits_f32x16(0x3f800000u - exponent), zero);
  const einc_f32x16 f = einc_mad_f32x16(rest, scale, einc_fraction_f32x16(u));
  const einc_f32x16 y = einc_log_ends_f32x16(u, einc_log_sum_f32x16(einc_exponent_f32x16(u), f));
  return einc_select_f32x16(x == 0.0f, x, y); /* -0 */
}

/*@ log1p_f64x16: select_f64x16 exponent_f64x16 fraction_f64x16 mad_f64x16 log_sum_f64x16 log_ends_f64x16 */
/* 1 + x = u + rest, exactly; log(u + rest) = k log 2 + log(1 + f) with f = u / 2^k - 1 + rest /
 * 2^k, which is x itself where k = 0. At most 1.4 ulps off. */
EINC_INLINE einc_f64x16 einc_log1p_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0}, u = x + 1.0, part = u - 1.0;
  const einc_f64x16 rest = (1.0 - (u - part)) + (x - part);
  /* 2^-k; to large numbers 1 adds nothing. */
  const einc_u64x16 exponent =
      (einc_bits_f64x16(u) - UINT64_C(0x3fe6a09e667f3bcd)) & UINT64_C(0xfff0000000000000);
  const einc_f64x16 scale = einc_select_f64x16(
      x < 0x1p+64, einc_of_bits_f64x16(UINT64_C(0x3ff0000000000000) - exponent), zero);
  const einc_f64x16 f = einc_mad_f64x16(rest, scale, einc_fraction_f64x16(u));
  const einc_f64x16 y = einc_log_ends_f64x16(u, einc_log_sum_f64x16(einc_exponent_f64x16(u), f));
  return einc_select_f64x16(x == 0.0, x, y); /* -0 */
}
