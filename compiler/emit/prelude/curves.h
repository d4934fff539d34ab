/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Hyperbolic functions, cube roots, arctangents and the error function: after functions.h, of which
 * all is said that holds for these, too. */
#pragma once

#include "compiler/emit/prelude/functions.h"

/*@ tanh_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 mad_f32x16 step_f32x16 exp_near_f32x16 */
/* Of |x|: a polynomial below 0.625, 1 - 2 / (e^2x + 1) from there on. At most 1.4 ulps off. */
EINC_INLINE einc_f32x16 einc_tanh_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign), z = a * a;
  const einc_f32x16 zero = {0},
                    b = einc_select_f32x16(a > 10.0f, zero + 10.0f, a); /* tanh 10 rounds to 1 */
  const einc_f32x16 large = 1.0f - 2.0f / (einc_exp_near_f32x16(b * 2.0f) + 1.0f);
  /* (tanh(x) / x - 1) / z, minimax */
  einc_f32x16 p = einc_step_f32x16(zero - 0x1.76ac22p-8f, z, 0x1.5256dap-6f);
  p = einc_step_f32x16(p, z, -0x1.b8444ap-5f);
  p = einc_step_f32x16(p, z, 0x1.110768p-3f);
  p = einc_step_f32x16(p, z, -0x1.555534p-2f);
  p = einc_select_f32x16(a < 0.625f, einc_mad_f32x16(a, z * p, a), large);
  return einc_of_bits_f32x16(einc_bits_f32x16(p) | sign);
}

/*@ tanh_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 mad_f64x16 step_f64x16 exp_near_f64x16 */
/* Of |x|: a polynomial below 0.625, 1 - 2 / (e^2x + 1) from there on. At most 1.4 ulps off. */
EINC_INLINE einc_f64x16 einc_tanh_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign), z = a * a;
  const einc_f64x16 zero = {0},
                    b = einc_select_f64x16(a > 20.0, zero + 20.0, a); /* tanh 20 rounds to 1 */
  const einc_f64x16 large = 1.0 - 2.0 / (einc_exp_near_f64x16(b * 2.0) + 1.0);
  /* (tanh(x) / x - 1) / z, minimax */
  const einc_f64x16 zz = z * z;
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.96631ba003718p-18, zz, 0x1.8027cfa9c9730p-14);
  einc_f64x16 q = einc_step_f64x16(zero - 0x1.faf93b2dbb09ap-16, zz, -0x1.f11694580f656p-13);
  p = einc_step_f64x16(p, zz, 0x1.350bcc1353341p-11);
  q = einc_step_f64x16(q, zz, -0x1.7d9c3a06dbb45p-10);
  p = einc_step_f64x16(p, zz, 0x1.d6d35aa33e073p-9);
  q = einc_step_f64x16(q, zz, -0x1.226e32d1187d1p-7);
  p = einc_step_f64x16(p, zz, 0x1.664f4870bfdb1p-6);
  q = einc_step_f64x16(q, zz, -0x1.ba1ba1b9d10ebp-5);
  p = einc_step_f64x16(p, zz, 0x1.1111111110c38p-3);
  q = einc_step_f64x16(q, zz, -0x1.5555555555552p-2);
  p = einc_select_f64x16(a < 0.625, einc_mad_f64x16(a, z * einc_mad_f64x16(p, z, q), a), large);
  return einc_of_bits_f64x16(einc_bits_f64x16(p) | sign);
}

/*@ erf_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 mad_f32x16 step_f32x16 exp_near_f32x16 */
/* Of |x|: a polynomial below 0.8, from there on 1 - e^-q with another, q. At most 1.4 ulps off. */
EINC_INLINE einc_f32x16 einc_erf_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0};
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign), z = a * a;
  const einc_f32x16 b = einc_select_f32x16(a > 4.0f, zero + 4.0f, a); /* erf 4 rounds to 1 */
  /* erf(x) / x - 1, minimax */
  einc_f32x16 p = einc_step_f32x16(zero - 0x1.576336p-11f, z, 0x1.4d6914p-8f);
  p = einc_step_f32x16(p, z, -0x1.b77414p-6f);
  p = einc_step_f32x16(p, z, 0x1.ce2854p-4f);
  p = einc_step_f32x16(p, z, -0x1.81273p-2f);
  p = einc_step_f32x16(p, z, 0x1.06eba8p-3f);
  /* -log(1 - erf x), minimax */
  einc_f32x16 q = einc_step_f32x16(zero + 0x1.415facp-16f, b, -0x1.b08daep-12f);
  q = einc_step_f32x16(q, b, 0x1.0a8d1ap-8f);
  q = einc_step_f32x16(q, b, -0x1.9731fp-6f);
  q = einc_step_f32x16(q, b, 0x1.b9e094p-4f);
  q = einc_step_f32x16(q, b, 0x1.447434p-1f);
  q = einc_step_f32x16(q, b, 0x1.211cdap+0f);
  q = einc_step_f32x16(q, b, -0x1.27790cp-13f);
  p = einc_select_f32x16(a < 0.8f, einc_mad_f32x16(a, p, a), 1.0f - einc_exp_near_f32x16(-q));
  return einc_of_bits_f32x16(einc_bits_f32x16(p) | sign);
}

/*@ erf_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 mad_f64x16 step_f64x16 exp_near_f64x16 */
/* Of |x|: a polynomial below 0.8, from there on 1 - e^-q with another, q. At most 1.6 ulps off. */
EINC_INLINE einc_f64x16 einc_erf_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0};
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign), z = a * a, zz = z * z;
  /* erf 6 rounds to 1. */
  const einc_f64x16 b = einc_select_f64x16(a > 6.0, zero + 6.0, a) - 1.0, bb = b * b;
  /* erf(x) / x - 1 = odd z + even and -log(1 - erf x) = r b + q, both minimax */
  einc_f64x16 even = einc_step_f64x16(zero + 0x1.7ccbae33c158p-27, zz, 0x1.b8b23a773bc2p-20);
  einc_f64x16 odd = einc_step_f64x16(zero - 0x1.53ebd7cdeb883p-23, zz, -0x1.f4be2062e480fp-17);
  even = einc_step_f64x16(even, zz, 0x1.f9a24ba7cad15p-14);
  odd = einc_step_f64x16(odd, zz, -0x1.c02dae0535c6ep-11);
  even = einc_step_f64x16(even, zz, 0x1.565bccf45814bp-8);
  odd = einc_step_f64x16(odd, zz, -0x1.b82ce31203f86p-6);
  even = einc_step_f64x16(even, zz, 0x1.ce2f21a041635p-4);
  odd = einc_step_f64x16(odd, zz, -0x1.812746b0379d1p-2);
  even = einc_step_f64x16(even, zz, 0x1.06eba8214db68p-3);
  einc_f64x16 q = einc_step_f64x16(zero - 0x1.d809b9e265992p-40, bb, -0x1.1c9e9f85a85d8p-31);
  einc_f64x16 r = einc_step_f64x16(zero + 0x1.7d8b67daef4f1p-35, bb, 0x1.0394fb2a327fp-28);
  q = einc_step_f64x16(q, bb, -0x1.3fdc2684e2eap-26);
  r = einc_step_f64x16(r, bb, 0x1.0cd6bb3d6b065p-24);
  q = einc_step_f64x16(q, bb, -0x1.0024a37815be4p-23);
  r = einc_step_f64x16(r, bb, -0x1.d8ae401a03d5dp-24);
  q = einc_step_f64x16(q, bb, 0x1.0f8cdf9481878p-19);
  r = einc_step_f64x16(r, bb, -0x1.416a7f810aaefp-17);
  q = einc_step_f64x16(q, bb, 0x1.c75ac5b6be15dp-16);
  r = einc_step_f64x16(r, bb, -0x1.b8bde5aab9f9cp-16);
  q = einc_step_f64x16(q, bb, -0x1.f1b4c0930f532p-13);
  r = einc_step_f64x16(r, bb, 0x1.033f69940a4a3p-9);
  q = einc_step_f64x16(q, bb, -0x1.48c9d40b4df03p-7);
  r = einc_step_f64x16(r, bb, 0x1.5477f09ca72f5p-5);
  q = einc_step_f64x16(q, bb, 0x1.afabc11a28ea6p-1);
  r = einc_step_f64x16(r, bb, 0x1.51c9b0006c23ep+1);
  q = einc_step_f64x16(q, bb, 0x1.d97fbf27aa2a1p+0);
  even = einc_mad_f64x16(odd, z, even);
  q = einc_mad_f64x16(r, b, q);
  even = einc_select_f64x16(a < 0.8, einc_mad_f64x16(a, even, a), 1.0 - einc_exp_near_f64x16(-q));
  return einc_of_bits_f64x16(einc_bits_f64x16(even) | sign);
}

/*@ sinh_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 expm1_quarter_f32x16 */
/* With d = (e^|x| - 1) / 2 it is d + d / (2 d + 1), where that still counts. At most 2.6 ulps off. */
EINC_INLINE einc_f32x16 einc_sinh_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  const einc_f32x16 d =
      einc_expm1_quarter_f32x16(einc_select_f32x16(a > 89.5f, zero + 89.5f, a)) * 2.0f;
  const einc_f32x16 more = einc_select_f32x16(a > 30.0f, zero, d / (d * 2.0f + 1.0f));
  const einc_f32x16 y = einc_select_f32x16(a < 0x1p-14f, a, d + more);
  return einc_of_bits_f32x16(einc_bits_f32x16(y) | sign);
}

/*@ cosh_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 expm1_quarter_f32x16 mad_f32x16 */
/* With e = e^|x| / 2 it is e + 1 / (4 e). At most 2.4 ulps off. */
EINC_INLINE einc_f32x16 einc_cosh_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) & 0x7fffffffu);
  const einc_f32x16 q = einc_expm1_quarter_f32x16(einc_select_f32x16(a > 89.5f, zero + 89.5f, a));
  const einc_f32x16 e = q * 2.0f + 0.5f;
  return e + 0.25f / e;
}

/*@ cbrt_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 */
/* By Halley's iteration, which triples the digits, from a third of the exponent. At most 0.9 ulps
 * off. */
EINC_INLINE einc_f32x16 einc_cbrt_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  const einc_f32x16 b = einc_select_f32x16(a < 0x1p-100f, a * 0x1p+54f, a); /* perhaps subnormal */
  const einc_u32x16 start = einc_bits_f32x16(b) / 3u + 709958130u;
  einc_f32x16 t = einc_of_bits_f32x16(start), r = b / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  r = b / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  t = einc_select_f32x16(a < 0x1p-100f, t * 0x1p-18f, t);
  t = einc_select_f32x16(a < INFINITY, einc_select_f32x16(a == 0.0f, a, t), a);
  return einc_of_bits_f32x16(einc_bits_f32x16(t) | sign);
}

/*@ atan_sum_f32x16: step_f32x16 mad_f32x16 */
/* n pi / 4 + atan(x), |x| <= tan(pi / 8). */
EINC_INLINE einc_f32x16 einc_atan_sum_f32x16(einc_f32x16 n, einc_f32x16 x) {
  const einc_f32x16 zero = {0}, z = x * x;
  /* (atan x / x - 1) / z, minimax */
  einc_f32x16 p = einc_step_f32x16(zero - 0x1.f22b1ep-5f, z, 0x1.b1fa1ap-4f);
  p = einc_step_f32x16(p, z, -0x1.23b636p-3f);
  p = einc_step_f32x16(p, z, 0x1.9991a6p-3f);
  p = einc_step_f32x16(p, z, -0x1.55554ap-2f);
  const einc_f32x16 rest = einc_mad_f32x16(x * z, p, n * -0x1.777a5cp-26f);
  return einc_mad_f32x16(n, zero + 0x1.921fb6p-1f, x + rest);
}

/*@ atan_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 atan_sum_f32x16 */
/* Of |x|: pi / 2 - atan(1 / x) from tan(3 pi / 8) on, pi / 4 + atan((x - 1) / (x + 1)) from
 * tan(pi / 8) on. At most 1.9 ulps off. */
EINC_INLINE einc_f32x16 einc_atan_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 zero = {0}, one = zero + 1.0f,
                    a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  einc_f32x16 above = einc_select_f32x16(a > 0.41421356f, a - 1.0f, a),
              n = einc_select_f32x16(a > 0.41421356f, one, zero);
  einc_f32x16 below = einc_select_f32x16(a > 0.41421356f, a + 1.0f, one);
  above = einc_select_f32x16(a > 2.4142136f, zero - 1.0f, above);
  below = einc_select_f32x16(a > 2.4142136f, a, below);
  n = einc_select_f32x16(a > 2.4142136f, zero + 2.0f, n);
  const einc_f32x16 y = einc_atan_sum_f32x16(n, above / below);
  return einc_of_bits_f32x16(einc_bits_f32x16(y) | sign);
}

/*@ atan2_f32x16: select_f32x16 bits_f32x16 of_bits_f32x16 atan_sum_f32x16 */
/* The lesser of |x| and |y| by the greater one, as atan's x; then at the diagonal and at the y axis
 * it is mirrored. At most 2.2 ulps off. */
EINC_INLINE einc_f32x16 einc_atan2_f32x16(einc_f32x16 y, einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(y) & 0x80000000u;
  const einc_f32x16 zero = {0}, one = zero + 1.0f;
  const einc_f32x16 a = einc_of_bits_f32x16(einc_bits_f32x16(y) ^ sign),
                    b = einc_of_bits_f32x16(einc_bits_f32x16(x) & 0x7fffffffu);
  const einc_f32x16 large = einc_select_f32x16(a < b, b, a);
  /* So that their sum doesn't overflow, and a part of one isn't subnormal. */
  const einc_f32x16 up = einc_select_f32x16(large < 0x1p-100f, zero + 0x1p+30f, one);
  const einc_f32x16 scale = einc_select_f32x16(large > 0x1p+120f, zero + 0.25f, up);
  const einc_f32x16 big = large * scale, small = einc_select_f32x16(a < b, a, b) * scale;
  einc_f32x16 above = einc_select_f32x16(small > big * 0.41421356f, small - big, small);
  einc_f32x16 below = einc_select_f32x16(small > big * 0.41421356f, small + big, big);
  einc_f32x16 n = einc_select_f32x16(small > big * 0.41421356f, one, zero);
  /* At the diagonal, also where both are infinite, or 0. */
  above = einc_select_f32x16(small == big, zero, above);
  below = einc_select_f32x16(small == big, one, below);
  n = einc_select_f32x16(small == big, einc_select_f32x16(big == 0.0f, zero, one), n);
  above = einc_select_f32x16(a > b, -above, above);
  n = einc_select_f32x16(a > b, 2.0f - n, n);
  /* The sign of x, that of -0 too, as that of a number. */
  const einc_f32x16 side =
      einc_of_bits_f32x16((einc_bits_f32x16(x) & 0x80000000u) | einc_bits_f32x16(one));
  above = einc_select_f32x16(side < 0.0f, -above, above);
  n = einc_select_f32x16(side < 0.0f, 4.0f - n, n);
  const einc_f32x16 angle = einc_atan_sum_f32x16(n, above / below);
  const einc_f32x16 result = einc_of_bits_f32x16(einc_bits_f32x16(angle) ^ sign);
  return einc_select_f32x16(x == x, einc_select_f32x16(y == y, result, y), x);
}

/*@ sinh_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 expm1_quarter_f64x16 */
/* With d = (e^|x| - 1) / 2 it is d + d / (2 d + 1), where that still counts. At most 2.6 ulps off. */
EINC_INLINE einc_f64x16 einc_sinh_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  const einc_f64x16 d =
      einc_expm1_quarter_f64x16(einc_select_f64x16(a > 710.5, zero + 710.5, a)) * 2.0;
  const einc_f64x16 more = einc_select_f64x16(a > 40.0, zero, d / (d * 2.0 + 1.0));
  const einc_f64x16 y = einc_select_f64x16(a < 0x1p-28, a, d + more);
  return einc_of_bits_f64x16(einc_bits_f64x16(y) | sign);
}

/*@ cosh_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 expm1_quarter_f64x16 mad_f64x16 */
/* With e = e^|x| / 2 it is e + 1 / (4 e). At most 2.4 ulps off. */
EINC_INLINE einc_f64x16 einc_cosh_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0},
                    a = einc_of_bits_f64x16(einc_bits_f64x16(x) & ~UINT64_C(0x8000000000000000));
  const einc_f64x16 q = einc_expm1_quarter_f64x16(einc_select_f64x16(a > 710.5, zero + 710.5, a));
  const einc_f64x16 e = q * 2.0 + 0.5;
  return e + 0.25 / e;
}

/*@ cbrt_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 */
/* By Halley's iteration, which triples the digits, from a third of the exponent. At most 0.9 ulps
 * off. */
EINC_INLINE einc_f64x16 einc_cbrt_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  const einc_f64x16 b = einc_select_f64x16(a < 0x1p-100, a * 0x1p+54, a); /* perhaps subnormal */
  const einc_u64x16 start =
      ((einc_bits_f64x16(b) >> 32) * UINT64_C(0x55555556) & UINT64_C(0xffffffff00000000)) +
      UINT64_C(0x2a9f789300000000);
  einc_f64x16 t = einc_of_bits_f64x16(start), r = b / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  r = b / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  r = b / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  t = einc_select_f64x16(a < 0x1p-100, t * 0x1p-18, t);
  t = einc_select_f64x16(a < INFINITY, einc_select_f64x16(a == 0.0, a, t), a);
  return einc_of_bits_f64x16(einc_bits_f64x16(t) | sign);
}

/*@ atan_sum_f64x16: step_f64x16 mad_f64x16 */
/* n pi / 4 + atan(x), |x| <= tan(pi / 8). */
EINC_INLINE einc_f64x16 einc_atan_sum_f64x16(einc_f64x16 n, einc_f64x16 x) {
  const einc_f64x16 zero = {0}, z = x * x;
  /* (atan x / x - 1) / z, minimax */
  einc_f64x16 p = einc_step_f64x16(zero - 0x1.2564df65bf289p-6, z, 0x1.37d401aaf78abp-5);
  p = einc_step_f64x16(p, z, -0x1.9cd26e11c87a9p-5);
  p = einc_step_f64x16(p, z, 0x1.df0f4c2311e27p-5);
  p = einc_step_f64x16(p, z, -0x1.10ebb98381429p-4);
  p = einc_step_f64x16(p, z, 0x1.3b11194ebe5e8p-4);
  p = einc_step_f64x16(p, z, -0x1.745cf8e022598p-4);
  p = einc_step_f64x16(p, z, 0x1.c71c70e631c7cp-4);
  p = einc_step_f64x16(p, z, -0x1.24924922ad995p-3);
  p = einc_step_f64x16(p, z, 0x1.9999999995863p-3);
  p = einc_step_f64x16(p, z, -0x1.555555555553dp-2);
  const einc_f64x16 rest = einc_mad_f64x16(x * z, p, n * 0x1.1a62633145c07p-55);
  return einc_mad_f64x16(n, zero + 0x1.921fb54442d18p-1, x + rest);
}

/*@ atan_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 atan_sum_f64x16 */
/* Of |x|: pi / 2 - atan(1 / x) from tan(3 pi / 8) on, pi / 4 + atan((x - 1) / (x + 1)) from
 * tan(pi / 8) on. At most 1.9 ulps off. */
EINC_INLINE einc_f64x16 einc_atan_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, one = zero + 1.0,
                    a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  einc_f64x16 above = einc_select_f64x16(a > 0.41421356237309503, a - 1.0, a),
              n = einc_select_f64x16(a > 0.41421356237309503, one, zero);
  einc_f64x16 below = einc_select_f64x16(a > 0.41421356237309503, a + 1.0, one);
  above = einc_select_f64x16(a > 2.414213562373095, zero - 1.0, above);
  below = einc_select_f64x16(a > 2.414213562373095, a, below);
  n = einc_select_f64x16(a > 2.414213562373095, zero + 2.0, n);
  const einc_f64x16 y = einc_atan_sum_f64x16(n, above / below);
  return einc_of_bits_f64x16(einc_bits_f64x16(y) | sign);
}

/*@ atan2_f64x16: select_f64x16 bits_f64x16 of_bits_f64x16 atan_sum_f64x16 */
/* The lesser of |x| and |y| by the greater one, as atan's x; then at the diagonal and at the y axis
 * it is mirrored. At most 2.2 ulps off. */
EINC_INLINE einc_f64x16 einc_atan2_f64x16(einc_f64x16 y, einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(y) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, one = zero + 1.0;
  const einc_f64x16 a = einc_of_bits_f64x16(einc_bits_f64x16(y) ^ sign),
                    b = einc_of_bits_f64x16(einc_bits_f64x16(x) & ~UINT64_C(0x8000000000000000));
  const einc_f64x16 large = einc_select_f64x16(a < b, b, a);
  /* So that their sum doesn't overflow, and a part of one isn't subnormal. */
  const einc_f64x16 up = einc_select_f64x16(large < 0x1p-900, zero + 0x1p+100, one);
  const einc_f64x16 scale = einc_select_f64x16(large > 0x1p+1000, zero + 0.25, up);
  const einc_f64x16 big = large * scale, small = einc_select_f64x16(a < b, a, b) * scale;
  einc_f64x16 above = einc_select_f64x16(small > big * 0.41421356237309503, small - big, small);
  einc_f64x16 below = einc_select_f64x16(small > big * 0.41421356237309503, small + big, big);
  einc_f64x16 n = einc_select_f64x16(small > big * 0.41421356237309503, one, zero);
  /* At the diagonal, also where both are infinite, or 0. */
  above = einc_select_f64x16(small == big, zero, above);
  below = einc_select_f64x16(small == big, one, below);
  n = einc_select_f64x16(small == big, einc_select_f64x16(big == 0.0, zero, one), n);
  above = einc_select_f64x16(a > b, -above, above);
  n = einc_select_f64x16(a > b, 2.0 - n, n);
  /* The sign of x, that of -0 too, as that of a number. */
  const einc_f64x16 side = einc_of_bits_f64x16(
      (einc_bits_f64x16(x) & UINT64_C(0x8000000000000000)) | einc_bits_f64x16(one));
  above = einc_select_f64x16(side < 0.0, -above, above);
  n = einc_select_f64x16(side < 0.0, 4.0 - n, n);
  const einc_f64x16 angle = einc_atan_sum_f64x16(n, above / below);
  const einc_f64x16 result = einc_of_bits_f64x16(einc_bits_f64x16(angle) ^ sign);
  return einc_select_f64x16(x == x, einc_select_f64x16(y == y, result, y), x);
}
