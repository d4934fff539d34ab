/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What AVX-512 (with VL, DQ and BW) has masks for, in place of the functions of the same name in
 * vectors.h. In the compilers' own builtins, as in vectors_x86.h. */
#pragma once

#include "compiler/emit/prelude/vectors.h"

/*@ first: inline */
/* The first `count` of up to 16 lanes, as a mask. */
EINC_INLINE uint16_t einc_first(int64_t count) {
  return (uint16_t)(count <= 0 ? 0 : count >= 16 ? 0xffff : 0xffffu >> (16 - count));
}

/*@ first_many: inline */
/* The first `count` of up to 64 lanes, as a mask. */
EINC_INLINE uint64_t einc_first_many(int64_t count) {
  return count <= 0 ? 0 : count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

/*@ raw_i32x16: inline */
/* What the compilers' builtins take. */
typedef int einc_raw_i32x16 __attribute__((vector_size(16 * sizeof(int32_t))));

/*@ load_some_i32x16: splat_i32x16 raw_i32x16 first */
EINC_INLINE einc_i32x16 einc_load_some_i32x16(const int32_t *from, int64_t count, int32_t pad) {
  const einc_raw_i32x16 rest = (einc_raw_i32x16)einc_splat_i32x16(pad);
  return (einc_i32x16)__builtin_ia32_loaddqusi512_mask((const void *)from, rest,
                                                       (uint16_t)einc_first(count));
}

/*@ load_some_words_i32x16: splat_i32x16 raw_i32x16 first */
/* Of smaller elements, which begin anywhere. */
EINC_INLINE einc_i32x16 einc_load_some_words_i32x16(const void *from, int64_t count, int32_t pad) {
  const einc_raw_i32x16 rest = (einc_raw_i32x16)einc_splat_i32x16(pad);
  return (einc_i32x16)__builtin_ia32_loaddqusi512_mask(from, rest, (uint16_t)einc_first(count));
}

/*@ load_between_i32x16: load_i32x16 splat_i32x16 raw_i32x16 first */
/* The lanes from `low` on, up to `count`. Most vectors are whole. (Measured on Zen 5, a frame around
 * 16 MiB, ms: 9.8, so 2.6.) */
EINC_INLINE einc_i32x16 einc_load_between_i32x16(const int32_t *from, int64_t low, int64_t count,
                                                 int32_t pad) {
  const einc_raw_i32x16 rest = (einc_raw_i32x16)einc_splat_i32x16(pad);
  if (low <= 0 && count >= (int64_t)(sizeof rest / sizeof pad)) return einc_load_i32x16(from);
  return (einc_i32x16)__builtin_ia32_loaddqusi512_mask(
      (const void *)from, rest, (uint16_t)einc_first(count) & ~(uint16_t)einc_first(low));
}

/*@ store_some_i32x16: i32x16 raw_i32x16 first */
EINC_INLINE void einc_store_some_i32x16(int32_t *to, int64_t count, einc_i32x16 v) {
  __builtin_ia32_storedqusi512_mask((void *)to, (einc_raw_i32x16)v, (uint16_t)einc_first(count));
}

/*@ store_most_i32x16: store_i32x16 store_some_i32x16 */
/* Where all lanes are likely to be stored: what is read soon after a store with a mask, beside it or
 * at the same place of another page, waits for it. (Measured on Zen 5, six rows of 48 written
 * together, 9216 bytes apart, ms: with masks 24.0, whole ones without 12.2.) */
EINC_INLINE void einc_store_most_i32x16(int32_t *to, int64_t count, einc_i32x16 v) {
  if (count >= (int64_t)(sizeof v / sizeof *to))
    einc_store_i32x16(to, v);
  else
    einc_store_some_i32x16(to, count, v);
}

/*@ max_f32x16: quick_max_f32x16 select_f32x16 */
/* NaN if either is, and -0 < +0: VRANGEPS orders zeros, but prefers numbers to NaN. */
EINC_INLINE einc_f32x16 einc_max_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return einc_select_f32x16((a != a) | (b != b), a + b, einc_quick_max_f32x16(a, b));
}

/*@ max_f64x8: quick_max_f64x8 select_f64x8 */
EINC_INLINE einc_f64x8 einc_max_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return einc_select_f64x8((a != a) | (b != b), a + b, einc_quick_max_f64x8(a, b));
}

/*@ min_f32x16: quick_min_f32x16 select_f32x16 */
EINC_INLINE einc_f32x16 einc_min_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return einc_select_f32x16((a != a) | (b != b), a + b, einc_quick_min_f32x16(a, b));
}

/*@ min_f64x8: quick_min_f64x8 select_f64x8 */
EINC_INLINE einc_f64x8 einc_min_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return einc_select_f64x8((a != a) | (b != b), a + b, einc_quick_min_f64x8(a, b));
}

/*@ opaque_mask: */
/* Compilers take it as it is: they would compare first, and combine all masks then, of which a CPU has eight. */
#define einc_opaque_mask(mask) __asm__("" : "+k"(mask))

/*@ computed: */
/* The vector is computed where this stands, not where it is first used. */
#define einc_computed(vector) __asm__ volatile("" : "+v"(vector))

/*@ numbers_f32x16: f32x16 */
/* Of the lanes whose bits are set those in which both are numbers (predicate 7). */
EINC_INLINE uint16_t einc_numbers_f32x16(uint16_t of, einc_f32x16 a, einc_f32x16 b) {
  return __builtin_ia32_cmpps512_mask(a, b, 7, of, 4);
}

/*@ numbers_f32x8: f32x8 */
EINC_INLINE uint16_t einc_numbers_f32x8(uint16_t of, einc_f32x8 a, einc_f32x8 b) {
  return __builtin_ia32_cmpps256_mask(a, b, 7, (uint8_t)of);
}

/*@ numbers_f32x4: f32x4 */
EINC_INLINE uint16_t einc_numbers_f32x4(uint16_t of, einc_f32x4 a, einc_f32x4 b) {
  return __builtin_ia32_cmpps128_mask(a, b, 7, (uint8_t)of);
}

/*@ numbers_f64x8: f64x8 */
EINC_INLINE uint16_t einc_numbers_f64x8(uint16_t of, einc_f64x8 a, einc_f64x8 b) {
  return __builtin_ia32_cmppd512_mask(a, b, 7, (uint8_t)of, 4);
}

/*@ numbers_f64x4: f64x4 */
EINC_INLINE uint16_t einc_numbers_f64x4(uint16_t of, einc_f64x4 a, einc_f64x4 b) {
  return __builtin_ia32_cmppd256_mask(a, b, 7, (uint8_t)of);
}

/*@ numbers_f64x2: f64x2 */
EINC_INLINE uint16_t einc_numbers_f64x2(uint16_t of, einc_f64x2 a, einc_f64x2 b) {
  return __builtin_ia32_cmppd128_mask(a, b, 7, (uint8_t)of);
}

/*@ quick_max_f32x16: f32x16 */
/* For numbers; those that begin with quick_ are used where NaN is checked for. (The last argument,
 * 4: rounded as the caller has it.) */
EINC_INLINE einc_f32x16 einc_quick_max_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return __builtin_ia32_rangeps512_mask(a, b, 5, a, (uint16_t)-1, 4);
}

/*@ quick_max_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_quick_max_f32x8(einc_f32x8 a, einc_f32x8 b) {
  return __builtin_ia32_rangeps256_mask(a, b, 5, a, (uint8_t)-1);
}

/*@ quick_max_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_quick_max_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return __builtin_ia32_rangeps128_mask(a, b, 5, a, (uint8_t)-1);
}

/*@ quick_max_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_quick_max_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return __builtin_ia32_rangepd512_mask(a, b, 5, a, (uint8_t)-1, 4);
}

/*@ quick_max_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_quick_max_f64x4(einc_f64x4 a, einc_f64x4 b) {
  return __builtin_ia32_rangepd256_mask(a, b, 5, a, (uint8_t)-1);
}

/*@ quick_max_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_quick_max_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return __builtin_ia32_rangepd128_mask(a, b, 5, a, (uint8_t)-1);
}

/*@ quick_min_f32x16: f32x16 */
EINC_INLINE einc_f32x16 einc_quick_min_f32x16(einc_f32x16 a, einc_f32x16 b) {
  return __builtin_ia32_rangeps512_mask(a, b, 4, a, (uint16_t)-1, 4);
}

/*@ quick_min_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_quick_min_f32x8(einc_f32x8 a, einc_f32x8 b) {
  return __builtin_ia32_rangeps256_mask(a, b, 4, a, (uint8_t)-1);
}

/*@ quick_min_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_quick_min_f32x4(einc_f32x4 a, einc_f32x4 b) {
  return __builtin_ia32_rangeps128_mask(a, b, 4, a, (uint8_t)-1);
}

/*@ quick_min_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_quick_min_f64x8(einc_f64x8 a, einc_f64x8 b) {
  return __builtin_ia32_rangepd512_mask(a, b, 4, a, (uint8_t)-1, 4);
}

/*@ quick_min_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_quick_min_f64x4(einc_f64x4 a, einc_f64x4 b) {
  return __builtin_ia32_rangepd256_mask(a, b, 4, a, (uint8_t)-1);
}

/*@ quick_min_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_quick_min_f64x2(einc_f64x2 a, einc_f64x2 b) {
  return __builtin_ia32_rangepd128_mask(a, b, 4, a, (uint8_t)-1);
}

/*@ scale_f32x16: f32x16 */
/* VSCALEF: one instruction, which rounds once. */
EINC_INLINE einc_f32x16 einc_scale_f32x16(einc_f32x16 a, einc_f32x16 t) {
  return __builtin_ia32_scalefps512_mask(a, t - 0x1.8p+23f, a, (uint16_t)-1, 4);
}

/*@ scale_f32x8: f32x8 */
EINC_INLINE einc_f32x8 einc_scale_f32x8(einc_f32x8 a, einc_f32x8 t) {
  return __builtin_ia32_scalefps256_mask(a, t - 0x1.8p+23f, a, (uint8_t)-1);
}

/*@ scale_f32x4: f32x4 */
EINC_INLINE einc_f32x4 einc_scale_f32x4(einc_f32x4 a, einc_f32x4 t) {
  return __builtin_ia32_scalefps128_mask(a, t - 0x1.8p+23f, a, (uint8_t)-1);
}

/*@ scale_f64x8: f64x8 */
EINC_INLINE einc_f64x8 einc_scale_f64x8(einc_f64x8 a, einc_f64x8 t) {
  return __builtin_ia32_scalefpd512_mask(a, t - 0x1.8p+52, a, (uint8_t)-1, 4);
}

/*@ scale_f64x4: f64x4 */
EINC_INLINE einc_f64x4 einc_scale_f64x4(einc_f64x4 a, einc_f64x4 t) {
  return __builtin_ia32_scalefpd256_mask(a, t - 0x1.8p+52, a, (uint8_t)-1);
}

/*@ scale_f64x2: f64x2 */
EINC_INLINE einc_f64x2 einc_scale_f64x2(einc_f64x2 a, einc_f64x2 t) {
  return __builtin_ia32_scalefpd128_mask(a, t - 0x1.8p+52, a, (uint8_t)-1);
}

/*@ log_ends_f32x16: f32x16 raw_i32x16 */
/* VFIXUPIMM: four bits of the table for each kind of x, the lowest for NaN: x, x, -infinity for
 * zeros, y for 1, NaN for -infinity, x for infinity, NaN and y for other numbers. */
EINC_INLINE einc_f32x16 einc_log_ends_f32x16(einc_f32x16 x, einc_f32x16 y) {
  const einc_raw_i32x16 zero = {0};
  return __builtin_ia32_fixupimmps512_mask(y, x, zero + 0x03530422, 0, (uint16_t)-1, 4);
}

/*@ log_ends_f32x8: f32x8 raw_i32x8 */
EINC_INLINE einc_f32x8 einc_log_ends_f32x8(einc_f32x8 x, einc_f32x8 y) {
  const einc_raw_i32x8 zero = {0};
  return __builtin_ia32_fixupimmps256_mask(y, x, zero + 0x03530422, 0, (uint8_t)-1);
}

/*@ log_ends_f32x4: f32x4 raw_i32x4 */
EINC_INLINE einc_f32x4 einc_log_ends_f32x4(einc_f32x4 x, einc_f32x4 y) {
  const einc_raw_i32x4 zero = {0};
  return __builtin_ia32_fixupimmps128_mask(y, x, zero + 0x03530422, 0, (uint8_t)-1);
}

/*@ log_ends_f64x8: f64x8 raw_i64x8 */
EINC_INLINE einc_f64x8 einc_log_ends_f64x8(einc_f64x8 x, einc_f64x8 y) {
  const einc_raw_i64x8 zero = {0};
  return __builtin_ia32_fixupimmpd512_mask(y, x, zero + 0x03530422, 0, (uint8_t)-1, 4);
}

/*@ log_ends_f64x4: f64x4 raw_i64x4 */
EINC_INLINE einc_f64x4 einc_log_ends_f64x4(einc_f64x4 x, einc_f64x4 y) {
  const einc_raw_i64x4 zero = {0};
  return __builtin_ia32_fixupimmpd256_mask(y, x, zero + 0x03530422, 0, (uint8_t)-1);
}

/*@ log_ends_f64x2: f64x2 raw_i64x2 */
EINC_INLINE einc_f64x2 einc_log_ends_f64x2(einc_f64x2 x, einc_f64x2 y) {
  const einc_raw_i64x2 zero = {0};
  return __builtin_ia32_fixupimmpd128_mask(y, x, zero + 0x03530422, 0, (uint8_t)-1);
}

/*@ of_16_f32x16: f32x16 i32x16 */
/* The one of 16 numbers that a lane's lowest bits name. */
EINC_INLINE einc_f32x16 einc_of_16_f32x16(einc_f32x16 numbers, einc_i32x16 which) {
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(numbers, which);
#else
  return __builtin_ia32_permvarsf512_mask(numbers, which, numbers, (uint16_t)-1);
#endif
}

/*@ bytes_at_16_places: i32x16 i64x8 */
/* In each lane the byte that begins 4 bits after the last one's; what is behind it is another number. */
EINC_INLINE einc_i32x16 einc_bytes_at_16_places(int64_t bytes) {
  typedef uint32_t lanes_of __attribute__((vector_size(64)));
  const einc_i64x8 all = {bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes};
  const einc_i32x16 one = (einc_i32x16)all;
  const lanes_of twice =
      (lanes_of)__builtin_shufflevector(one, one, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const lanes_of places = {0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28};
  return (einc_i32x16)(twice >> places);
}

/*@ shifted_halves_of_16: bytes_at_16_places bytes_of_16 */
/* Integers of 4 bits, each in the lowest bits of a lane, behind which there is more. What begins in the middle of a
 * byte is apart: the others are spread while they are loaded. (GCC does not.) */
EINC_INLINE einc_i32x16 einc_shifted_halves_of_16(const uint8_t *from, int64_t at) {
#if defined(__clang__)
  int64_t bytes = 0;
  __builtin_memcpy(&bytes, from + (at >> 1), sizeof bytes);
  if ((at & 1) == 0) return einc_bytes_at_16_places(bytes);
#endif
  return einc_bytes_at_16_places((int64_t)einc_bytes_of_16(from, at));
}

/*@ numbers_of_16_i4: f32x16 */
EINC_INLINE einc_f32x16 einc_numbers_of_16_i4(void) {
  const einc_f32x16 numbers = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
  return numbers;
}

/*@ wide_i4_f32_of_16: numbers_of_16_i4 of_16_f32x16 shifted_halves_of_16 */
EINC_INLINE einc_f32x16 einc_wide_i4_f32_of_16(const uint8_t *from, int64_t at) {
  return einc_of_16_f32x16(einc_numbers_of_16_i4(), einc_shifted_halves_of_16(from, at));
}

/*@ numbers_of_16_u4: f32x16 */
EINC_INLINE einc_f32x16 einc_numbers_of_16_u4(void) {
  const einc_f32x16 numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return numbers;
}

/*@ wide_u4_f32_of_16: numbers_of_16_u4 of_16_f32x16 shifted_halves_of_16 */
EINC_INLINE einc_f32x16 einc_wide_u4_f32_of_16(const uint8_t *from, int64_t at) {
  return einc_of_16_f32x16(einc_numbers_of_16_u4(), einc_shifted_halves_of_16(from, at));
}

/*@ part_i4_f32x16: numbers_of_16_i4 of_16_f32x16 shifted_words_i32x16 */
EINC_INLINE einc_f32x16 einc_part_i4_f32x16(const uint8_t *from, int64_t at, int part) {
  return einc_of_16_f32x16(einc_numbers_of_16_i4(), einc_shifted_words_i32x16(from, at, part));
}

/*@ part_u4_f32x16: numbers_of_16_u4 of_16_f32x16 shifted_words_i32x16 */
EINC_INLINE einc_f32x16 einc_part_u4_f32x16(const uint8_t *from, int64_t at, int part) {
  return einc_of_16_f32x16(einc_numbers_of_16_u4(), einc_shifted_words_i32x16(from, at, part));
}

/*@ wide_u4_i32_of_16: shifted_halves_of_16 */
EINC_INLINE einc_i32x16 einc_wide_u4_i32_of_16(const uint8_t *from, int64_t at) {
  return einc_shifted_halves_of_16(from, at) & 15;
}

/*@ wide_i4_i32_of_16: wide_u4_i32_of_16 */
EINC_INLINE einc_i32x16 einc_wide_i4_i32_of_16(const uint8_t *from, int64_t at) {
  return (einc_wide_u4_i32_of_16(from, at) ^ 8) - 8;
}
