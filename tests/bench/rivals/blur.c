// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Blurs as Halide's published schedule does them, by hand: strips of lines, in which the first stage
// runs ahead of the second by what its window needs (a ring of lines that stays in the cache), and
// vectors along the lines. The output is (height, width), the input has what windows need beside and
// below that.
#include "common.h"

enum { STRIP = 32, RING = 4 };

// I, row, column, O: three columns, then three rows, as in Halide's paper.
void blur(float **t, long height, long width) {
  const long pitch = width + 2, rows = (width + 63) / 64 * 64;
  float *ring = kept(0, RING * rows);
  const float r[] = {t[1][0], t[1][1], t[1][2]}, w[] = {t[2][0], t[2][1], t[2][2]};
  for (long strip = 0; strip < height; strip += STRIP) {
    const long end = strip + STRIP < height ? strip + STRIP : height;
    for (long y = strip; y < end + 2; ++y) {
      const float *from = t[0] + y * pitch;
      float *to = ring + y % RING * rows;
      for (long x = 0; x < width; ++x)
        to[x] = from[x] * r[0] + from[x + 1] * r[1] + from[x + 2] * r[2];
      if (y < strip + 2) continue;
      const float *a = ring + (y - 2) % RING * rows, *b = ring + (y - 1) % RING * rows, *c = to;
      float *out = t[3] + (y - 2) * width;
      for (long x = 0; x < width; ++x) out[x] = a[x] * w[0] + b[x] * w[1] + c[x] * w[2];
    }
  }
}

static void of_nine(const float *a, const float *b, const float *c, const float *w, float *to,
                    long width) {
  for (long x = 0; x < width; ++x)
    to[x] = a[x] * w[0] + a[x + 1] * w[1] + a[x + 2] * w[2] + b[x] * w[3] + b[x + 1] * w[4] +
            b[x + 2] * w[5] + c[x] * w[6] + c[x + 1] * w[7] + c[x + 2] * w[8];
}

// I, window, O: 3 x 3, twice.
void blur_twice(float **t, long height, long width) {
  const long pitch = width + 4, rows = (width + 2 + 63) / 64 * 64;
  float *ring = kept(1, RING * rows);
  for (long strip = 0; strip < height; strip += STRIP) {
    const long end = strip + STRIP < height ? strip + STRIP : height;
    for (long y = strip; y < end + 2; ++y) {
      const float *from = t[0] + y * pitch;
      float *to = ring + y % RING * rows;
      of_nine(from, from + pitch, from + 2 * pitch, t[1], to, width + 2);
      if (y < strip + 2) continue;
      of_nine(ring + (y - 2) % RING * rows, ring + (y - 1) % RING * rows, to, t[1],
              t[2] + (y - 2) * width, width);
    }
  }
}
