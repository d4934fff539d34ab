// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For tests of the prelude of GLSL: shaders that compute a list of values for each element of their
// inputs, compiled, checked and run as those of kernels are, under the validation layer.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/emit/glsl/values.h"
#include "compiler/ir/scalar.h"
#include "runtime/vulkan/vk.h"

namespace einc::tests {

using ir::Function;
using ir::Number;
using ir::ScalarType;

// A context without validation messages.
class GlslDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  struct Output {
    ScalarType type;
    // The value, from those of the inputs, which are named a, b, c.
    std::function<std::string(const emit::GlslValues&)> text;
  };
  // For each element of `inputs` (a list for each operand; all lists are as long, a multiple of 4)
  // the outputs, computed by one shader on vectors of so many lanes.
  std::vector<std::vector<Number>> compute(ScalarType type, int64_t lanes,
                                           const std::vector<std::vector<Number>>& inputs,
                                           const std::vector<Output>& outputs);

  // Whether the device is a CPU, which computes as IEEE 754 says. Vulkan allows others divisions that are 2.5 ulps
  // off, and roots 4.5; with numbers beyond 2^126 however far; and zeros in place of subnormal numbers, whatever
  // becomes of them, even if they are results on the way.
  bool roundsExactly() const;
  bool isBeyondDivision(ScalarType type, double value) const;
  bool mayBeFlushed(ScalarType type, double got, double expected) const;

 private:
  static void onMessage(void* user, const char* text);

  std::mutex lock_;
  std::vector<std::string> messages_;
  einc_vk_context* context_ = nullptr;
};

// A number from bits of the type, and the bits.
Number ofBits(ScalarType type, uint64_t bits);
uint64_t bitsOf(ScalarType type, const Number& number);

// Edges of the type, numbers near them, and random bits.
std::vector<Number> samples(ScalarType type, size_t randomCount);
// All pairs of edges, then random ones: two lists.
std::vector<std::vector<Number>> pairs(ScalarType type, size_t randomCount);

// Whether a number is subnormal where it is computed with (f16: never, in f32).
bool isSubnormal(ScalarType type, double value);

// Calls accept(arguments, result is flushed) for the arguments and, as devices may flush subnormal
// numbers, for those with zeros in their place, until one is accepted.
bool anyFlushed(ScalarType type, std::vector<Number> args,
                const std::function<bool(const std::vector<Number>&)>& accept);

std::string describe(ScalarType type, const Number& number);

}  // namespace einc::tests
