/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Scalar functions of generated kernels, for every input as compiler/ir/functions.def defines them.
 * The emitter takes the chunks that a kernel uses, each from its marker to the next one, those it
 * names behind the colon first; headers that stand there are included. Chunks for i32, u32 and f32
 * serve the other widths with the types' names replaced. A chunk with EINC_SHARED stands once in a
 * library of several files: none of these functions needs to be fast. This file compiles as it
 * stands. */
#pragma once

#ifndef EINC_SHARED
#define EINC_SHARED static __attribute__((unused))
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* In generated files the features that there are (emit/c/cpu.h). */
#define EINC_CPUIDS {1, 1, 0, 0, 0, 0}
#define EINC_HWCAPS {1, 16, 0}
#define EINC_NEON 1
#define EINC_KNOWN_FEATURES

/*@ cold: compilers */
/*@ small: compilers */
/*@ rolled: compilers */
/*@ short_loop: compilers */
/*@ unrolled: compilers */
/*@ compilers: */
/* Functions that are cold take compilers no time, and little room; small ones have all that makes
 * them fast written out. (GCC holds what calls a cold function for cold, too, and makes no vectors
 * of its loops.) */
#if defined(__clang__)
#define einc_cold __attribute__((cold, noinline, minsize))
#define einc_small __attribute__((noinline, minsize))
#define einc_rolled _Pragma("clang loop unroll(disable)")
#define einc_short_loop _Pragma("clang loop vectorize(disable) unroll(disable)")
#define einc_unrolled _Pragma("clang loop unroll(full)")
#else
#define einc_cold __attribute__((noinline))
#define einc_small __attribute__((noinline))
#define einc_rolled _Pragma("GCC unroll 1")
#define einc_short_loop _Pragma("GCC unroll 1")
#define einc_unrolled _Pragma("GCC unroll 64")
#endif

/*@ opaque: */
/* Compilers take a pointer, or a number, as it is, and do not see what it was made of. */
#define einc_opaque(value) __asm__("" : "+r"(value))

/*@ add_i32: */
static inline int32_t einc_add_i32(int32_t a, int32_t b) {
  return (int32_t)((uint64_t)a + (uint64_t)b);
}

/*@ sub_i32: */
static inline int32_t einc_sub_i32(int32_t a, int32_t b) {
  return (int32_t)((uint64_t)a - (uint64_t)b);
}

/*@ mul_i32: */
static inline int32_t einc_mul_i32(int32_t a, int32_t b) {
  return (int32_t)((uint64_t)a * (uint64_t)b);
}

/*@ neg_i32: */
static inline int32_t einc_neg_i32(int32_t a) { return (int32_t)(0 - (uint64_t)a); }

/*@ abs_i32: neg_i32 */
static inline int32_t einc_abs_i32(int32_t a) { return a < 0 ? einc_neg_i32(a) : a; }

/*@ sign_i32: */
static inline int32_t einc_sign_i32(int32_t a) { return (int32_t)((a > 0) - (a < 0)); }

/*@ div_i32: neg_i32 */
static inline int32_t einc_div_i32(int32_t a, int32_t b) {
  return b == 0 ? 0 : b == -1 ? einc_neg_i32(a) : (int32_t)(a / b);
}

/*@ rem_i32: */
static inline int32_t einc_rem_i32(int32_t a, int32_t b) {
  return b == 0 ? a : b == -1 ? 0 : (int32_t)(a % b);
}

/*@ max_i32: */
static inline int32_t einc_max_i32(int32_t a, int32_t b) { return a > b ? a : b; }

/*@ min_i32: */
static inline int32_t einc_min_i32(int32_t a, int32_t b) { return a < b ? a : b; }

/*@ pow_i32: */
static inline int32_t einc_pow_i32(int32_t a, int32_t n) {
  uint64_t power = 1, square = (uint64_t)a;
  if (n < 0) return (int32_t)(a == 1 ? 1 : a == -1 ? (n % 2 == 0 ? 1 : -1) : 0);
  for (; n > 0; n = (int32_t)(n / 2)) {
    if (n % 2 != 0) power *= square;
    square *= square;
  }
  return (int32_t)power;
}

/*@ shl_i32: */
static inline int32_t einc_shl_i32(int32_t a, int32_t n) {
  return n < 0 || n >= (int32_t)(8 * sizeof a) ? 0 : (int32_t)((uint64_t)a << n);
}

/*@ shr_i32: */
static inline int32_t einc_shr_i32(int32_t a, int32_t n) {
  return n < 0 || n >= (int32_t)(8 * sizeof a) ? (int32_t)(a < 0 ? -1 : 0) : (int32_t)(a >> n);
}

/*@ add_u32: */
static inline uint32_t einc_add_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a + b); }

/*@ sub_u32: */
static inline uint32_t einc_sub_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a - b); }

/*@ mul_u32: */
static inline uint32_t einc_mul_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b); }

/*@ neg_u32: */
static inline uint32_t einc_neg_u32(uint32_t a) { return (uint32_t)(0 - (uint64_t)a); }

/*@ div_u32: */
static inline uint32_t einc_div_u32(uint32_t a, uint32_t b) {
  return (uint32_t)(b == 0 ? 0 : a / b);
}

/*@ rem_u32: */
static inline uint32_t einc_rem_u32(uint32_t a, uint32_t b) {
  return (uint32_t)(b == 0 ? a : a % b);
}

/*@ max_u32: */
static inline uint32_t einc_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/*@ min_u32: */
static inline uint32_t einc_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

/*@ pow_u32: */
static inline uint32_t einc_pow_u32(uint32_t a, uint32_t n) {
  uint64_t power = 1, square = a;
  for (; n > 0; n = (uint32_t)(n / 2)) {
    if (n % 2 != 0) power *= square;
    square *= square;
  }
  return (uint32_t)power;
}

/*@ shl_u32: */
static inline uint32_t einc_shl_u32(uint32_t a, uint32_t n) {
  return n >= 8 * sizeof a ? 0 : (uint32_t)((uint64_t)a << n);
}

/*@ shr_u32: */
static inline uint32_t einc_shr_u32(uint32_t a, uint32_t n) {
  return n >= 8 * sizeof a ? 0 : (uint32_t)(a >> n);
}

/*@ max_f32: */
static inline float einc_max_f32(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? b : a; /* -0 < +0 */
  return a > b ? a : b;
}

/*@ min_f32: */
static inline float einc_min_f32(float a, float b) {
  if (a != a || b != b) return a + b;
  if (a == b) return signbit(a) ? a : b; /* -0 < +0 */
  return a < b ? a : b;
}

/*@ sign_f32: */
static inline float einc_sign_f32(float a) { return a > 0 ? 1 : a < 0 ? -1 : a; }

/*@ select_f32: */
static inline float einc_select_f32(int which, float a, float b) { return which ? a : b; }

/*@ square_f32: */
static inline float einc_square_f32(float a) { return a * a; }

/*@ bits_f32: */
static inline uint32_t einc_bits_f32(float a) {
  union {
    float value;
    uint32_t bits;
  } number;
  number.value = a;
  return number.bits;
}

/*@ of_bits_f32: */
static inline float einc_of_bits_f32(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } number;
  number.bits = bits;
  return number.value;
}

/*@ bits_f64: */
static inline uint64_t einc_bits_f64(double a) {
  union {
    double value;
    uint64_t bits;
  } number;
  number.value = a;
  return number.bits;
}

/*@ of_bits_f64: */
static inline double einc_of_bits_f64(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } number;
  number.bits = bits;
  return number.value;
}

/*@ all_f32: */
static inline int einc_all_f32(int which) { return which; }

/*@ roundeven_f32: */
static inline float einc_roundeven_f32(float a) {
  float down = (float)floor(a), fraction = a - down;
  if (fraction < 0.5f) return (float)copysign(down, a);
  if (fraction > 0.5f) return (float)copysign(down + 1, a);
  if (fraction != 0.5f) return a; /* NaN, infinity */
  return (float)copysign(2 * floor(down / 2 + 0.5f), a);
}

/*@ to_i32: */
static inline int32_t einc_to_i32(double a) {
  if (a != a) return 0;
  if (a <= (double)INT32_MIN) return INT32_MIN;
  if (a >= (double)INT32_MAX) return INT32_MAX; /* saturates; for 64 bits the bound is 2^63 */
  return (int32_t)a;
}

/*@ to_u32: */
static inline uint32_t einc_to_u32(double a) {
  if (!(a > 0)) return 0;
  if (a >= (double)UINT32_MAX) return UINT32_MAX; /* saturates; for 64 bits the bound is 2^64 */
  return (uint32_t)a;
}

/*@ odd_i64: */
/* To double, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once.
 */
static inline double einc_odd_i64(int64_t a) {
  if (a >= -((int64_t)1 << 53) && a <= ((int64_t)1 << 53)) return (double)a;
  return (double)((a >> 11) | ((a & 2047) != 0)) * 2048.0;
}

/*@ odd_u64: */
/* To double, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once.
 */
static inline double einc_odd_u64(uint64_t a) {
  if (a <= (uint64_t)1 << 53) return (double)a;
  return (double)((a >> 11) | ((a & 2047) != 0)) * 2048.0;
}

/*@ narrow: */
/* A double as sign, exponent and `digits` stored digits, rounded once to nearest even. The least
 * exponent of a normal number is `least`; `infinity` is that number's encoding. */
static inline uint16_t einc_narrow(double value, int digits, int least, unsigned infinity) {
  union {
    double value;
    uint64_t bits;
  } number;
  number.value = value;
  const unsigned sign = (unsigned)(number.bits >> 63) << 15;
  const uint64_t magnitude = number.bits & INT64_MAX;
  const int exponent = (int)(magnitude >> 52) - 1023;
  if (value != value) return (uint16_t)(sign | infinity | (1u << (digits - 1)));
  if (exponent > 2 - least) return (uint16_t)(sign | infinity);
  /* How many of the significand's 53 digits fall away. */
  const int shift = 52 - digits + (exponent < least ? least - exponent : 0);
  if (shift > 53) return (uint16_t)sign;
  const uint64_t significand = (magnitude & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1) << 52);
  const uint64_t rest = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1)
                                                                           << (shift - 1);
  uint64_t kept = significand >> shift;
  if (rest > half || (rest == half && kept % 2 != 0)) ++kept;
  /* The hidden digit, or a carry out of the others, counts the exponent up. */
  if (exponent >= least) kept += (uint64_t)(exponent - least) << digits;
  return (uint16_t)(sign | (kept < infinity ? (unsigned)kept : infinity));
}

/*@ store_f16: narrow */
static inline uint16_t einc_store_f16(double a) { return einc_narrow(a, 10, -14, 0x7c00); }

/*@ store_bf16: narrow */
static inline uint16_t einc_store_bf16(double a) { return einc_narrow(a, 7, -126, 0x7f80); }

/*@ word_i32: */
/* Neighbours in memory as one number. */
static inline int32_t einc_word_i32(const void *from) {
  int32_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

/*@ word_u32: */
static inline uint32_t einc_word_u32(const void *from) {
  uint32_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

/*@ load_f16: */
static inline float einc_load_f16(uint16_t a) {
  union {
    uint32_t bits;
    float value;
  } number;
  const uint32_t sign = (uint32_t)(a & 0x8000) << 16, exponent = (a >> 10) & 31, digits = a & 1023;
  if (exponent == 0) {
    number.value = (float)digits * 0x1p-24f;
    number.bits |= sign;
  } else {
    number.bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | digits << 13;
  }
  return number.value;
}

/*@ load_bf16: */
static inline float einc_load_bf16(uint16_t a) {
  union {
    uint32_t bits;
    float value;
  } number;
  number.bits = (uint32_t)a << 16;
  return number.value;
}

/*@ round_f16: store_f16 load_f16 */
static inline float einc_round_f16(double a) { return einc_load_f16(einc_store_f16(a)); }

/*@ round_bf16: store_bf16 load_bf16 */
static inline float einc_round_bf16(double a) { return einc_load_bf16(einc_store_bf16(a)); }

/*@ floordiv: */
/* Rounds down; the divisor was checked. */
static inline int64_t einc_floordiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/*@ ceildiv: floordiv */
static inline int64_t einc_ceildiv(int64_t a, int64_t b) { return -einc_floordiv(-a, b); }

/*@ floormod: */
/* Has the divisor's sign; the divisor was checked. */
static inline int64_t einc_floormod(int64_t a, int64_t b) {
  const int64_t rest = b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/*@ quotient: */
/* Of sizes, before loops that may have no rounds: then b may be 0, and nothing reads the result. */
static inline int64_t einc_quotient(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }

/*@ rest: */
static inline int64_t einc_rest(int64_t a, int64_t b) { return b == 0 ? 0 : a % b; }

/*@ least: */
static inline int64_t einc_least(int64_t a, int64_t b) { return a < b ? a : b; }

/*@ greatest: */
static inline int64_t einc_greatest(int64_t a, int64_t b) { return a < b ? b : a; }

/*@ lanes: */
/* How many of `lanes` lanes are among the first `count`. */
static inline int64_t einc_lanes(int64_t count, int64_t lanes) {
  return count < 0 ? 0 : count < lanes ? count : lanes;
}

/*@ aligned: */
/* A pointer that, so it was asked, is at a multiple of so many bytes, if there is anything at it. */
#if defined(__clang__)
#define einc_aligned(pointer, bytes) __builtin_align_down(pointer, bytes)
#else
#define einc_aligned(pointer, bytes) __builtin_assume_aligned(pointer, bytes)
#endif

/*@ lead: */
/* How many of `count` elements of so many bytes come before the first one at a multiple of `unit`
 * bytes. */
static inline int64_t einc_lead(const void *first, int64_t bytes, int64_t unit, int64_t count) {
  const int64_t past = (int64_t)((uintptr_t)first % (uintptr_t)unit);
  const int64_t before = (unit - past) % unit / bytes;
  return before < count ? before : count;
}

/*@ allocate: */
#if defined(__linux__)
/* That of <sys/mman.h>, where -std=c99 hides it. */
int einc_advise(void *memory, size_t bytes, int advice) __asm__("madvise");
#endif

/* Memory, or null. What is new comes a page at a time, each emptied when it is first used: of much,
 * large pages, where there are such. (Advice 14 is MADV_HUGEPAGE. Measured on a Xeon, a Winograd
 * transform with 35 MB of its own: 25 ms, so 16.) */
static inline char *einc_allocate(uint64_t bytes) {
  char *const memory = (char *)__builtin_malloc(bytes);
#if defined(__linux__)
  if (memory != NULL && bytes >= (uint64_t)1 << 23) {
    const uint64_t skipped = -(uint64_t)(uintptr_t)memory % 4096;
    (void)einc_advise(memory + skipped, (bytes - skipped) / 4096 * 4096, 14);
  }
#endif
  return memory;
}

/*@ prefetch: */
/* What is there, if anything, will be read soon. */
static inline void einc_prefetch(const void *data, int64_t offset) {
  __builtin_prefetch((const void *)((uintptr_t)data + (uintptr_t)offset));
}

/*@ prefetch_far: */
/* What is there, if anything, will be read: it comes into the second cache. */
static inline void einc_prefetch_far(const void *data, int64_t offset) {
  __builtin_prefetch((const void *)((uintptr_t)data + (uintptr_t)offset), 0, 2);
}

/*@ prefetch_own: */
/* What is there, if anything, will be written soon. */
static inline void einc_prefetch_own(const void *data, int64_t offset) {
  __builtin_prefetch((const void *)((uintptr_t)data + (uintptr_t)offset), 1);
}

/*@ is_run: */
/* Whether positions follow one another by one. */
static inline int einc_is_run(const int64_t *positions, int64_t count) {
  int64_t i;
  for (i = 1; i < count; ++i)
    if (positions[i] != positions[i - 1] + 1) return 0;
  return 1;
}

/*@ find_cpu: <cpuid.h> */
/* What CPU and operating system support: a bit for each of Einc's features (compiler/target/features.def), of which
 * every x86-64 has 1. The CPU itself is asked: __builtin_cpu_supports takes libgcc, which not all who link this have. */
EINC_SHARED uint32_t einc_find_cpu(void) {
  /* A part of a feature: bits in a register (0: eax) of cpuid's answer, and what the system saves. */
  static const struct {
    uint32_t feature, leaf, subleaf, place, bits, states;
  } parts[] = {EINC_CPUIDS};
  uint32_t found = 1, lacking = 0, states = 0, high, answer[4];
  size_t i;
  if (__get_cpuid(1, &answer[0], &answer[1], &answer[2], &answer[3]) &&
      (answer[2] & bit_OSXSAVE) != 0)
    __asm__ volatile("xgetbv" : "=a"(states), "=d"(high) : "c"(0));
  for (i = 0; i < sizeof parts / sizeof *parts; ++i) {
    found |= parts[i].feature;
    if (!__get_cpuid_count(parts[i].leaf, parts[i].subleaf, &answer[0], &answer[1], &answer[2],
                           &answer[3]) ||
        (answer[parts[i].place] & parts[i].bits) != parts[i].bits ||
        (states & parts[i].states) != parts[i].states)
      lacking |= parts[i].feature;
  }
  return found & ~lacking;
}

/*@ cpu: find_cpu */
/* Whether there are these; all are known after the first call. */
static uint32_t einc_known_cpu;

static inline int einc_cpu(uint32_t features) {
  uint32_t known = __atomic_load_n(&einc_known_cpu, __ATOMIC_RELAXED);
  if (known == 0) __atomic_store_n(&einc_known_cpu, known = einc_find_cpu(), __ATOMIC_RELAXED);
  return (known & features) == features;
}

/*@ find_cpu_aarch64: */
/* The same of AArch64. Linux is asked (words and bits are those of its asm/hwcap.h); elsewhere it is what the compiler
 * knows of the CPU. */
EINC_SHARED uint32_t einc_find_cpu_aarch64(void) {
  uint32_t found = EINC_NEON;
#if defined(__linux__)
  extern unsigned long getauxval(unsigned long);
  static const struct {
    uint32_t feature, word, bit;
  } parts[] = {EINC_HWCAPS};
  size_t i;
  for (i = 0; i < sizeof parts / sizeof *parts; ++i)
    if ((getauxval(parts[i].word) >> parts[i].bit & 1) != 0) found |= parts[i].feature;
#else
  EINC_KNOWN_FEATURES
#endif
  return found;
}

/*@ cpu_aarch64: find_cpu_aarch64 */
/* Whether there are these; all are known after the first call. */
static uint32_t einc_known_cpu_aarch64;

static inline int einc_cpu_aarch64(uint32_t features) {
  uint32_t known = __atomic_load_n(&einc_known_cpu_aarch64, __ATOMIC_RELAXED);
  if (known == 0)
    __atomic_store_n(&einc_known_cpu_aarch64, known = einc_find_cpu_aarch64(), __ATOMIC_RELAXED);
  return (known & features) == features;
}
