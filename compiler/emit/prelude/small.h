/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Floats of 8 bits, and integers of 4, two of which are in a byte: the first in its lower half.
 * Chunks as in scalars.h. */
#pragma once

#include <stdint.h>

#include "compiler/emit/prelude/scalars.h"

/*@ store_f8e5m2: narrow */
static inline uint8_t einc_store_f8e5m2(double a) {
  const unsigned bits = einc_narrow(a, 2, -14, 0x7c);
  return (uint8_t)(bits >> 8 | bits);
}

/*@ store_f8e4m3: narrow */
/* NaN stands where others have infinity. */
static inline uint8_t einc_store_f8e4m3(double a) {
  const unsigned bits = einc_narrow(a, 3, -6, 0x7f);
  return (uint8_t)(bits >> 8 | bits);
}

/*@ load_f8e5m2: load_f16 */
/* The upper half of an f16. */
static inline float einc_load_f8e5m2(uint8_t a) { return einc_load_f16((uint16_t)(a << 8)); }

/*@ load_f8e4m3: of_bits_f32 */
static inline float einc_load_f8e4m3(uint8_t a) {
  const uint32_t sign = (uint32_t)(a & 0x80) << 24, digits = a & 0x7f;
  const float tiny = (float)digits * 0x1p-9f; /* without a hidden digit */
  if (digits < 8) return sign != 0 ? -tiny : tiny;
  return einc_of_bits_f32(sign | (digits == 0x7f ? 0x7fc00000u : (digits << 20) + (120u << 23)));
}

/*@ round_f8e5m2: store_f8e5m2 load_f8e5m2 */
static inline float einc_round_f8e5m2(double a) { return einc_load_f8e5m2(einc_store_f8e5m2(a)); }

/*@ round_f8e4m3: store_f8e4m3 load_f8e4m3 */
static inline float einc_round_f8e4m3(double a) { return einc_load_f8e4m3(einc_store_f8e4m3(a)); }

/*@ wrap_i4: */
/* Modulo 16. */
static inline int8_t einc_wrap_i4(int a) { return (int8_t)(((a & 15) ^ 8) - 8); }

/*@ wrap_u4: */
static inline uint8_t einc_wrap_u4(int a) { return (uint8_t)(a & 15); }

/*@ to_i4: */
static inline int8_t einc_to_i4(double a) {
  if (a != a) return 0;
  return (int8_t)(a <= -8 ? -8 : a >= 7 ? 7 : a);
}

/*@ to_u4: */
static inline uint8_t einc_to_u4(double a) {
  if (!(a > 0)) return 0;
  return (uint8_t)(a >= 15 ? 15 : a);
}

/*@ get_u4: */
static inline uint8_t einc_get_u4(const uint8_t *from, int64_t at) {
  return (uint8_t)(from[at >> 1] >> (at & 1) * 4 & 15);
}

/*@ get_i4: get_u4 wrap_i4 */
static inline int8_t einc_get_i4(const uint8_t *from, int64_t at) {
  return einc_wrap_i4(einc_get_u4(from, at));
}

/*@ put_u4: */
/* Another thread may write the byte's other half. */
static inline void einc_put_u4(uint8_t *to, int64_t at, int value) {
  uint8_t *const byte = to + (at >> 1);
  const int shift = (int)(at & 1) * 4;
  uint8_t before = __atomic_load_n(byte, __ATOMIC_RELAXED), after;
  do after = (uint8_t)((before & ~(15 << shift)) | (value & 15) << shift);
  while (!__atomic_compare_exchange_n(byte, &before, after, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/*@ put_i4: put_u4 */
static inline void einc_put_i4(uint8_t *to, int64_t at, int value) { einc_put_u4(to, at, value); }

/*@ bytes_of_u4: get_u4 */
/* Four of them as the bytes of a word, the first in the lowest one. */
static inline uint32_t einc_bytes_of_u4(const uint8_t *from, int64_t at) {
  uint32_t word = 0;
  int i;
  if (at & 1) {
    for (i = 0; i < 4; ++i) word |= (uint32_t)einc_get_u4(from, at + i) << (8 * i);
    return word;
  }
  from += at >> 1;
  word = from[0] | (uint32_t)from[1] << 16;
  return (word | word << 4) & 0x0f0f0f0fu;
}

/*@ word_of_u4_i32: bytes_of_u4 */
static inline int32_t einc_word_of_u4_i32(const uint8_t *from, int64_t at) {
  return (int32_t)einc_bytes_of_u4(from, at);
}

/*@ word_of_i4_i32: bytes_of_u4 */
/* Less 8 in each byte, after its upper bit was changed; nothing is carried to the next. */
static inline int32_t einc_word_of_i4_i32(const uint8_t *from, int64_t at) {
  const uint32_t word = einc_bytes_of_u4(from, at) ^ 0x08080808u;
  return (int32_t)((word + 0x78787878u) ^ 0x80808080u);
}

/*@ word_of_u4_i16: get_u4 */
static inline int16_t einc_word_of_u4_i16(const uint8_t *from, int64_t at) {
  return (int16_t)(einc_get_u4(from, at) | einc_get_u4(from, at + 1) << 8);
}

/*@ word_of_i4_i16: get_i4 */
static inline int16_t einc_word_of_i4_i16(const uint8_t *from, int64_t at) {
  return (int16_t)((uint8_t)einc_get_i4(from, at) | (uint8_t)einc_get_i4(from, at + 1) << 8);
}
