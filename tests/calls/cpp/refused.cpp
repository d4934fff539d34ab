// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What must not compile, a piece at a time (see cpp_test.py).
#include <array>
#include <vector>

#include "calls.h"

// Elements that are computed when they are read.
struct Twice {
  struct reference {
    float *at;
    operator float() const { return 2 * *at; }
  };
  static constexpr std::size_t rank() { return 2; }
  float *data_handle() const;
  long extent(std::size_t) const;
  long stride(std::size_t) const;
};

// One that says nothing to a plain number.
struct Overloaded {
  float *data_handle() const;
  long extent(int) const;
  long extent(long) const;
  long stride(int) const;
};

template <class T, std::size_t N>
struct Span {
  static constexpr std::size_t rank() { return N; }
  T *data_handle() const;
  long extent(std::size_t) const;
  long stride(std::size_t) const;
};

float a[2][3], b[3][2], bias[2], y[2][2];
const float readOnly[2][2] = {};
double doubles[2][3];
std::vector<float> vector(6);
Span<float, 1> line;
Span<const float, 2> constant;
Twice twice;
Overloaded overloaded;
einc_memref_f32_1 one;
einc_memref_f32_2 two;
int32_t numbers[2], twoNumbers[2] = {}, three[3] = {};
int64_t results[2], single[1] = {1};
uint16_t half[2];
std::array<int32_t, 3> threeNumbers = {};

// clang-format off

// ---- all is well
  (void)dense(a, b, bias, y);
  (void)with_numbers(numbers, 1, true, results, {}, {}, twoNumbers, {}, {});
// ---- an array of another rank
  (void)dense(bias, b, bias, y);
// ---- a range for a matrix
  (void)dense(vector, b, bias, y);
// ---- a view of another rank
  (void)dense(line, b, bias, y);
// ---- a descriptor of another rank
  (void)dense(one, b, bias, y);
// ---- a pointer to a descriptor of another rank
  (void)dense(&one, &two, &one, &two);
// ---- a pointer
  (void)dense(&a[0][0], b, bias, y);
// ---- elements of another type
  (void)dense(doubles, b, bias, y);
// ---- an output that is constant
  (void)dense(a, b, bias, readOnly);
// ---- an output that is a view of constants
  (void)dense(a, b, bias, constant);
// ---- too few arguments
  (void)dense(a, b, y);
// ---- a number for a tensor
  (void)total(1.0f, doubles[0][0]);
// ---- a float for bits of f16
  (void)halves(half, 1.0f, half);
// ---- a scalar of another type
  float sum = 0;
  (void)total(std::vector<double>(), sum);
// ---- needed numbers left out
  (void)with_numbers(numbers, 1, true, results, {}, {}, nullptr, {}, {});
// ---- too many numbers
  (void)with_numbers(numbers, 1, true, results, {1, 2, 3}, {}, twoNumbers, {}, {});
// ---- too many in an array
  (void)with_numbers(numbers, 1, true, results, {}, {}, threeNumbers, {}, {});
// ---- elements that are computed
  (void)dense(twice, b, bias, y);
// ---- a view that cannot be asked
  (void)dense(overloaded, b, bias, y);
// ---- an array that is too short
  (void)with_numbers(numbers, 1, true, results, single, {}, twoNumbers, {}, {});
// ---- fractions
  (void)with_numbers(numbers, 1, true, results, {1.5, 2.0}, {}, twoNumbers, {}, {});
// ---- numbers that do not fit
  (void)with_numbers(numbers, 1, true, results, {}, {}, {1, 5000000000}, {}, {});
// ---- a temporary as an output
  (void)with_numbers(numbers, 1, true, std::vector<int64_t>(2), {}, {}, twoNumbers, {}, {});
// ---- a number as an output
  (void)total(std::vector<double>(), 1.0);
// ---- a view with too few sizes
  (void)dense(einc::View<float, 2>(&a[0][0], 2), b, bias, y);
