/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Kernels called from C, on small whole numbers, so that results are exact. */
#include <stdio.h>

#include "linear.h"

static int passed, failed;

static void check(const char *what, int ok) {
  if (ok) {
    ++passed;
  } else {
    ++failed;
    printf("failed: %s\n", what);
  }
}

static einc_memref_f32_2 matrix(float *data, int64_t rows, int64_t columns) {
  einc_memref_f32_2 view;
  view.allocated = view.aligned = data;
  view.offset = 0;
  view.sizes[0] = rows;
  view.sizes[1] = columns;
  view.strides[0] = columns;
  view.strides[1] = 1;
  return view;
}

static einc_memref_f32_1 vector(float *data, int64_t size) {
  einc_memref_f32_1 view;
  view.allocated = view.aligned = data;
  view.offset = 0;
  view.sizes[0] = size;
  view.strides[0] = 1;
  return view;
}

static void test_matmul_accumulates(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
  einc_memref_f32_2 A = matrix(a, 2, 3), B = matrix(b, 3, 2), C = matrix(c, 2, 2);
  check("matmul: status", matmul(&A, &B, &C) == 0);
  check("matmul: values", c[0] == 14 && c[1] == 25 && c[2] == 40 && c[3] == 51);
}

static void test_matmul_refuses(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
  einc_memref_f32_2 A = matrix(a, 2, 3), B = matrix(b, 2, 3), C = matrix(c, 2, 2);
  check("matmul: sizes that disagree", matmul(&A, &B, &C) < 0);
  check("matmul: null", matmul(NULL, &B, &C) < 0);
  check("matmul: output untouched", c[0] == 10 && c[3] == 40);
}

static void test_add_overwrites(void) {
  float a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, c[3] = {-1, -1, -1};
  einc_memref_f32_1 A = vector(a, 3), B = vector(b, 3), C = vector(c, 3);
  check("add: status", add(&A, &B, &C) == 0);
  check("add: values", c[0] == 11 && c[1] == 22 && c[2] == 33);
}

int main(void) {
  test_matmul_accumulates();
  test_matmul_refuses();
  test_add_overwrites();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
