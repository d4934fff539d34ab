/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of floats of 8 bits, and of integers of 4, two of which are in a byte: the first in its lower
 * half. Chunks as in vectors.h. Positions of integers count elements from the beginning of `from`. */
#pragma once

#include "compiler/emit/prelude/small.h"
#include "compiler/emit/prelude/vectors.h"

/*@ widen_f8e4m3x16: f32x16 u8x16 u32x16 */
/* Exponents begin 120 further on. What has no hidden digit gets one of the least exponent, which is taken off again. */
EINC_INLINE einc_f32x16 einc_widen_f8e4m3x16(einc_u8x16 a) {
  const einc_u32x16 bits = __builtin_convertvector(a, einc_u32x16), digits = bits & 127;
  const einc_u32x16 normal = (digits << 20) + (120u << 23);
  const einc_u32x16 tiny = (einc_u32x16)((einc_f32x16)((digits << 20) + (121u << 23)) - 0x1p-6f);
  const einc_u32x16 isTiny = (einc_u32x16)(digits < 8), isNan = (einc_u32x16)(digits == 127);
  return (einc_f32x16)((tiny & isTiny) | (normal & ~isTiny) | (isNan & 0x7fc00000u) |
                       (bits & 128) << 24);
}

/*@ narrow_f8e4m3x16: f32x16 u8x16 u32x16 */
/* To nearest even. The last digit of what is below 2^-6 is 2^-9, as that of 2^14 is; from 464 on it is NaN. */
EINC_INLINE einc_u8x16 einc_narrow_f8e4m3x16(einc_f32x16 a) {
  const einc_u32x16 bits = (einc_u32x16)a, size = bits & 0x7fffffffu;
  const einc_u32x16 normal = ((size + 0x7ffff + (size >> 20 & 1)) >> 20) - (120 << 3);
  const einc_u32x16 tiny = (einc_u32x16)((einc_f32x16)size + 0x1p14f) - 0x46800000u;
  const einc_u32x16 isTiny = (einc_u32x16)(size < (121u << 23));
  const einc_u32x16 isNan = (einc_u32x16)(size > 0x43e80000u);
  return __builtin_convertvector(
      (isNan & 127) | (~isNan & ((tiny & isTiny) | (normal & ~isTiny))) | (bits >> 24 & 128),
      einc_u8x16);
}

/*@ round_f8e4m3x16: narrow_f8e4m3x16 widen_f8e4m3x16 */
EINC_INLINE einc_f32x16 einc_round_f8e4m3x16(einc_f32x16 a) {
  return einc_widen_f8e4m3x16(einc_narrow_f8e4m3x16(a));
}

/*@ widen_f8e5m2x16: f32x16 u8x16 u32x16 */
/* The same, 112 further on; the highest exponent stays that. */
EINC_INLINE einc_f32x16 einc_widen_f8e5m2x16(einc_u8x16 a) {
  const einc_u32x16 bits = __builtin_convertvector(a, einc_u32x16), digits = bits & 127;
  const einc_u32x16 normal = (digits << 21) + (112u << 23);
  const einc_u32x16 tiny = (einc_u32x16)((einc_f32x16)((digits << 21) + (113u << 23)) - 0x1p-14f);
  const einc_u32x16 isTiny = (einc_u32x16)(digits < 4), isLast = (einc_u32x16)(digits >= 124);
  return (einc_f32x16)((tiny & isTiny) | (normal & ~isTiny) | (isLast & 0x7f800000u) |
                       (bits & 128) << 24);
}

/*@ narrow_f8e5m2x16: f32x16 u8x16 u32x16 */
EINC_INLINE einc_u8x16 einc_narrow_f8e5m2x16(einc_f32x16 a) {
  const einc_u32x16 bits = (einc_u32x16)a, size = bits & 0x7fffffffu;
  const einc_u32x16 normal = ((size + 0xfffff + (size >> 21 & 1)) >> 21) - (112 << 2);
  const einc_u32x16 tiny = (einc_u32x16)((einc_f32x16)size + 0x1p7f) - 0x43000000u;
  const einc_u32x16 isTiny = (einc_u32x16)(size < (113u << 23));
  const einc_u32x16 isLarge = (einc_u32x16)(size >= 0x47700000u); /* 61440 */
  const einc_u32x16 large = 0x7c + ((einc_u32x16)(size > 0x7f800000u) & 2);
  return __builtin_convertvector(
      (isLarge & large) | (~isLarge & ((tiny & isTiny) | (normal & ~isTiny))) | (bits >> 24 & 128),
      einc_u8x16);
}

/*@ round_f8e5m2x16: narrow_f8e5m2x16 widen_f8e5m2x16 */
EINC_INLINE einc_f32x16 einc_round_f8e5m2x16(einc_f32x16 a) {
  return einc_widen_f8e5m2x16(einc_narrow_f8e5m2x16(a));
}

/*@ wrap_i4x16: i8x16 */
EINC_INLINE einc_i8x16 einc_wrap_i4x16(einc_i8x16 a) { return ((a & 15) ^ 8) - 8; }

/*@ wrap_u4x16: u8x16 */
EINC_INLINE einc_u8x16 einc_wrap_u4x16(einc_u8x16 a) { return a & 15; }

/*@ bytes_of_16: inline */
/* 16 of them as they are in memory. From an odd position on, a byte's upper half is followed by the next
 * one's lower half. */
EINC_INLINE uint64_t einc_bytes_of_16(const uint8_t *from, int64_t at) {
  uint64_t bytes = 0;
  from += at >> 1;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return at & 1 ? bytes >> 4 | (uint64_t)from[8] << 60 : bytes;
}

/*@ bytes_of_8: inline */
EINC_INLINE uint32_t einc_bytes_of_8(const uint8_t *from, int64_t at) {
  uint32_t bytes = 0;
  from += at >> 1;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return at & 1 ? bytes >> 4 | (uint32_t)from[4] << 28 : bytes;
}

/*@ load_halves_u4x8: u8x8 bytes_of_8 */
/* Spread to twice the width, again and again. */
EINC_INLINE einc_u8x8 einc_load_halves_u4x8(const uint8_t *from, int64_t at) {
  einc_u8x8 v = {0};
  uint64_t all = einc_bytes_of_8(from, at);
  all = (all | all << 16) & 0x0000ffff0000ffffu;
  all = (all | all << 8) & 0x00ff00ff00ff00ffu;
  all = (all | all << 4) & 0x0f0f0f0f0f0f0f0fu;
  __builtin_memcpy(&v, &all, sizeof v);
  return v;
}

/*@ load_halves_u4x16: u8x16 */
/* Each byte is spread to two. */
EINC_INLINE einc_u8x16 einc_load_halves_u4x16(const uint8_t *from, int64_t at) {
  typedef uint8_t bytes_of __attribute__((vector_size(16 * sizeof(uint8_t) / 2)));
  typedef uint16_t pairs_of __attribute__((vector_size(16 * sizeof(uint8_t))));
  bytes_of bytes = {0}, next = {0};
  pairs_of pairs;
  from += at >> 1;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  if (at & 1) {
    __builtin_memcpy(&next, from + 1, sizeof next);
    bytes = bytes >> 4 | next << 4;
  }
  pairs = __builtin_convertvector(bytes, pairs_of);
  return (einc_u8x16)((pairs | pairs << 4) & 0x0f0f);
}

/*@ load_halves_i4x16: load_halves_u4x16 i8x16 */
EINC_INLINE einc_i8x16 einc_load_halves_i4x16(const uint8_t *from, int64_t at) {
  return ((einc_i8x16)einc_load_halves_u4x16(from, at) ^ 8) - 8;
}

/*@ shifted_halves_of_8: i32x8 bytes_of_8 */
/* Each in the lowest bits of a lane, behind which there is more. */
EINC_INLINE einc_i32x8 einc_shifted_halves_of_8(const uint8_t *from, int64_t at) {
  typedef uint32_t lanes_of __attribute__((vector_size(32)));
  const uint32_t bytes = einc_bytes_of_8(from, at);
  const lanes_of all = {bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes};
  const lanes_of places = {0, 4, 8, 12, 16, 20, 24, 28};
  return (einc_i32x8)(all >> places);
}

/*@ wide_u4_i32_of_8: shifted_halves_of_8 */
/* Lanes of 32 bits at once. */
EINC_INLINE einc_i32x8 einc_wide_u4_i32_of_8(const uint8_t *from, int64_t at) {
  return einc_shifted_halves_of_8(from, at) & 15;
}

/*@ wide_i4_i32_of_8: wide_u4_i32_of_8 */
EINC_INLINE einc_i32x8 einc_wide_i4_i32_of_8(const uint8_t *from, int64_t at) {
  return (einc_wide_u4_i32_of_8(from, at) ^ 8) - 8;
}

/*@ wide_u4_f32_of_8: wide_u4_i32_of_8 f32x8 */
EINC_INLINE einc_f32x8 einc_wide_u4_f32_of_8(const uint8_t *from, int64_t at) {
  return __builtin_convertvector(einc_wide_u4_i32_of_8(from, at), einc_f32x8);
}

/*@ wide_i4_f32_of_8: wide_i4_i32_of_8 f32x8 */
EINC_INLINE einc_f32x8 einc_wide_i4_f32_of_8(const uint8_t *from, int64_t at) {
  return __builtin_convertvector(einc_wide_i4_i32_of_8(from, at), einc_f32x8);
}

/*@ words_of_halves_i32x16: i32x16 */
/* Eight in each, from an even position on. */
EINC_INLINE einc_i32x16 einc_words_of_halves_i32x16(const uint8_t *from, int64_t at) {
  einc_i32x16 words = {0};
  __builtin_memcpy(&words, from + (at >> 1), sizeof words);
  return words;
}

/*@ shifted_words_i32x16: words_of_halves_i32x16 u32x16 */
/* One of each word, in its lowest bits, behind which there is more. */
EINC_INLINE einc_i32x16 einc_shifted_words_i32x16(const uint8_t *from, int64_t at, int part) {
  return (einc_i32x16)((einc_u32x16)einc_words_of_halves_i32x16(from, at) >> 4 * part);
}

/*@ part_u4_i32x16: shifted_words_i32x16 */
EINC_INLINE einc_i32x16 einc_part_u4_i32x16(const uint8_t *from, int64_t at, int part) {
  return einc_shifted_words_i32x16(from, at, part) & 15;
}

/*@ part_i4_i32x16: words_of_halves_i32x16 u32x16 */
EINC_INLINE einc_i32x16 einc_part_i4_i32x16(const uint8_t *from, int64_t at, int part) {
  const einc_u32x16 words = (einc_u32x16)einc_words_of_halves_i32x16(from, at);
  return (einc_i32x16)(words << (28 - 4 * part)) >> 28;
}

/*@ part_u4_u8x16: part_u4_i32x16 u8x16 */
EINC_INLINE einc_u8x16 einc_part_u4_u8x16(const uint8_t *from, int64_t at, int part) {
  return __builtin_convertvector(einc_part_u4_i32x16(from, at, part), einc_u8x16);
}

/*@ part_i4_i8x16: part_i4_i32x16 i8x16 */
EINC_INLINE einc_i8x16 einc_part_i4_i8x16(const uint8_t *from, int64_t at, int part) {
  return __builtin_convertvector(einc_part_i4_i32x16(from, at, part), einc_i8x16);
}

/*@ part_u4_f32x16: part_u4_i32x16 f32x16 */
EINC_INLINE einc_f32x16 einc_part_u4_f32x16(const uint8_t *from, int64_t at, int part) {
  return __builtin_convertvector(einc_part_u4_i32x16(from, at, part), einc_f32x16);
}

/*@ part_i4_f32x16: part_i4_i32x16 f32x16 */
EINC_INLINE einc_f32x16 einc_part_i4_f32x16(const uint8_t *from, int64_t at, int part) {
  return __builtin_convertvector(einc_part_i4_i32x16(from, at, part), einc_f32x16);
}

/*@ load_some_halves_u4x16: load_halves_u4x16 splat_u8x16 get_u4 */
/* The first `count` lanes, the others are `pad`. */
EINC_INLINE einc_u8x16 einc_load_some_halves_u4x16(const uint8_t *from, int64_t at, int64_t count,
                                                   uint8_t pad) {
  einc_u8x16 v;
  int64_t i;
  if (count >= (int64_t)sizeof v) return einc_load_halves_u4x16(from, at);
  v = einc_splat_u8x16(pad);
  for (i = 0; i < count; ++i) v[i] = einc_get_u4(from, at + i);
  return v;
}

/*@ load_some_halves_i4x16: load_halves_i4x16 splat_i8x16 get_i4 */
EINC_INLINE einc_i8x16 einc_load_some_halves_i4x16(const uint8_t *from, int64_t at, int64_t count,
                                                   int8_t pad) {
  einc_i8x16 v;
  int64_t i;
  if (count >= (int64_t)sizeof v) return einc_load_halves_i4x16(from, at);
  v = einc_splat_i8x16(pad);
  for (i = 0; i < count; ++i) v[i] = einc_get_i4(from, at + i);
  return v;
}

/*@ store_halves_u4x16: u8x16 put_u4 */
/* From an even position on, whole bytes. */
EINC_INLINE void einc_store_halves_u4x16(uint8_t *to, int64_t at, einc_u8x16 v) {
  typedef uint8_t bytes_of __attribute__((vector_size(16 * sizeof(uint8_t) / 2)));
  typedef uint16_t pairs_of __attribute__((vector_size(16 * sizeof(uint8_t))));
  const pairs_of pairs = (pairs_of)v;
  int64_t i;
  if (at & 1) {
    for (i = 0; i < (int64_t)sizeof v; ++i) einc_put_u4(to, at + i, v[i]);
  } else {
    const bytes_of bytes = __builtin_convertvector((pairs & 15) | (pairs >> 4 & 0xf0), bytes_of);
    __builtin_memcpy(to + (at >> 1), &bytes, sizeof bytes);
  }
}

/*@ store_halves_i4x16: store_halves_u4x16 i8x16 */
EINC_INLINE void einc_store_halves_i4x16(uint8_t *to, int64_t at, einc_i8x16 v) {
  einc_store_halves_u4x16(to, at, (einc_u8x16)v);
}

/*@ store_some_halves_u4x16: store_halves_u4x16 put_u4 */
EINC_INLINE void einc_store_some_halves_u4x16(uint8_t *to, int64_t at, int64_t count,
                                              einc_u8x16 v) {
  int64_t i;
  if (count >= (int64_t)sizeof v)
    einc_store_halves_u4x16(to, at, v);
  else
    for (i = 0; i < count; ++i) einc_put_u4(to, at + i, v[i]);
}

/*@ store_some_halves_i4x16: store_some_halves_u4x16 i8x16 */
EINC_INLINE void einc_store_some_halves_i4x16(uint8_t *to, int64_t at, int64_t count,
                                              einc_i8x16 v) {
  einc_store_some_halves_u4x16(to, at, count, (einc_u8x16)v);
}
