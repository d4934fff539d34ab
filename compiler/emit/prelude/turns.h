/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * How many quarter turns a large number is (Payne and Hanek 1983): for one number, as large ones are
 * rare. Chunks as in scalars.h. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "compiler/emit/prelude/scalars.h"

/*@ two_over_pi: */
/* The binary digits of 2 / pi as words of 32, after two that are zero. */
static const uint32_t einc_two_over_pi[] = {
    0,           0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
    0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};

/*@ two_over_pi_from: two_over_pi */
/* 64 of these digits, from one on. */
static inline uint64_t einc_two_over_pi_from(int digit) {
  const uint32_t *from = einc_two_over_pi + digit / 32;
  const uint64_t two = (uint64_t)from[0] << 32 | from[1];
  const int shift = digit % 32;
  return shift == 0 ? two : two << shift | from[2] >> (32 - shift);
}

/*@ high_product: */
/* The first 64 of the 128 digits of a * b. */
static inline uint64_t einc_high_product(uint64_t a, uint64_t b) {
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/*@ far_turn: */
/* A whole number of half turns, or of quarter turns, and the angle that is left. */
typedef struct {
  double rest;
  uint64_t count;
} einc_far_turn;

/*@ far_turn_f32: bits_f32 two_over_pi_from high_product far_turn */
/* Of x >= 2^12 and so many quarters more; halves: 1, or 0 for quarters. Of 2 / pi x, less a multiple
 * of 4, there are 64 digits, two before the point: x = d 2^e is multiplied by those digits of 2 / pi
 * that are less than 4 / 2^e. */
EINC_SHARED einc_far_turn einc_far_turn_f32(float x, int more, int halves) {
  const uint32_t bits = einc_bits_f32(x);
  const uint64_t d = (bits & 0x007fffffu) | 0x00800000u;
  const int at = (int)(bits >> 23 & 255u) - 88;
  const uint64_t all =
      d * einc_two_over_pi_from(at) + einc_high_product(d, einc_two_over_pi_from(at + 64));
  const uint64_t high = all + ((uint64_t)more << 62);
  einc_far_turn turn;
  turn.count = ((high >> (61 + halves)) + 1) >> 1;
  turn.rest = (double)(int64_t)(high - (turn.count << (62 + halves))) * 0x1.921fb54442d18p-62;
  turn.rest *= x < INFINITY ? 1.0 : NAN;
  return turn;
}

/*@ far_turn_f64: bits_f64 of_bits_f64 two_over_pi_from high_product far_turn */
/* The same, for x >= 2^20, with 128 digits. */
EINC_SHARED einc_far_turn einc_far_turn_f64(double x, int more, int halves) {
  const uint64_t bits = einc_bits_f64(x), top_digits = UINT64_C(0xfffffffff8000000);
  const uint64_t d = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  const int at = (int)(bits >> 52 & 2047) - 1013;
  const uint64_t second = einc_two_over_pi_from(at + 64), product = d * second;
  const uint64_t low = product + einc_high_product(d, einc_two_over_pi_from(at + 128));
  const uint64_t all =
      d * einc_two_over_pi_from(at) + einc_high_product(d, second) + (low < product);
  const uint64_t high = all + ((uint64_t)more << 62);
  const uint64_t count = ((high >> (61 + halves)) + 1) >> 1, left = high - (count << (62 + halves));
  /* The first 53 digits of what is left, with its sign, and the others. */
  const double a = (double)(int64_t)(left & ~UINT64_C(2047)) * 0x1p-62;
  const double b = (double)((left & 2047) << 53 | low >> 11) * 0x1p-115;
  const double part = a + b, lacks = (a - part) + b;
  /* Times pi / 2 = c + 0x1.1a6p-54, the first product exactly (Dekker 1971). */
  const double c = 0x1.921fb54442d18p+0, c_top = 0x1.921fb54p+0, p = part * c;
  const double top = einc_of_bits_f64(einc_bits_f64(part) & top_digits);
  const double p_rest =
      ((top * c_top - p) + top * (c - c_top) + (part - top) * c_top) + (part - top) * (c - c_top);
  einc_far_turn turn;
  turn.rest = p + (p_rest + (part * 0x1.1a62633145c07p-54 + lacks * c));
  turn.rest *= x < INFINITY ? 1.0 : NAN;
  turn.count = count;
  return turn;
}
