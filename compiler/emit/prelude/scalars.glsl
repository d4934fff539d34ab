/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Scalar functions of generated shaders, for every input as compiler/ir/functions.def defines them.
 * GlslPrelude takes the chunks that a shader uses, each from its marker to the next one, those it
 * names behind the colon first; <f64> and <int64> there are what a device has to be able to do.
 * Chunks for i32, u32 and f32 serve i64, u64 and f64 with the types' names replaced, and the
 * numbers 31 and 32 by 63 and 64. Narrower integers are wrapped 32-bit ones. With a main function
 * this file compiles as it stands.
 *
 * Vulkan lets devices assume that there are no NaN, so these are told by their bits. Divisors are
 * made harmless before the division: devices may divide on both sides of a choice. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

/*@ div_i32: */
int einc_div_i32(int a, int b) {
  const int quotient = a / (b == 0 || b == -1 ? 1 : b);
  return b == 0 ? 0 : b == -1 ? -a : quotient;
}

/*@ rem_i32: */
/* Not by %, which GLSL leaves open for negative numbers. */
int einc_rem_i32(int a, int b) {
  const int divisor = b == 0 || b == -1 ? 1 : b, rest = a - a / divisor * divisor;
  return b == 0 ? a : rest;
}

/*@ pow_i32: */
int einc_pow_i32(int a, int n) {
  int power = 1, square = a;
  if (n < 0) return a == 1 ? 1 : a == -1 ? ((n & 1) == 0 ? 1 : -1) : 0;
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) power *= square;
    square *= square;
  }
  return power;
}

/*@ square_i32: */
int einc_square_i32(int a) { return a * a; }

/*@ sign_i32: */
int einc_sign_i32(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

/*@ shl_i32: */
int einc_shl_i32(int a, int n) { return n < 0 || n >= 32 ? 0 : a << n; }

/*@ shr_i32: */
int einc_shr_i32(int a, int n) { return a >> (n < 0 || n >= 32 ? 31 : n); }

/*@ div_u32: */
uint einc_div_u32(uint a, uint b) {
  const uint quotient = a / (b == 0 ? 1 : b);
  return b == 0 ? 0 : quotient;
}

/*@ rem_u32: */
uint einc_rem_u32(uint a, uint b) {
  const uint rest = a % (b == 0 ? 1 : b);
  return b == 0 ? a : rest;
}

/*@ pow_u32: */
uint einc_pow_u32(uint a, uint n) {
  uint power = 1, square = a;
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) power *= square;
    square *= square;
  }
  return power;
}

/*@ square_u32: */
uint einc_square_u32(uint a) { return a * a; }

/*@ shl_u32: */
uint einc_shl_u32(uint a, uint n) { return n >= 32 ? 0 : a << n; }

/*@ shr_u32: */
uint einc_shr_u32(uint a, uint n) { return n >= 32 ? 0 : a >> n; }

/*@ and_bool: */
bool einc_and_bool(bool a, bool b) { return a && b; }

/*@ or_bool: */
bool einc_or_bool(bool a, bool b) { return a || b; }

/*@ is_nan_f32: */
bool einc_is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }

/*@ is_nan_f64: <f64> <int64> */
bool einc_is_nan_f64(double x) {
  return (doubleBitsToUint64(x) & 0x7ffffffffffffffful) > 0x7ff0000000000000ul;
}

/*@ order_f32: */
/* Integers in the order of the numbers, -0 before +0, NaN behind all. */
int einc_order_f32(float x) {
  const int bits = floatBitsToInt(x), ordered = bits ^ (bits >> 31 & 0x7fffffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : ordered;
}

/*@ order_f64: <f64> <int64> */
/* Integers in the order of the numbers, -0 before +0, NaN behind all. */
int64_t einc_order_f64(double x) {
  const int64_t bits = doubleBitsToInt64(x), last = 0x7fffffffffffffffl;
  const int64_t ordered = bits ^ (bits >> 63 & last);
  return (bits & last) > 0x7ff0000000000000l ? last : ordered;
}

/*@ copysign_f32: */
float einc_copysign_f32(float x, float sign) {
  return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu | floatBitsToUint(sign) & 0x80000000u);
}

/*@ copysign_f64: <f64> <int64> */
double einc_copysign_f64(double x, double sign) {
  return uint64BitsToDouble(doubleBitsToUint64(x) & 0x7ffffffffffffffful |
                            doubleBitsToUint64(sign) & 0x8000000000000000ul);
}

/*@ max_f32: order_f32 */
float einc_max_f32(float a, float b) { return einc_order_f32(a) > einc_order_f32(b) ? a : b; }

/*@ min_f32: order_f32 */
float einc_min_f32(float a, float b) { return einc_order_f32(-a) > einc_order_f32(-b) ? a : b; }

/*@ sign_f32: */
float einc_sign_f32(float x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }

/*@ square_f32: */
precise float einc_square_f32(float x) { return x * x; }

/*@ rsqrt_f32: */
/* At most 1.51 ulps off where division and root are rounded as IEEE 754 says. */
precise float einc_rsqrt_f32(float x) { return 1.0 / sqrt(x); }

/*@ round_f32: copysign_f32 */
precise float einc_round_f32(float x) {
  const float size = abs(x), near = floor(size);
  return einc_copysign_f32(size - near >= 0.5 ? near + 1.0 : near, x);
}

/*@ trunc_f64: <f64> copysign_f64 */
/* On CPUs without AVX-512, Mesa 22.3 has floor(double) right, but neither trunc nor roundEven. */
double einc_trunc_f64(double x) { return einc_copysign_f64(floor(abs(x)), x); }

/*@ roundeven_f64: <f64> copysign_f64 */
precise double einc_roundeven_f64(double x) {
  const double size = abs(x), near = floor(size), rest = size - near;
  const bool isOdd = floor(near * 0.5lf) * 2.0lf != near;
  const bool isUp = rest > 0.5lf || rest == 0.5lf && isOdd;
  return einc_copysign_f64(isUp ? near + 1.0lf : near, x);
}

/*@ to_i32_f32: is_nan_f32 */
int einc_to_i32_f32(float x) {
  if (einc_is_nan_f32(x)) return 0;
  if (x <= -2147483648.0) return -2147483647 - 1;
  if (x >= 2147483648.0) return 2147483647;
  return int(x);
}

/*@ to_u32_f32: is_nan_f32 */
uint einc_to_u32_f32(float x) {
  if (einc_is_nan_f32(x) || x <= 0.0) return 0;
  if (x >= 4294967296.0) return 0xffffffffu;
  return uint(x);
}

/*@ widen_i32: <int64> */
/* The same number, by its two words: Mesa 22.3's compiler takes int64_t(a) < 5 for false. */
int64_t einc_widen_i32(int a) { return packInt2x32(ivec2(a, a >> 31)); }

/*@ widen_u32: <int64> */
uint64_t einc_widen_u32(uint a) { return packUint2x32(uvec2(a, 0u)); }

/*@ to_i64_f32: <int64> is_nan_f32 */
int64_t einc_to_i64_f32(float x) {
  if (einc_is_nan_f32(x)) return 0;
  if (x <= -9223372036854775808.0) return -9223372036854775807l - 1l;
  if (x >= 9223372036854775808.0) return 9223372036854775807l;
  return int64_t(x);
}

/*@ to_u64_f32: <int64> is_nan_f32 */
uint64_t einc_to_u64_f32(float x) {
  if (einc_is_nan_f32(x) || x <= 0.0) return 0;
  if (x >= 18446744073709551616.0) return 0xfffffffffffffffful;
  return uint64_t(x);
}

/*@ odd_u32: */
/* To float, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once.
 */
precise float einc_odd_u32(uint a) {
  const int drop = max(findMSB(a) - 23, 0);
  const uint kept = a >> drop;
  return float(kept | (kept << drop != a ? 1u : 0u)) * float(1u << drop);
}

/*@ odd_u64: <int64> */
/* To float, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once.
 */
precise float einc_odd_u64(uint64_t a) {
  const uint high = uint(a >> 32);
  const int drop = max((high != 0 ? 32 + findMSB(high) : findMSB(uint(a))) - 23, 0);
  const uint64_t kept = a >> drop;
  return float(uint(kept) | (kept << drop != a ? 1u : 0u)) *
         uintBitsToFloat(uint(127 + drop) << 23);
}

/*@ odd_i32: odd_u32 */
precise float einc_odd_i32(int a) {
  const float magnitude = einc_odd_u32(uint(a < 0 ? -a : a));
  return a < 0 ? -magnitude : magnitude;
}

/*@ odd_f64: <f64> is_nan_f64 */
/* To float, rounded to odd: rounding that once more, to fewer digits, is as good as rounding once.
 * Whichever way the device rounds, it is to a neighbour. */
precise float einc_odd_f64(double x) {
  const float near = float(x);
  if (einc_is_nan_f64(x) || double(near) == x) return near;
  const uint bits = floatBitsToUint(near);
  const bool isBeyond = abs(double(near)) > abs(x);
  return uintBitsToFloat((isBeyond ? bits - 1 : bits) | 1u);
}

/*@ round_f16: */
/* To the digits that f16 has, once, ties to even; by integers, whatever way the device rounds. */
precise float einc_round_f16(float x) {
  const uint bits = floatBitsToUint(x), sign = bits & 0x80000000u;
  uint magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return x;                                    /* NaN */
  if (magnitude >= 0x477ff000u) return uintBitsToFloat(sign | 0x7f800000u); /* from 65520 on */
  if (magnitude < 0x33000000u) return uintBitsToFloat(sign);                /* up to 2^-25 */
  if (magnitude < 0x38800000u) {
    /* Below 2^-14 the last digit is 2^-24. */
    const uint significand = magnitude & 0x007fffffu | 0x00800000u, drop = 126 - (magnitude >> 23);
    const uint kept = significand + (1u << drop - 1) - 1 + (significand >> drop & 1) >> drop;
    magnitude = floatBitsToUint(float(kept) * 5.9604644775390625e-8);
  } else {
    magnitude = magnitude + 0x0fffu + (magnitude >> 13 & 1) & 0xffffe000u;
  }
  return uintBitsToFloat(sign | magnitude);
}

/*@ round_bf16: */
/* To the digits that bf16 has, once, ties to even; by integers, whatever way the device rounds. A
 * NaN is one that those digits hold. */
float einc_round_bf16(float x) {
  const uint bits = floatBitsToUint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return uintBitsToFloat(0x7fc00000u);
  return uintBitsToFloat(bits + 0x7fffu + (bits >> 16 & 1) & 0xffff0000u);
}

/*@ floordiv_i32: */
/* Rounds down; the divisor was checked. */
int einc_floordiv_i32(int a, int b) {
  const int quotient = a / b, rest = a - quotient * b;
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

/*@ ceildiv_i32: floordiv_i32 */
int einc_ceildiv_i32(int a, int b) { return -einc_floordiv_i32(-a, b); }

/*@ floormod_i32: */
/* Has the divisor's sign; the divisor was checked. */
int einc_floormod_i32(int a, int b) {
  const int rest = a - a / b * b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
