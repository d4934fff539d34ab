/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Powers: after functions.h, of which all is said that holds for these, too. GLSL has texts of its
 * own for them (functions.glsl). What is rare is done behind a test of all lanes. */
#pragma once

#include "compiler/emit/prelude/functions.h"

/*@ mad_rest_f32x16: bits_f32x16 of_bits_f32x16 */
/* a * b - p, where p is the product rounded (Dekker 1971). In code for a target that adds products
 * with one rounding it is fma_rest. */
EINC_INLINE einc_f32x16 einc_mad_rest_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 p) {
  const einc_f32x16 x = einc_of_bits_f32x16(einc_bits_f32x16(a) & 0xfffff000u);
  const einc_f32x16 y = einc_of_bits_f32x16(einc_bits_f32x16(b) & 0xfffff000u);
  return ((x * y - p) + x * (b - y) + (a - x) * y) + (a - x) * (b - y);
}

/*@ fma_rest_f32x16: fma_f32x16 */
/* a * b - p. */
EINC_INLINE einc_f32x16 einc_fma_rest_f32x16(einc_f32x16 a, einc_f32x16 b, einc_f32x16 p) {
  return einc_fma_f32x16(a, b, -p);
}

/*@ mad_rest_f64x16: bits_f64x16 of_bits_f64x16 */
/* a * b - p, where p is the product rounded (Dekker 1971). In code for a target that adds products
 * with one rounding it is fma_rest. */
EINC_INLINE einc_f64x16 einc_mad_rest_f64x16(einc_f64x16 a, einc_f64x16 b, einc_f64x16 p) {
  const einc_f64x16 x = einc_of_bits_f64x16(einc_bits_f64x16(a) & UINT64_C(0xfffffffff8000000));
  const einc_f64x16 y = einc_of_bits_f64x16(einc_bits_f64x16(b) & UINT64_C(0xfffffffff8000000));
  return ((x * y - p) + x * (b - y) + (a - x) * y) + (a - x) * (b - y);
}

/*@ fma_rest_f64x16: fma_f64x16 */
/* a * b - p. */
EINC_INLINE einc_f64x16 einc_fma_rest_f64x16(einc_f64x16 a, einc_f64x16 b, einc_f64x16 p) {
  return einc_fma_f64x16(a, b, -p);
}

/*@ pow_ends_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 */
/* What C's pow gives for powers of negative numbers, 0, 1, infinity and NaN, and to infinite powers;
 * otherwise z = |x|^y. */
EINC_INLINE einc_f32x16 einc_pow_ends_f32x16(einc_f32x16 x, einc_f32x16 y, einc_f32x16 z) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  const einc_f32x16 b = einc_of_bits_f32x16(einc_bits_f32x16(y) & ~0x80000000u), half = b * 0.5f;
  /* Whether y is whole, and even: large numbers are. */
  const einc_mask_f32x16 whole = (b >= 0x1p+23f) | ((b + 0x1p+23f) - 0x1p+23f == b);
  const einc_mask_f32x16 even = (half >= 0x1p+23f) | ((half + 0x1p+23f) - 0x1p+23f == half);
  const einc_f32x16 infinite = einc_select_f32x16(y < 0.0f, zero + INFINITY, zero);
  einc_f32x16 p = einc_select_f32x16(a == 1.0f, zero + 1.0f, z);
  p = einc_select_f32x16(a == 0.0f, infinite, p);
  p = einc_select_f32x16(a == INFINITY, einc_select_f32x16(y < 0.0f, zero, zero + INFINITY), p);
  p = einc_select_f32x16((x < 0.0f) & (a < INFINITY) & (whole == 0), zero + NAN, p);
  p = einc_select_f32x16(
      even, p, einc_select_f32x16(whole, einc_of_bits_f32x16(einc_bits_f32x16(p) | sign), p));
  p = einc_select_f32x16((x == x) & (y == y), p, x + y);
  return einc_select_f32x16((x == 1.0f) | (y == 0.0f), zero + 1.0f, p);
}

/*@ pow_ends_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 */
/* What C's pow gives for powers of negative numbers, 0, 1, infinity and NaN, and to infinite powers;
 * otherwise z = |x|^y. */
EINC_INLINE einc_f64x16 einc_pow_ends_f64x16(einc_f64x16 x, einc_f64x16 y, einc_f64x16 z) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  const einc_f64x16 b = einc_of_bits_f64x16(einc_bits_f64x16(y) & ~UINT64_C(0x8000000000000000)),
                    half = b * 0.5;
  /* Whether y is whole, and even: large numbers are. */
  const einc_mask_f64x16 whole = (b >= 0x1p+52) | ((b + 0x1p+52) - 0x1p+52 == b);
  const einc_mask_f64x16 even = (half >= 0x1p+52) | ((half + 0x1p+52) - 0x1p+52 == half);
  const einc_f64x16 infinite = einc_select_f64x16(y < 0.0, zero + INFINITY, zero);
  einc_f64x16 p = einc_select_f64x16(a == 1.0, zero + 1.0, z);
  p = einc_select_f64x16(a == 0.0, infinite, p);
  p = einc_select_f64x16(a == INFINITY, einc_select_f64x16(y < 0.0, zero, zero + INFINITY), p);
  p = einc_select_f64x16((x < 0.0) & (a < INFINITY) & (whole == 0), zero + NAN, p);
  p = einc_select_f64x16(
      even, p, einc_select_f64x16(whole, einc_of_bits_f64x16(einc_bits_f64x16(p) | sign), p));
  p = einc_select_f64x16((x == x) & (y == y), p, x + y);
  return einc_select_f64x16((x == 1.0) | (y == 0.0), zero + 1.0, p);
}

/*@ pow_f32x16: bits_f32x16 of_bits_f32x16 select_f32x16 exponent_f32x16 fraction_f32x16 step_f32x16 mad_f32x16 mad_rest_f32x16 exp2_series_f32x16 scale_f32x16 all_f32x16 pow_ends_f32x16 */
/* 2^(y log2 |x|) by the method of fdlibm's pow: with |x| = 2^k (1 + f), s = f / (2 + f) and
 * z = s^2, log(1 + f) = 2/3 s (3 + z + z^2 p(z)); s, the sum, 2 / (3 log 2) and the products are
 * held in two parts each. At most 1.4 ulps off. */
EINC_INLINE einc_f32x16 einc_pow_f32x16(einc_f32x16 x, einc_f32x16 y) {
  const einc_f32x16 zero = {0}, one = zero + 1.0f, c = zero + 0x1.ec709ep-1f;
  const einc_f32x16 size = einc_of_bits_f32x16(einc_bits_f32x16(x) & 0x7fffffffu);
  const einc_f32x16 a = einc_select_f32x16(size < 0x1p-126f, size * 0x1p+25f, size);
  const einc_f32x16 k =
      einc_exponent_f32x16(a) - einc_select_f32x16(size < 0x1p-126f, zero + 25.0f, zero);
  const einc_f32x16 f = einc_fraction_f32x16(a), sum = f + 2.0f, part = one / sum, s = f * part;
  const einc_f32x16 product = s * sum,
                    missing = (f - product) - einc_mad_rest_f32x16(s, sum, product);
  const einc_f32x16 s_rest = (missing - s * (f - (sum - 2.0f))) * part;
  const einc_f32x16 z = s * s, z_rest = einc_mad_rest_f32x16(s, s, z) + 2.0f * s * s_rest;
  einc_f32x16 p = einc_step_f32x16(zero + 0x1.67ba7ap-2f, z, 0x1.b67bb4p-2f);
  p = einc_step_f32x16(p, z, 0x1.33338p-1f);
  const einc_f32x16 tail = einc_mad_f32x16(z * z, p, z_rest), start = z + 3.0f;
  const einc_f32x16 more = (z - (start - 3.0f)) + tail, u = start + more,
                    u_rest = more - (u - start);
  const einc_f32x16 v = s * u;
  const einc_f32x16 v_rest = einc_mad_rest_f32x16(s, u, v) + einc_mad_f32x16(s, u_rest, s_rest * u);
  const einc_f32x16 w = v * c, w_rest = einc_mad_rest_f32x16(v, c, w) +
                                        einc_mad_f32x16(v_rest, c, v * -0x1.e2fe02p-28f);
  const einc_f32x16 log2x = k + w, log2x_rest = (w - (log2x - k)) + w_rest;
  /* Whatever x is: beyond 2^70 the power is 0, 1 or infinity. */
  einc_f32x16 b = einc_select_f32x16(y > 0x1p+70f, zero + 0x1p+70f, y);
  b = einc_select_f32x16(b < -0x1p+70f, zero - 0x1p+70f, b);
  const einc_f32x16 e = b * log2x;
  const einc_f32x16 e_rest = einc_mad_rest_f32x16(b, log2x, e) + b * log2x_rest;
  einc_f32x16 d = einc_select_f32x16(e > 130.0f, zero + 130.0f, e);
  d = einc_select_f32x16(d < -155.0f, zero - 155.0f, d);
  const einc_f32x16 t = d + 0x1.8p+23f;
  const einc_f32x16 r = (d - (t - 0x1.8p+23f)) + einc_select_f32x16(d == e, e_rest, zero);
  const einc_f32x16 power =
      einc_scale_f32x16(einc_step_f32x16(einc_exp2_series_f32x16(r), r, 1.0f), t);
  const einc_mask_f32x16 usual = (x > 0.0f) & (x < INFINITY) & (y < INFINITY) & (y > -INFINITY);
  return einc_all_f32x16(usual) ? power : einc_pow_ends_f32x16(x, y, power);
}

/*@ pow_f64x16: bits_f64x16 of_bits_f64x16 select_f64x16 exponent_f64x16 fraction_f64x16 step_f64x16 mad_f64x16 mad_rest_f64x16 exp2_series_f64x16 scale_f64x16 all_f64x16 pow_ends_f64x16 */
/* 2^(y log2 |x|) by the method of fdlibm's pow: with |x| = 2^k (1 + f), s = f / (2 + f) and
 * z = s^2, log(1 + f) = 2/3 s (3 + z + z^2 p(z)); s, the sum, 2 / (3 log 2) and the products are
 * held in two parts each. At most 1.5 ulps off. */
EINC_INLINE einc_f64x16 einc_pow_f64x16(einc_f64x16 x, einc_f64x16 y) {
  const einc_f64x16 zero = {0}, one = zero + 1.0, c = zero + 0x1.ec709dc3a03fdp-1;
  const einc_f64x16 size = einc_of_bits_f64x16(einc_bits_f64x16(x) & ~UINT64_C(0x8000000000000000));
  const einc_f64x16 a = einc_select_f64x16(size < 0x1p-1022, size * 0x1p+54, size);
  const einc_f64x16 k =
      einc_exponent_f64x16(a) - einc_select_f64x16(size < 0x1p-1022, zero + 54.0, zero);
  const einc_f64x16 f = einc_fraction_f64x16(a), sum = f + 2.0, part = one / sum, s = f * part;
  const einc_f64x16 product = s * sum,
                    missing = (f - product) - einc_mad_rest_f64x16(s, sum, product);
  const einc_f64x16 s_rest = (missing - s * (f - (sum - 2.0))) * part;
  const einc_f64x16 z = s * s, z_rest = einc_mad_rest_f64x16(s, s, z) + 2.0 * s * s_rest;
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.956f51a4abe57p-3, z, 0x1.973eafe29aabfp-3);
  p = einc_step_f64x16(p, z, 0x1.d8ae6ea0165a7p-3);
  p = einc_step_f64x16(p, z, 0x1.1745af48e4413p-2);
  p = einc_step_f64x16(p, z, 0x1.555555a26b2f9p-2);
  p = einc_step_f64x16(p, z, 0x1.b6db6db6833f5p-2);
  p = einc_step_f64x16(p, z, 0x1.3333333333466p-1);
  const einc_f64x16 tail = einc_mad_f64x16(z * z, p, z_rest), start = z + 3.0;
  const einc_f64x16 more = (z - (start - 3.0)) + tail, u = start + more,
                    u_rest = more - (u - start);
  const einc_f64x16 v = s * u;
  const einc_f64x16 v_rest = einc_mad_rest_f64x16(s, u, v) + einc_mad_f64x16(s, u_rest, s_rest * u);
  const einc_f64x16 w = v * c, w_rest = einc_mad_rest_f64x16(v, c, w) +
                                        einc_mad_f64x16(v_rest, c, v * 0x1.d27f05548af0cp-55);
  const einc_f64x16 log2x = k + w, log2x_rest = (w - (log2x - k)) + w_rest;
  /* Whatever x is: beyond 2^70 the power is 0, 1 or infinity. */
  einc_f64x16 b = einc_select_f64x16(y > 0x1p+70, zero + 0x1p+70, y);
  b = einc_select_f64x16(b < -0x1p+70, zero - 0x1p+70, b);
  const einc_f64x16 e = b * log2x;
  const einc_f64x16 e_rest = einc_mad_rest_f64x16(b, log2x, e) + b * log2x_rest;
  einc_f64x16 d = einc_select_f64x16(e > 1030.0, zero + 1030.0, e);
  d = einc_select_f64x16(d < -1080.0, zero - 1080.0, d);
  const einc_f64x16 t = d + 0x1.8p+52;
  const einc_f64x16 r = (d - (t - 0x1.8p+52)) + einc_select_f64x16(d == e, e_rest, zero);
  const einc_f64x16 power =
      einc_scale_f64x16(einc_step_f64x16(einc_exp2_series_f64x16(r), r, 1.0), t);
  const einc_mask_f64x16 usual = (x > 0.0) & (x < INFINITY) & (y < INFINITY) & (y > -INFINITY);
  return einc_all_f64x16(usual) ? power : einc_pow_ends_f64x16(x, y, power);
}
