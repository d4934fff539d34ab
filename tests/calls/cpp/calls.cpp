// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Calls with what C++ programs have for tensors. Prints "well", or what is wrong.
#include "calls.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "again.h"
#include "runtime/memref.hpp"
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

namespace {

int failures = 0;
void expect(bool holds, const char *what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition)

// Somebody's own mdspan; as there, sizes are unsigned, and the rank is a function.
template <class T, std::size_t N>
struct Own {
  using index_type = unsigned;
  static constexpr std::size_t rank() { return N; }
  T *data;
  std::array<unsigned, N> sizes;
  std::array<long, N> strides;
  T *data_handle() const { return data; }
  index_type extent(std::size_t d) const { return sizes[d]; }
  long stride(std::size_t d) const { return strides[d]; }
};

// One that keeps its rank for itself, and whose handle is no pointer.
struct Handle {
  float *to;
  float &operator*() const { return *to; }
};
struct Dynamic {
  float *data;
  std::vector<long> sizes;
  Handle data_handle() const { return {data}; }
  long extent(int d) const { return sizes[static_cast<std::size_t>(d)]; }
  long stride(int d) const { return d == 0 ? sizes[1] : 1; }
};

// The least of an mdspan.
struct Bare {
  double *at;
  double *data_handle() const { return at; }
  int extent(int) const { return 3; }
  int stride(int) const { return -2; }
};

const float kA[2][3] = {{1, 2, 3}, {4, 5, 6}}, kB[3][2] = {{1, 0}, {0, 1}, {1, 1}};
const float kWanted[4] = {4, 0, 10, 1};

bool isWanted(const float *y) { return std::memcmp(y, kWanted, sizeof kWanted) == 0; }

void arraysAndRanges() {
  float y[2][2];
  const std::vector<float> bias = {0, -10};
  EXPECT(dense(kA, kB, bias, y) == EINC_OK && isWanted(&y[0][0]));
  std::array<float, 2> same = {0, -10};
  std::memset(y, 0, sizeof y);
  EXPECT(dense(kA, kB, same, y) == EINC_OK && isWanted(&y[0][0]));
#if defined(__cpp_lib_span)
  std::memset(y, 0, sizeof y);
  EXPECT(dense(kA, kB, std::span<const float>(bias), y) == EINC_OK && isWanted(&y[0][0]));
#endif
  double sum = 0;
  EXPECT(total(std::vector<double>{1, 2, 4}, sum) == EINC_OK && sum == 7);
  EXPECT(total(std::vector<double>{}, sum) == EINC_OK && sum == 0);
  // None for a number, as a view and as itself.
  EXPECT(total(std::vector<double>{3}, einc::view(&sum)) == EINC_OK && sum == 3);
}

void views() {
  std::vector<float> a(&kA[0][0], &kA[0][0] + 6), y(4);
  const float bias[2] = {0, -10};
  EXPECT(dense(einc::view(a.data(), 2, 3), kB, bias, einc::view(y.data(), 2u, 2L)) == EINC_OK);
  EXPECT(isWanted(y.data()));
  // The runtime's: B from its transpose.
  float turned[6] = {1, 0, 1, 0, 1, 1};
  einc::MemRef<float, 2> own(turned, {2, 3});
  const einc::MemRef<const float, 2> b = *own.transpose({1, 0});
  einc::MemRef<float, 2> result(y.data(), {2, 2});
  y.assign(4, 0);
  EXPECT(dense(kA, b, bias, result) == EINC_OK && isWanted(y.data()));
  // mdspan-like: rows of Y that lie apart, A from its end.
  float wide[8] = {};
  const Own<float, 2> rows{wide, {2, 2}, {4, 1}};
  EXPECT(dense(kA, kB, bias, rows) == EINC_OK);
  EXPECT(wide[0] == 4 && wide[1] == 0 && wide[2] == 0 && wide[4] == 10 && wide[5] == 1);
  y.assign(4, 0);
  EXPECT(dense(kA, kB, bias, Dynamic{y.data(), {2, 2}}) == EINC_OK && isWanted(y.data()));
  double numbers[5] = {1, 100, 2, 100, 4}, sum = 0;
  EXPECT(total(Bare{numbers + 4}, sum) == EINC_OK && sum == 7);
  // Descriptors by value, by pointer as in C, and beside others.
  einc_memref_f32_2 Y = {y.data(), y.data(), 0, {2, 2}, {2, 1}};
  y.assign(4, 0);
  EXPECT(dense(kA, kB, bias, Y) == EINC_OK && isWanted(y.data()));
  const einc_memref_f32_2 A = own.as<einc_memref_f32_2>();
  const einc_memref_f32_1 C = einc::MemRef<float, 1>(a.data(), {3}).as<einc_memref_f32_1>();
  einc_memref_f32_2 square = {a.data(), a.data(), 0, {3, 2}, {2, 1}};
  EXPECT(dense(&A, &square, &C, &Y) == EINC_SIZE_MISMATCH);
}

void statuses() {
  float y[2][2], few[1] = {0};
  EXPECT(dense(kA, kB, few, y) == EINC_SIZE_MISMATCH);
  EXPECT(dense_supported(kA, kB, few, y) == EINC_SIZE_MISMATCH);
  EXPECT(std::string(dense_explain(kA, kB, few, y)).find("differ") != std::string::npos);
  try {
    dense(einc::throwing, kA, kB, few, y);
    expect(false, "it is thrown");
  } catch (const einc::Error &error) {
    EXPECT(error.status() == EINC_SIZE_MISMATCH);
    EXPECT(std::string(error.what()) == "dense: sizes that must agree differ");
  }
  const float bias[2] = {0, -10};
  dense(einc::throwing, kA, kB, bias, y);
  EXPECT(isWanted(&y[0][0]));
  int64_t bytes = -1;
  EXPECT(dense_workspace(kA, kB, bias, y, &bytes) == EINC_OK && bytes >= 0);
  std::vector<unsigned char> memory(static_cast<std::size_t>(bytes) + 64);
  void *aligned = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
  std::memset(y, 0, sizeof y);
  EXPECT(dense_with_workspace(kA, kB, bias, y, aligned, bytes) == EINC_OK && isWanted(&y[0][0]));
  struct Own {
    einc_arena functions;
    void *memory;
  } own = {{[](einc_arena *arena, int64_t) { return reinterpret_cast<Own *>(arena)->memory; },
            [](einc_arena *, void *) {}},
           aligned};
  std::memset(y, 0, sizeof y);
  EXPECT(dense_in_arena(kA, kB, bias, y, &own.functions) == EINC_OK && isWanted(&y[0][0]));
  try {
    dense_in_arena(einc::throwing, kA, kB, bias, y, nullptr);
    expect(false, "it is thrown");
  } catch (const einc::Error &error) {
    EXPECT(error.status() == EINC_BAD_WORKSPACE);
  }
  try {
    dense_with_workspace(einc::throwing, kA, kB, bias, y, nullptr, int64_t{0});
    EXPECT(bytes == 0);
  } catch (const einc::Error &error) {
    EXPECT(error.status() == EINC_BAD_WORKSPACE);
  }
}

void numbers() {
  const int32_t a[2] = {1, 2};
  int64_t c[2];
  const std::vector<int64_t> list = {1, 2};
  // By default steps are 10 and 20, one is 3.
  EXPECT(with_numbers(a, 100, true, c, {}, {}, {0, 7}, {}, list) == EINC_OK && c[1] == 240);
  EXPECT(with_numbers(a, 100, false, c, nullptr, nullptr, {0, 7}, nullptr, {}) == EINC_OK &&
         c[1] == 40);
  EXPECT(with_numbers(a, 100, true, c, {1, 2}, 4, {0, 7}, 5, {1, 2, 3}) == EINC_OK && c[1] == 214);
  const std::array<int64_t, 2> steps = {5, 6};
  const int32_t needed[2] = {0, 1};
  EXPECT(with_numbers(a, 100, true, c, steps, {}, needed, {}, {}) == EINC_OK && c[1] == 215);
  const int64_t one = 6;
  EXPECT(with_numbers(a, 1, true, c, {one, 0}, one, {0, 0}, {}, {}) == EINC_OK && c[0] == 13);
  EXPECT(with_numbers(a, 1, true, c, steps.data(), 0, &needed[0], 0, {}) == EINC_OK && c[0] == 13);
  long long same[2];  // another type of as many bits
  EXPECT(with_numbers(a, 1, true, same, {1, 2}, 4, {0, 0}, {}, {}) == EINC_OK && same[1] == 9);
}

void otherElements() {
  const uint16_t half[2] = {0x3c00, 0x4000};  // 1, 2
  uint16_t twice[2];
  EXPECT(halves(half, uint16_t{0x4000}, twice) == EINC_OK && twice[1] == 0x4400);
#if defined(__clang__) && defined(__FLT16_MANT_DIG__)
  _Float16 x[2] = {1, 2}, y[2];
  EXPECT(halves(x, static_cast<_Float16>(2), y) == EINC_OK && y[1] == static_cast<_Float16>(4));
#endif
  const bool on[3] = {true, true, false};
  const std::vector<unsigned char> bytes = {1, 3, 3};
  bool result[3];
  EXPECT(masked(on, bytes, result) == EINC_OK && !result[0] && result[1] && !result[2]);
  uint8_t pairs[2] = {0xf1, 0x03};  // 1, -1, 3
  signed char wide[3];
  EXPECT(fourth(einc::view(pairs, 3), wide) == EINC_OK && wide[1] == -1 && wide[2] == 3);
}

}  // namespace

int main() {
  arraysAndRanges();
  views();
  statuses();
  numbers();
  otherElements();
  EXPECT(denseFromAnotherFile() == EINC_OK);
  if (failures == 0) std::puts("well");
  return failures;
}
