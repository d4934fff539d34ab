/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Sines and tangents, after functions.glsl, of which all is said that holds for
 * these, too. */

/*@ two_over_pi_f32: */
/* The binary digits of 2 / pi as words of 32, after two that are zero; not all of them. (Drivers
 * would build an array anew wherever it is used.) */
uint einc_two_over_pi_f32(uint i) {
  return i == 2   ? 0xa2f9836eu
         : i == 3 ? 0x4e441529u
         : i == 4 ? 0xfc2757d1u
         : i == 5 ? 0xf534ddc0u
         : i == 6 ? 0xdb629599u
         : i == 7 ? 0x3c439041u
         : i == 8 ? 0xfe5163abu
                  : 0u;
}

/*@ two_over_pi_f64: */
/* The binary digits of 2 / pi as words of 32, after two that are zero. (Drivers would build an
 * array anew wherever it is used.) */
uint einc_two_over_pi_f64(uint i) {
  return i == 2    ? 0xa2f9836eu
         : i == 3  ? 0x4e441529u
         : i == 4  ? 0xfc2757d1u
         : i == 5  ? 0xf534ddc0u
         : i == 6  ? 0xdb629599u
         : i == 7  ? 0x3c439041u
         : i == 8  ? 0xfe5163abu
         : i == 9  ? 0xdebbc561u
         : i == 10 ? 0xb7246e3au
         : i == 11 ? 0x424dd2e0u
         : i == 12 ? 0x06492eeau
         : i == 13 ? 0x09d1921cu
         : i == 14 ? 0xfe1deb1cu
         : i == 15 ? 0xb129a73eu
         : i == 16 ? 0xe88235f5u
         : i == 17 ? 0x2ebb4484u
         : i == 18 ? 0xe99c7026u
         : i == 19 ? 0xb45f7e41u
         : i == 20 ? 0x3991d639u
         : i == 21 ? 0x835339f4u
         : i == 22 ? 0x9c845f8bu
         : i == 23 ? 0xbdf9283bu
         : i == 24 ? 0x1ff897ffu
         : i == 25 ? 0xde05980fu
         : i == 26 ? 0xef2f118bu
         : i == 27 ? 0x5a0a6d1fu
         : i == 28 ? 0x6d367ecfu
         : i == 29 ? 0x27cb09b7u
         : i == 30 ? 0x4f463f66u
         : i == 31 ? 0x9e5fea2du
         : i == 32 ? 0x7527bac7u
         : i == 33 ? 0xebe5f17bu
         : i == 34 ? 0x3d0739f7u
         : i == 35 ? 0x8a5292eau
         : i == 36 ? 0x6bfb5fb1u
         : i == 37 ? 0x1f8d5d08u
         : i == 38 ? 0x56033046u
         : i == 39 ? 0xfc7b6babu
                   : 0u;
}

/*@ shifted: */
/* 32 binary digits, from one of the first word on. */
uint einc_shifted(uint first, uint second, uint shift) {
  return shift == 0 ? first : first << shift | second >> 32 - shift;
}

/*@ reduce_far_f32: product_f32 two_over_pi_f32 shifted */
/* As reduce, for large numbers (Payne and Hanek 1983): x = d 2^e is multiplied by those digits of
 * 2 / pi that are less than 4 / 2^e. The product is held in 64 binary digits, two before the
 * point. */
precise vec3 einc_reduce_far_f32(float x) {
  const uint bits = floatBitsToUint(x), d = bits & 0x007fffffu | 0x00800000u;
  const uint at = (bits >> 23 & 255u) - 88, word = at >> 5, shift = at & 31;
  const uint second = einc_two_over_pi_f32(word + 1), third = einc_two_over_pi_f32(word + 2);
  uint high0, low0, high1, low1;
  umulExtended(d, einc_shifted(third, einc_two_over_pi_f32(word + 3), shift), high0, low0);
  umulExtended(d, einc_shifted(second, third, shift), high1, low1);
  uint low = low1 + high0;
  uint high =
      d * einc_shifted(einc_two_over_pi_f32(word), second, shift) + high1 + (low < low1 ? 1u : 0u);
  /* The nearest integer, and what is left, from -1/2 to 1/2. */
  const uint n = high + 0x20000000u >> 30;
  high -= n << 30;
  const bool isNegative = int(high) < 0;
  if (isNegative) {
    low = -low;
    high = ~high + (low == 0 ? 1u : 0u);
  }
  const int zeros = high != 0 ? 31 - findMSB(high) : 63 - findMSB(low);
  if (zeros >= 32) {
    high = low << zeros - 32;
    low = 0;
  } else if (zeros > 0) {
    high = high << zeros | low >> 32 - zeros;
    low <<= zeros;
  }
  /* 24 digits and 24 more, times pi / 2. */
  const float a = float(high >> 8) * uintBitsToFloat(uint(127 - 22 - zeros) << 23);
  const float b =
      float((high & 255u) << 16 | low >> 16) * uintBitsToFloat(uint(127 - 46 - zeros) << 23);
  const vec2 p = einc_product_f32(a, 1.5707963);
  const float rest = p.y + (a * 7.54979e-8 + b * 1.5707963), r = p.x + rest;
  const float sign = x < 0.0 ? -1.0 : 1.0, side = isNegative ? -sign : sign;
  return vec3(side * r, side * ((p.x - r) + rest), sign * float(n));
}

/*@ reduce_far_f64: <f64> <int64> product_f64 two_over_pi_f64 shifted */
/* As reduce, for large numbers (Payne and Hanek 1983): x = d 2^e is multiplied by those digits of
 * 2 / pi that are less than 4 / 2^e. The product is held in 128 binary digits, two before the
 * point. */
precise dvec3 einc_reduce_far_f64(double x) {
  const uint64_t bits = doubleBitsToUint64(x),
                 d = bits & 0x000ffffffffffffful | 0x0010000000000000ul;
  const uint at = uint(bits >> 52 & 2047) - 1013, word = at >> 5;
  uint digits[6], words[6], next = einc_two_over_pi_f64(word + 6);
  for (int i = 5; i >= 0; --i) {
    const uint first = einc_two_over_pi_f64(word + i);
    digits[i] = einc_shifted(first, next, at & 31);
    next = first;
  }
  uint64_t sum = 0;
  for (int i = 5; i >= 0; --i) {
    sum = uint64_t(digits[i]) * uint(d) + (sum >> 32);
    words[i] = uint(sum);
  }
  sum = 0;
  for (int i = 5; i > 0; --i) {
    sum = uint64_t(digits[i]) * uint(d >> 32) + words[i - 1] + (sum >> 32);
    words[i - 1] = uint(sum);
  }
  uint64_t high = uint64_t(words[0]) << 32 | words[1], low = uint64_t(words[2]) << 32 | words[3];
  /* The nearest integer, and what is left, from -1/2 to 1/2. */
  const uint64_t n = high + 0x2000000000000000ul >> 62;
  high -= n << 62;
  const bool isNegative = int64_t(high) < 0;
  if (isNegative) {
    low = -low;
    high = ~high + (low == 0 ? 1 : 0);
  }
  /* Never more than 63 of them are zero. */
  const int top = findMSB(uint(high >> 32));
  const int zeros = top >= 0 ? 31 - top : 63 - findMSB(uint(high));
  if (zeros > 0) {
    high = high << zeros | low >> 64 - zeros;
    low <<= zeros;
  }
  /* 53 digits and 53 more, times pi / 2. */
  const double a = double(high >> 11) * uint64BitsToDouble(uint64_t(1023 - 51 - zeros) << 52);
  const double b = double((high & 2047) << 42 | low >> 22) *
                   uint64BitsToDouble(uint64_t(1023 - 104 - zeros) << 52);
  const dvec2 p = einc_product_f64(a, 1.5707963267948966lf);
  const double rest = p.y + (a * 6.123233995736766e-17lf + b * 1.5707963267948966lf);
  const double r = p.x + rest, sign = x < 0.0lf ? -1.0lf : 1.0lf, side = isNegative ? -sign : sign;
  return dvec3(side * r, side * ((p.x - r) + rest), sign * double(n));
}

/*@ reduce_f32: is_finite_f32 nan_f32 reduce_far_f32 */
/* x = n pi / 2 + r, |r| <= pi / 4: r as a number and what it lacks, and n or a multiple of 4 off
 * that. Up to some thousands n times the first parts of pi / 2 is exact (Cody and Waite). */
precise vec3 einc_reduce_f32(float x) {
  if (!einc_is_finite_f32(x)) return vec3(einc_nan_f32());
  if (abs(x) < 0.7853981) return vec3(x, 0.0, 0.0);
  if (abs(x) > 6000.0) return einc_reduce_far_f32(x);
  const float n = floor(x * 0.63661975 + 0.5);
  const float a = x - n * 1.5703125, b = n * 0.0004837513, c = a - b;
  const float d = n * 7.5495336e-8, r = c - d;
  const float rest = ((c - r) - d) + (((a - c) - b) - n * 2.563344e-12), s = r + rest;
  return vec3(s, (r - s) + rest, n);
}

/*@ reduce_f64: <f64> is_finite_f64 nan_f64 reduce_far_f64 */
/* x = n pi / 2 + r, |r| <= pi / 4: r as a number and what it lacks, and n or a multiple of 4 off
 * that. Up to a million n times the first parts of pi / 2 is exact (Cody and Waite). */
precise dvec3 einc_reduce_f64(double x) {
  if (!einc_is_finite_f64(x)) return dvec3(einc_nan_f64());
  if (abs(x) < 0.7853981633974483lf) return dvec3(x, 0.0lf, 0.0lf);
  if (abs(x) > 1.5e6lf) return einc_reduce_far_f64(x);
  const double n = floor(x * 0.6366197723675814lf + 0.5lf);
  const double a = x - n * 1.5707963267341256lf, b = n * 6.077100506303966e-11lf, c = a - b;
  const double d = n * 2.0222662487111665e-21lf, r = c - d;
  const double rest = ((c - r) - d) + (((a - c) - b) - n * 8.4784276603689e-32lf), s = r + rest;
  return dvec3(s, (r - s) + rest, n);
}

/*@ sin_near_f32: */
/* sin(x + rest), |x| <= pi / 4. */
precise float einc_sin_near_f32(float x, float rest) {
  if (abs(x) < 2.44140625e-4) return x;
  const float z = x * x;
  /* (sin x / x - 1) / z, minimax */
  float p = z * -0.00019514085 + 0.008332155;
  p = p * z - 0.16666655;
  return x + (x * z * p + rest * (1.0 - z * 0.5));
}

/*@ sin_near_f64: <f64> */
/* sin(x + rest), |x| <= pi / 4. */
precise double einc_sin_near_f64(double x, double rest) {
  if (abs(x) < 7.450580596923828125e-9lf) return x;
  const double z = x * x;
  /* (sin x / x - 1) / z, minimax */
  double p = z * 1.5895213677262254e-10lf - 2.505073161250703e-08lf;
  p = p * z + 2.755731352811405e-06lf;
  p = p * z - 0.00019841269829352844lf;
  p = p * z + 0.008333333333321868lf;
  p = p * z - 0.1666666666666663lf;
  return x + (x * z * p + rest * (1.0lf - z * 0.5lf));
}

/*@ cos_near_f32: */
/* cos(x + rest), |x| <= pi / 4. */
precise float einc_cos_near_f32(float x, float rest) {
  const float z = x * x, h = z * 0.5, w = 1.0 - h;
  /* (cos x - 1 + z / 2) / z^2, minimax */
  float p = z * 2.4434847e-5 - 0.0013887337;
  p = p * z + 0.041666646;
  return w + (((1.0 - w) - h) + (z * z * p - x * rest));
}

/*@ cos_near_f64: <f64> */
/* cos(x + rest), |x| <= pi / 4. */
precise double einc_cos_near_f64(double x, double rest) {
  const double z = x * x, h = z * 0.5lf, w = 1.0lf - h;
  /* (cos x - 1 + z / 2) / z^2, minimax */
  double p = z * -1.1358564396195586e-11lf + 2.0875702982170558e-09lf;
  p = p * z - 2.7557314208078967e-07lf;
  p = p * z + 2.4801587289001696e-05lf;
  p = p * z - 0.0013888888888873387lf;
  p = p * z + 0.041666666666666595lf;
  return w + (((1.0lf - w) - h) + (z * z * p - x * rest));
}

/*@ turned_f32: sin_near_f32 cos_near_f32 */
/* The sine of r after so many quarter turns. */
precise float einc_turned_f32(vec3 r, int turns) {
  const float y = (turns & 1) == 0 ? einc_sin_near_f32(r.x, r.y) : einc_cos_near_f32(r.x, r.y);
  return (turns & 2) == 0 ? y : -y;
}

/*@ sin_f32: reduce_f32 turned_f32 */
/* At most 0.9 ulps off. */
precise float einc_sin_f32(float x) {
  const vec3 r = einc_reduce_f32(x);
  return einc_turned_f32(r, int(r.z));
}

/*@ cos_f32: reduce_f32 turned_f32 */
/* At most 0.9 ulps off. */
precise float einc_cos_f32(float x) {
  const vec3 r = einc_reduce_f32(x);
  return einc_turned_f32(r, int(r.z) + 1);
}

/*@ tan_f32: reduce_f32 sin_near_f32 cos_near_f32 */
/* At most 2.3 ulps off. */
precise float einc_tan_f32(float x) {
  const vec3 r = einc_reduce_f32(x);
  const float s = einc_sin_near_f32(r.x, r.y), c = einc_cos_near_f32(r.x, r.y);
  return (int(r.z) & 1) == 0 ? s / c : -c / s;
}
