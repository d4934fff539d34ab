/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Sines, cosines and tangents: after functions.h, of which all is said that holds for these, too.
 * GLSL has texts of its own for them (trigonometry.glsl). Large numbers are rare: their turns are
 * found behind a test of all lanes, for one after another (turns.h). */
#pragma once

#include "compiler/emit/prelude/functions.h"
#include "compiler/emit/prelude/turns.h"

/*@ turn_f32x16: f32x16 u32x16 */
/* An angle as a whole number of half turns, or of quarter turns, and the rest; a multiple of four
 * quarters may be missing. */
typedef struct {
  einc_f32x16 rest;
  einc_u32x16 count;
} einc_turn_f32x16;

/*@ turn_f64x16: f64x16 u64x16 */
/* An angle as a whole number of half turns, or of quarter turns, and the rest; a multiple of four
 * quarters may be missing. */
typedef struct {
  einc_f64x16 rest;
  einc_u64x16 count;
} einc_turn_f64x16;

/*@ mad_angle_f32x16: mad_f32x16 */
/* x - n pi / 2, |n| <= 2^12: n times the first three parts is exact (Cody and Waite). In code for a
 * target that adds products with one rounding it is fma_angle, and mad_most is fma_most. */
EINC_INLINE einc_f32x16 einc_mad_angle_f32x16(einc_f32x16 x, einc_f32x16 n) {
  const einc_f32x16 zero = {0}, a = einc_mad_f32x16(n, zero - 0x1.92p+0f, x);
  const einc_f32x16 b = einc_mad_f32x16(n, zero - 0x1.fb4p-12f, a);
  const einc_f32x16 c = einc_mad_f32x16(n, zero - 0x1.444p-24f, b);
  return einc_mad_f32x16(n, zero - 0x1.68c234p-39f, c);
}

/*@ fma_angle_f32x16: fma_f32x16 */
/* x - n pi / 2, |n| <= 2^18: the first product is exact, and so is what it leaves of x. */
EINC_INLINE einc_f32x16 einc_fma_angle_f32x16(einc_f32x16 x, einc_f32x16 n) {
  const einc_f32x16 zero = {0}, a = einc_fma_f32x16(n, zero - 0x1.921fb4p+0f, x);
  const einc_f32x16 b = einc_fma_f32x16(n, zero - 0x1.4442dp-24f, a);
  return einc_fma_f32x16(n, zero - 0x1.84698ap-48f, b);
}

/*@ mad_most_f32x16: inline */
/* Whose angle is found so. */
EINC_INLINE float einc_mad_most_f32x16(void) { return 0x1.8p+12f; }

/*@ fma_most_f32x16: inline */
/* Whose angle is found so. */
EINC_INLINE float einc_fma_most_f32x16(void) { return 0x1p+18f; }

/*@ most_f64x16: inline */
/* Whose angle is found so. */
EINC_INLINE double einc_most_f64x16(void) { return 0x1p+20; }

/*@ angle_f64x16: mad_f64x16 */
/* x - n pi / 2, |n| <= 2^20: n times the first two parts is exact (Cody and Waite). */
EINC_INLINE einc_f64x16 einc_angle_f64x16(einc_f64x16 x, einc_f64x16 n) {
  const einc_f64x16 zero = {0}, a = einc_mad_f64x16(n, zero - 0x1.921fb544p+0, x);
  const einc_f64x16 b = einc_mad_f64x16(n, zero - 0x1.0b4611a6p-34, a);
  return einc_mad_f64x16(n, zero - 0x1.3198a2e037073p-69, b);
}

/*@ far_f32x16: turn_f32x16 all_f32x16 mad_most_f32x16 far_turn far_turn_f32 */
/* The turn, but where x is large that of x and so many quarters more; halves: 1, or 0 for quarters. */
EINC_INLINE einc_turn_f32x16 einc_far_f32x16(einc_f32x16 x, einc_turn_f32x16 turn, int more,
                                             int halves) {
  const float most = einc_mad_most_f32x16();
  if (!einc_all_f32x16(x < most))
    for (int i = 0; i < 16; ++i)
      if (x[i] >= most) {
        const einc_far_turn far = einc_far_turn_f32(x[i], more, halves);
        turn.rest[i] = (float)far.rest;
        turn.count[i] = (uint32_t)far.count;
      }
  return turn;
}

/*@ half_sin_f32x16: select_f32x16 step_f32x16 mad_f32x16 */
/* sin x, |x| <= pi / 2; between -1 and 1, or NaN. */
EINC_INLINE einc_f32x16 einc_half_sin_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, z = x * x;
  /* (sin x / x - 1) / z, minimax */
  einc_f32x16 p = einc_step_f32x16(zero + 0x1.5dc788p-19f, z, -0x1.9f71a6p-13f);
  p = einc_step_f32x16(p, z, 0x1.110ee2p-7f);
  p = einc_step_f32x16(p, z, -0x1.55554cp-3f);
  const einc_f32x16 y = einc_mad_f32x16(x * z, p, x),
                    most = einc_select_f32x16(y > 1.0f, zero + 1.0f, y);
  return einc_select_f32x16(most < -1.0f, zero - 1.0f, most);
}

/*@ sin_near_f32x16: step_f32x16 mad_f32x16 */
/* sin x, |x| <= pi / 4. */
EINC_INLINE einc_f32x16 einc_sin_near_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, z = x * x;
  /* (sin x / x - 1) / z, minimax */
  einc_f32x16 p = einc_step_f32x16(zero - 0x1.993d72p-13f, z, 0x1.11072ep-7f);
  p = einc_step_f32x16(p, z, -0x1.555546p-3f);
  return einc_mad_f32x16(x * z, p, x);
}

/*@ cos_near_f32x16: step_f32x16 mad_f32x16 */
/* cos x, |x| <= pi / 4. */
EINC_INLINE einc_f32x16 einc_cos_near_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, z = x * x, half = z * 0.5f, w = 1.0f - half;
  /* (cos x - 1 + z / 2) / z^2, minimax */
  einc_f32x16 p = einc_step_f32x16(zero + 0x1.99f2dep-16f, z, -0x1.6c0c58p-10f);
  p = einc_step_f32x16(p, z, 0x1.55554ap-5f);
  return w + einc_mad_f32x16(z * z, p, (1.0f - w) - half);
}

/*@ sin_f32x16: bits_f32x16 of_bits_f32x16 step_f32x16 mad_angle_f32x16 far_f32x16 half_sin_f32x16 */
/* x = n pi + r. At most 2.4 ulps off. */
EINC_INLINE einc_f32x16 einc_sin_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  const einc_f32x16 t = einc_step_f32x16(a, zero + 0x1.45f306p-2f, 0x1.8p+23f), n = t - 0x1.8p+23f;
  einc_turn_f32x16 turn;
  turn.rest = einc_mad_angle_f32x16(a, n + n);
  turn.count = einc_bits_f32x16(t);
  turn = einc_far_f32x16(a, turn, 0, 1);
  return einc_of_bits_f32x16(einc_bits_f32x16(einc_half_sin_f32x16(turn.rest)) ^
                             (turn.count << 31) ^ sign);
}

/*@ cos_f32x16: bits_f32x16 of_bits_f32x16 step_f32x16 mad_angle_f32x16 far_f32x16 half_sin_f32x16 */
/* x = (n - 1/2) pi + r. At most 2.4 ulps off. */
EINC_INLINE einc_f32x16 einc_cos_f32x16(einc_f32x16 x) {
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) & 0x7fffffffu);
  const einc_f32x16 t = einc_step_f32x16(a, zero + 0x1.45f306p-2f, 0.5f) + 0x1.8p+23f,
                    n = t - 0x1.8p+23f;
  einc_turn_f32x16 turn;
  turn.rest = einc_mad_angle_f32x16(a, n + n - 1.0f);
  turn.count = einc_bits_f32x16(t);
  turn = einc_far_f32x16(a, turn, 1, 1);
  return einc_of_bits_f32x16(einc_bits_f32x16(einc_half_sin_f32x16(turn.rest)) ^
                             (turn.count << 31));
}

/*@ tan_f32x16: bits_f32x16 of_bits_f32x16 select_f32x16 step_f32x16 mad_angle_f32x16 far_f32x16 sin_near_f32x16 cos_near_f32x16 */
/* x = n pi / 2 + r. At most 3.7 ulps off. */
EINC_INLINE einc_f32x16 einc_tan_f32x16(einc_f32x16 x) {
  const einc_u32x16 sign = einc_bits_f32x16(x) & 0x80000000u;
  const einc_f32x16 zero = {0}, a = einc_of_bits_f32x16(einc_bits_f32x16(x) ^ sign);
  const einc_f32x16 t = einc_step_f32x16(a, zero + 0x1.45f306p-1f, 0x1.8p+23f), n = t - 0x1.8p+23f;
  einc_turn_f32x16 turn;
  turn.rest = einc_mad_angle_f32x16(a, n);
  turn.count = einc_bits_f32x16(t);
  turn = einc_far_f32x16(a, turn, 0, 0);
  const einc_f32x16 s = einc_sin_near_f32x16(turn.rest), c = einc_cos_near_f32x16(turn.rest);
  const einc_f32x16 above = einc_select_f32x16((turn.count & 1) == 0, s, -c);
  const einc_f32x16 below = einc_select_f32x16((turn.count & 1) == 0, c, s);
  return einc_of_bits_f32x16(einc_bits_f32x16(above / below) ^ sign);
}

/*@ far_f64x16: turn_f64x16 all_f64x16 most_f64x16 far_turn far_turn_f64 */
/* The turn, but where x is large that of x and so many quarters more; halves: 1, or 0 for quarters. */
EINC_INLINE einc_turn_f64x16 einc_far_f64x16(einc_f64x16 x, einc_turn_f64x16 turn, int more,
                                             int halves) {
  const double most = einc_most_f64x16();
  if (!einc_all_f64x16(x < most))
    for (int i = 0; i < 16; ++i)
      if (x[i] >= most) {
        const einc_far_turn far = einc_far_turn_f64(x[i], more, halves);
        turn.rest[i] = (double)far.rest;
        turn.count[i] = (uint64_t)far.count;
      }
  return turn;
}

/*@ half_sin_f64x16: select_f64x16 step_f64x16 mad_f64x16 */
/* sin x, |x| <= pi / 2; between -1 and 1, or NaN. */
EINC_INLINE einc_f64x16 einc_half_sin_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0}, z = x * x;
  /* (sin x / x - 1) / z, minimax */
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.8810e409d7bc5p-49, z, -0x1.ae424fb8fe4cp-41);
  p = einc_step_f64x16(p, z, 0x1.6123c88cc6d6fp-33);
  p = einc_step_f64x16(p, z, -0x1.ae6454c30ecbbp-26);
  p = einc_step_f64x16(p, z, 0x1.71de3a527ac3bp-19);
  p = einc_step_f64x16(p, z, -0x1.a01a01a0147a9p-13);
  p = einc_step_f64x16(p, z, 0x1.11111111110c1p-7);
  p = einc_step_f64x16(p, z, -0x1.5555555555555p-3);
  const einc_f64x16 y = einc_mad_f64x16(x * z, p, x),
                    most = einc_select_f64x16(y > 1.0, zero + 1.0, y);
  return einc_select_f64x16(most < -1.0, zero - 1.0, most);
}

/*@ sin_near_f64x16: step_f64x16 mad_f64x16 */
/* sin x, |x| <= pi / 4. */
EINC_INLINE einc_f64x16 einc_sin_near_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0}, z = x * x;
  /* (sin x / x - 1) / z, minimax */
  einc_f64x16 p = einc_step_f64x16(zero + 0x1.5d8a19160716bp-33, z, -0x1.ae5e48638c691p-26);
  p = einc_step_f64x16(p, z, 0x1.71de3552d3cb2p-19);
  p = einc_step_f64x16(p, z, -0x1.a01a019be89e6p-13);
  p = einc_step_f64x16(p, z, 0x1.111111110f74p-7);
  p = einc_step_f64x16(p, z, -0x1.5555555555548p-3);
  return einc_mad_f64x16(x * z, p, x);
}

/*@ cos_near_f64x16: step_f64x16 mad_f64x16 */
/* cos x, |x| <= pi / 4. */
EINC_INLINE einc_f64x16 einc_cos_near_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0}, z = x * x, half = z * 0.5, w = 1.0 - half;
  /* (cos x - 1 + z / 2) / z^2, minimax */
  einc_f64x16 p = einc_step_f64x16(zero - 0x1.8fa4da4ec3897p-37, z, 0x1.1ee9d9a262cd4p-29);
  p = einc_step_f64x16(p, z, -0x1.27e4f7eff414fp-22);
  p = einc_step_f64x16(p, z, 0x1.a01a019c8f1e3p-16);
  p = einc_step_f64x16(p, z, -0x1.6c16c16c1502ap-10);
  p = einc_step_f64x16(p, z, 0x1.555555555554bp-5);
  return w + einc_mad_f64x16(z * z, p, (1.0 - w) - half);
}

/*@ sin_f64x16: bits_f64x16 of_bits_f64x16 step_f64x16 angle_f64x16 far_f64x16 half_sin_f64x16 */
/* x = n pi + r. At most 2.4 ulps off. */
EINC_INLINE einc_f64x16 einc_sin_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  const einc_f64x16 t = einc_step_f64x16(a, zero + 0x1.45f306dc9c883p-2, 0x1.8p+52),
                    n = t - 0x1.8p+52;
  einc_turn_f64x16 turn;
  turn.rest = einc_angle_f64x16(a, n + n);
  turn.count = einc_bits_f64x16(t);
  turn = einc_far_f64x16(a, turn, 0, 1);
  return einc_of_bits_f64x16(einc_bits_f64x16(einc_half_sin_f64x16(turn.rest)) ^
                             (turn.count << 63) ^ sign);
}

/*@ cos_f64x16: bits_f64x16 of_bits_f64x16 step_f64x16 angle_f64x16 far_f64x16 half_sin_f64x16 */
/* x = (n - 1/2) pi + r. At most 2.4 ulps off. */
EINC_INLINE einc_f64x16 einc_cos_f64x16(einc_f64x16 x) {
  const einc_f64x16 zero = {0},
                    a = einc_of_bits_f64x16(einc_bits_f64x16(x) & ~UINT64_C(0x8000000000000000));
  const einc_f64x16 t = einc_step_f64x16(a, zero + 0x1.45f306dc9c883p-2, 0.5) + 0x1.8p+52,
                    n = t - 0x1.8p+52;
  einc_turn_f64x16 turn;
  turn.rest = einc_angle_f64x16(a, n + n - 1.0);
  turn.count = einc_bits_f64x16(t);
  turn = einc_far_f64x16(a, turn, 1, 1);
  return einc_of_bits_f64x16(einc_bits_f64x16(einc_half_sin_f64x16(turn.rest)) ^
                             (turn.count << 63));
}

/*@ tan_f64x16: bits_f64x16 of_bits_f64x16 select_f64x16 step_f64x16 angle_f64x16 far_f64x16 sin_near_f64x16 cos_near_f64x16 */
/* x = n pi / 2 + r. At most 3.7 ulps off. */
EINC_INLINE einc_f64x16 einc_tan_f64x16(einc_f64x16 x) {
  const einc_u64x16 sign = einc_bits_f64x16(x) & UINT64_C(0x8000000000000000);
  const einc_f64x16 zero = {0}, a = einc_of_bits_f64x16(einc_bits_f64x16(x) ^ sign);
  const einc_f64x16 t = einc_step_f64x16(a, zero + 0x1.45f306dc9c883p-1, 0x1.8p+52),
                    n = t - 0x1.8p+52;
  einc_turn_f64x16 turn;
  turn.rest = einc_angle_f64x16(a, n);
  turn.count = einc_bits_f64x16(t);
  turn = einc_far_f64x16(a, turn, 0, 0);
  const einc_f64x16 s = einc_sin_near_f64x16(turn.rest), c = einc_cos_near_f64x16(turn.rest);
  const einc_f64x16 above = einc_select_f64x16((turn.count & 1) == 0, s, -c);
  const einc_f64x16 below = einc_select_f64x16((turn.count & 1) == 0, c, s);
  return einc_of_bits_f64x16(einc_bits_f64x16(above / below) ^ sign);
}
