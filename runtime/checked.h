// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Checked 64-bit arithmetic for the runtime's own sources (not installed; C99, no extensions).
// Each function returns 1 and stores the result, or returns 0 and stores nothing on overflow.
#ifndef EINC_RUNTIME_CHECKED_H_
#define EINC_RUNTIME_CHECKED_H_

#include <stdint.h>

static inline int einc_checked_add(int64_t a, int64_t b, int64_t *sum) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 0;
  *sum = a + b;
  return 1;
}

static inline int einc_checked_sub(int64_t a, int64_t b, int64_t *difference) {
  if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return 0;
  *difference = a - b;
  return 1;
}

static inline int einc_checked_mul(int64_t a, int64_t b, int64_t *product) {
  if (a > 0) {
    if (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a) return 0;
  } else if (a < 0) {
    if (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a) return 0;
  }
  *product = a * b;
  return 1;
}

#endif  // EINC_RUNTIME_CHECKED_H_
