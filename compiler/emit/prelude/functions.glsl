/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Functions of mathematics, beside those of functions.h and curves.h, from which GlslPrelude makes
 * the GLSL itself. Chunks as in scalars.glsl: those for f32 serve f64, unless that has its own. It
 * compiles behind scalars.glsl and what is made of those.
 *
 * GLSL has such functions for float alone, and Vulkan lets them be far off. These are precise:
 * their operations are rounded one by one, and none is fused with another. Their polynomials are
 * minimax ones; coefficients.py computes them. Errors are in units in the last place (ulps), the
 * greatest that was measured on a device that divides and takes roots as IEEE 754 says:
 * tests/prelude/glsl_functions_test.cpp. (Vulkan allows divisions to be 2.5 ulps off.) Results
 * below the least normal number may be flushed to zero, as may arguments. */

/*@ is_finite_f32: */
bool einc_is_finite_f32(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

/*@ is_finite_f64: <f64> <int64> */
bool einc_is_finite_f64(double x) {
  return (doubleBitsToUint64(x) & 0x7ff0000000000000ul) != 0x7ff0000000000000ul;
}

/*@ infinity_f32: */
float einc_infinity_f32() { return uintBitsToFloat(0x7f800000u); }

/*@ infinity_f64: <f64> <int64> */
double einc_infinity_f64() { return uint64BitsToDouble(0x7ff0000000000000ul); }

/*@ nan_f32: */
float einc_nan_f32() { return uintBitsToFloat(0x7fc00000u); }

/*@ nan_f64: <f64> <int64> */
double einc_nan_f64() { return uint64BitsToDouble(0x7ff8000000000000ul); }

/*@ top_f32: */
/* Its first 12 digits. */
float einc_top_f32(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u); }

/*@ top_f64: <f64> <int64> */
/* Its first 26 digits. */
double einc_top_f64(double x) {
  return uint64BitsToDouble(doubleBitsToUint64(x) & 0xfffffffff8000000ul);
}

/*@ product_f32: top_f32 */
/* a * b, and by how much that is less than the product (Dekker 1971). */
precise vec2 einc_product_f32(float a, float b) {
  const float p = a * b, aTop = einc_top_f32(a), bTop = einc_top_f32(b);
  const float aRest = a - aTop, bRest = b - bTop;
  return vec2(p, ((aTop * bTop - p) + aTop * bRest + aRest * bTop) + aRest * bRest);
}

/*@ log2_parts_f32: top_f32 exponent_f32 fraction_f32 */
/* log2 of a positive number as a number of 12 digits and what it lacks, by the method of fdlibm's
 * pow: with s = f / (2 + f) and z = s^2, log(1 + f) = 2/3 s (3 + z + z^2 p(z)), and 3 / (2 log 2),
 * s and the sum are held in two parts each. */
precise vec2 einc_log2_parts_f32(float x) {
  const float a = x < 1.1754944e-38 ? x * 33554432.0 : x;
  const float k = einc_exponent_f32(a) - (x < 1.1754944e-38 ? 25.0 : 0.0);
  const float f = einc_fraction_f32(a), sum = f + 2.0, s = f / sum;
  const float sTop = einc_top_f32(s), sumTop = einc_top_f32(sum);
  const float sRest = ((f - sTop * sumTop) - sTop * (f - (sumTop - 2.0))) / sum;
  const float z = s * s;
  float p = z * 0.3512973 + 0.42820626;
  p = p * z + 0.6000023;
  const float zTop = sTop * sTop, tail = sRest * (sTop + s) + z * z * p;
  const float uTop = einc_top_f32(3.0 + zTop + tail), uRest = tail - ((uTop - 3.0) - zTop);
  const float v = sTop * uTop, w = sRest * uTop + uRest * s;
  const float vTop = einc_top_f32(v + w), vRest = w - (vTop - v);
  const float high = vTop * 0.9616699;
  const float low = vTop * 0.00012677205 + vRest * 0.9617967;
  const float top = einc_top_f32(high + low + k);
  return vec2(top, low - ((top - k) - high));
}

/*@ log2_parts_f64: <f64> top_f64 exponent_f64 fraction_f64 */
/* log2 of a positive number as a number of 26 digits and what it lacks, by the method of fdlibm's
 * pow: with s = f / (2 + f) and z = s^2, log(1 + f) = 2/3 s (3 + z + z^2 p(z)), and 3 / (2 log 2),
 * s and the sum are held in two parts each. */
precise dvec2 einc_log2_parts_f64(double x) {
  const double a = x < 2.2250738585072014e-308lf ? x * 18014398509481984.0lf : x;
  const double k = einc_exponent_f64(a) - (x < 2.2250738585072014e-308lf ? 54.0lf : 0.0lf);
  const double f = einc_fraction_f64(a), sum = f + 2.0lf, s = f / sum;
  const double sTop = einc_top_f64(s), sumTop = einc_top_f64(sum);
  const double sRest = ((f - sTop * sumTop) - sTop * (f - (sumTop - 2.0lf))) / sum;
  const double z = s * s;
  double p = z * 0.19796623023784107lf + 0.19885003481188865lf;
  p = p * z + 0.23080145288512918lf;
  p = p * z + 0.27272676355738773lf;
  p = p * z + 0.3333333378202919lf;
  p = p * z + 0.4285714285513785lf;
  p = p * z + 0.6000000000000341lf;
  const double zTop = sTop * sTop, tail = sRest * (sTop + s) + z * z * p;
  const double uTop = einc_top_f64(3.0lf + zTop + tail), uRest = tail - ((uTop - 3.0lf) - zTop);
  const double v = sTop * uTop, w = sRest * uTop + uRest * s;
  const double vTop = einc_top_f64(v + w), vRest = w - (vTop - v);
  const double high = vTop * 0.9617966860532761lf;
  const double low = vTop * 7.872699542894897e-09lf + vRest * 0.9617966939259756lf;
  const double top = einc_top_f64(high + low + k);
  return dvec2(top, low - ((top - k) - high));
}

/*@ exp2_parts_f32: scale_f32 exp2_f32 */
/* 2^(high + low). */
precise float einc_exp2_parts_f32(float high, float low) {
  const float a = clamp(high, -200.0, 200.0), t = a + 12582912.0;
  return einc_scale_f32(einc_exp2_f32((a - (t - 12582912.0)) + (a == high ? low : 0.0)), t);
}

/*@ exp2_parts_f64: <f64> scale_f64 exp2_f64 */
/* 2^(high + low). */
precise double einc_exp2_parts_f64(double high, double low) {
  const double a = clamp(high, -1200.0lf, 1200.0lf), t = a + 6755399441055744.0lf;
  return einc_scale_f64(einc_exp2_f64((a - (t - 6755399441055744.0lf)) + (a == high ? low : 0.0lf)),
                        t);
}

/*@ pow_f32: is_nan_f32 nan_f32 infinity_f32 copysign_f32 top_f32 log2_parts_f32 exp2_parts_f32 */
/* 2^(y log2 |x|), with the logarithm and the product in two parts; then what C's pow says of
 * negative x, zero, infinity and NaN. At most 1.5 ulps off. */
precise float einc_pow_f32(float x, float y) {
  const float a = abs(x);
  if (x == 1.0 || y == 0.0) return 1.0;
  if (einc_is_nan_f32(x)) return x;
  if (einc_is_nan_f32(y)) return y;
  /* Whatever x is: beyond 2^70 the power is 0, 1 or infinity. */
  const float n = clamp(y, -1180591620717411303424.0, 1180591620717411303424.0);
  const float top = einc_top_f32(n), infinity = einc_infinity_f32();
  const vec2 log2x = einc_log2_parts_f32(a);
  float power = einc_exp2_parts_f32(top * log2x.x, (n - top) * log2x.x + n * log2x.y);
  if (a == 0.0 || a == infinity) power = (a == 0.0) == (y < 0.0) ? infinity : 0.0;
  if (einc_copysign_f32(1.0, x) > 0.0) return power;
  if (y == floor(y)) return y * 0.5 == floor(y * 0.5) ? power : -power;
  return a == 0.0 || a == infinity ? power : einc_nan_f32();
}

/*@ rem_f32: copysign_f32 nan_f32 */
/* As C's fmod, exact: a long division of the digits, 8 at a time. */
precise float einc_rem_f32(float x, float y) {
  const uint a = floatBitsToUint(x) & 0x7fffffffu, b = floatBitsToUint(y) & 0x7fffffffu;
  if (a >= 0x7f800000u || b > 0x7f800000u || b == 0) return einc_nan_f32();
  if (a < b) return x;
  /* Subnormal numbers have the exponent of the least normal ones, and no hidden digit. */
  const int exponent = max(int(b >> 23), 1);
  const uint divisor = b >> 23 == 0 ? b : b & 0x007fffffu | 0x00800000u;
  uint rest = (a >> 23 == 0 ? a : a & 0x007fffffu | 0x00800000u) % divisor;
  for (int left = max(int(a >> 23), 1) - exponent; left > 0; left -= 8)
    rest = (rest << min(left, 8)) % divisor;
  if (rest == 0) return einc_copysign_f32(0.0, x);
  const int shift = min(23 - findMSB(rest), exponent - 1);
  return einc_copysign_f32(uintBitsToFloat((rest << shift) + (uint(exponent - shift - 1) << 23)),
                           x);
}

/*@ rem_f64: <f64> <int64> copysign_f64 nan_f64 */
/* As C's fmod, exact: a long division of the digits, 11 at a time. */
precise double einc_rem_f64(double x, double y) {
  const uint64_t a = doubleBitsToUint64(x) & 0x7ffffffffffffffful;
  const uint64_t b = doubleBitsToUint64(y) & 0x7ffffffffffffffful;
  if (a >= 0x7ff0000000000000ul || b > 0x7ff0000000000000ul || b == 0) return einc_nan_f64();
  if (a < b) return x;
  /* Subnormal numbers have the exponent of the least normal ones, and no hidden digit. */
  const int exponent = max(int(b >> 52), 1);
  const uint64_t hidden = 0x0010000000000000ul;
  const uint64_t divisor = b >> 52 == 0 ? b : b & hidden - 1 | hidden;
  uint64_t rest = (a >> 52 == 0 ? a : a & hidden - 1 | hidden) % divisor;
  for (int left = max(int(a >> 52), 1) - exponent; left > 0; left -= 11)
    rest = (rest << min(left, 11)) % divisor;
  if (rest == 0) return einc_copysign_f64(0.0lf, x);
  const int top = findMSB(uint(rest >> 32));
  const int shift = min(52 - (top >= 0 ? 32 + top : findMSB(uint(rest))), exponent - 1);
  return einc_copysign_f64(
      uint64BitsToDouble((rest << shift) + (uint64_t(exponent - shift - 1) << 52)), x);
}
