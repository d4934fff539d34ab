// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a function of mathematics costs: loops over arrays that lie in the first cache. Functions of vectors come
// from a library, by address (ways in, one vector or two); the others are what the compiler makes
// of plain C.
#include <stdint.h>

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

typedef float floats __attribute__((vector_size(BYTES)));
typedef double doubles __attribute__((vector_size(BYTES)));

int limits_vector_bytes(void) { return BYTES; }

// The peak of `einc bench`, again and again.
void limits_repeat(void (*run)(void), long runs) {
  for (long i = 0; i < runs; ++i) run();
}

// Once more from the start, as far as the compiler knows.
#define AGAIN(runs) \
  for (long again = 0; again < (runs); ++again, ({ __asm__ volatile("" ::: "memory"); }))

// Additions of integers in registers, in independent chains. Where they issue faster than
// multiply-adds do, so do comparisons and logic.
enum { CHAINS = BYTES == 64 ? 24 : 12 };
#if defined(__AVX512F__)
#define IN_REGISTER "v"
#elif defined(__x86_64__)
#define IN_REGISTER "x"
#else
#define IN_REGISTER "w"
#endif
int limits_chains(void) { return CHAINS; }
int limits_add(long steps) {
  typedef int ints __attribute__((vector_size(BYTES)));
  ints one = {1}, sum[CHAINS] = {{0}};
  for (long k = 0; k < steps; ++k)
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; ++i) {
      sum[i] += one;
      __asm__("" : "+" IN_REGISTER(sum[i]));  // one after the other, not steps of them at once
    }
  for (int i = 1; i < CHAINS; ++i) sum[0] += sum[i];
  return sum[0][0];
}

// The same of products of integers, which take longer, or several instructions.
#define PRODUCTS(name, type)                                                \
  int name(long steps) {                                                    \
    typedef type ints __attribute__((vector_size(BYTES)));                  \
    ints factor = {3}, product[CHAINS];                                     \
    __asm__("" : "+" IN_REGISTER(factor)); /* it may be anything */         \
    for (int i = 0; i < CHAINS; ++i) product[i] = factor + (type)i;         \
    for (long k = 0; k < steps; ++k)                                        \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; ++i) { \
        product[i] *= factor;                                               \
        __asm__("" : "+" IN_REGISTER(product[i]));                          \
      }                                                                     \
    for (int i = 1; i < CHAINS; ++i) product[0] += product[i];              \
    return (int)product[0][0];                                              \
  }
PRODUCTS(limits_mul_32, int32_t)
PRODUCTS(limits_mul_64, int64_t)

#define OF_VECTORS(name, vector)                                                              \
  void name##_1(vector (*f)(vector), const vector *a, const vector *b, vector *c, long bytes, \
                long runs) {                                                                  \
    (void)b;                                                                                  \
    AGAIN(runs) for (long i = 0; i < bytes / BYTES; ++i) c[i] = f(a[i]);                      \
  }                                                                                           \
  void name##_2(vector (*f)(vector, vector), const vector *a, const vector *b, vector *c,     \
                long bytes, long runs) {                                                      \
    AGAIN(runs) for (long i = 0; i < bytes / BYTES; ++i) c[i] = f(a[i], b[i]);                \
  }
OF_VECTORS(f32, floats)
OF_VECTORS(f64, doubles)

#define PLAIN(name, type, expression)                                                             \
  void name(const void *unused, const type *restrict a, const type *restrict b, type *restrict c, \
            long bytes, long runs) {                                                              \
    (void)unused, (void)b;                                                                        \
    AGAIN(runs) for (long i = 0; i < bytes / (long)sizeof(type); ++i) c[i] = (type)(expression);  \
  }
PLAIN(div_f32, float, a[i] / b[i])
PLAIN(div_f64, double, a[i] / b[i])
PLAIN(reciprocal_f32, float, 1 / a[i])
PLAIN(reciprocal_f64, double, 1 / a[i])
PLAIN(sqrt_f32, float, __builtin_sqrtf(a[i]))
PLAIN(sqrt_f64, double, __builtin_sqrt(a[i]))
PLAIN(rsqrt_f32, float, 1 / __builtin_sqrtf(a[i]))
PLAIN(rsqrt_f64, double, 1 / __builtin_sqrt(a[i]))
// The quotient of integers that a float holds, rounded, is in the right place after truncation.
PLAIN(div_i8, int8_t, (float)a[i] / (float)b[i])
PLAIN(div_u8, uint8_t, (float)a[i] / (float)b[i])
PLAIN(div_i16, int16_t, (int)((float)a[i] / (float)b[i]))
PLAIN(div_u16, uint16_t, (int)((float)a[i] / (float)b[i]))
PLAIN(div_i32, int32_t, (double)a[i] / (double)b[i])
PLAIN(div_u32, uint32_t, (double)a[i] / (double)b[i])
PLAIN(div_i64, int64_t, a[i] / b[i])
PLAIN(div_u64, uint64_t, a[i] / b[i])
