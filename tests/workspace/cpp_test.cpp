// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Two libraries in one C++ program: their headers together, and a def that both have.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "kernels/linear.h"
#include "strided.h"
#include "threaded.h"

namespace {

int passed = 0;
int failed = 0;

void check(const char* what, bool ok) {
  ++(ok ? passed : failed);
  if (!ok) std::printf("failed: %s\n", what);
}

template <size_t N>
einc_memref_f32_1 vector(std::array<float, N>& data) {
  return {data.data(), data.data(), 0, {static_cast<int64_t>(N)}, {1}};
}

einc_memref_f32_2 matrix(float* data, int64_t rows, int64_t columns) {
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

void testConvWithFixedStride() {
  std::array<float, 7> input = {1, 2, 3, 4, 5, 6, 7};
  std::array<float, 3> kernel = {1, 10, 100};
  std::array<float, 3> output = {};
  auto I = vector(input), K = vector(kernel), O = vector(output);
  check("conv: status", fixed_conv(&I, &K, &O) == 0);
  check("conv: values", output == std::array<float, 3>{321, 543, 765});
}

void testBothMatmuls() {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
  float c[4] = {}, d[4] = {};
  auto A = matrix(a, 2, 3), B = matrix(b, 3, 2), C = matrix(c, 2, 2), D = matrix(d, 2, 2);
  check("matmul: status", matmul(&A, &B, &C) == 0);
  check("fixed_matmul: status", fixed_matmul(&A, &B, &D) == 0);
  check("matmul: values", c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
  check("fixed_matmul: values", d[0] == 4 && d[1] == 5 && d[2] == 10 && d[3] == 11);
}

void testFixedSizeIsChecked() {
  float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4] = {};
  auto A = matrix(a, 2, 2), B = matrix(b, 2, 2), C = matrix(c, 2, 2);
  check("matmul: any K", matmul(&A, &B, &C) == 0);
  check("fixed_matmul: K is 3", fixed_matmul(&A, &B, &C) < 0);
}

// Large enough to be shared out; all numbers are exact.
void testThreads() {
  constexpr int64_t n = 300;
  std::vector<float> a(n * n), b(n * n), c(n * n), d(n * n);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  auto A = matrix(a.data(), n, n), B = matrix(b.data(), n, n);
  auto C = matrix(c.data(), n, n), D = matrix(d.data(), n, n);
  check("threads: status", threaded_matmul(&A, &B, &C) == 0 && matmul(&A, &B, &D) == 0);
  check("threads: values", c == d && d[1] != 0);
}

}  // namespace

int main() {
  testConvWithFixedStride();
  testBothMatmuls();
  testFixedSizeIsChecked();
  testThreads();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
