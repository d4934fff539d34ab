// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel's dispatches on a Vulkan device, as a host would: what stands around them is
// evaluated here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/text/shader.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/test_text.h"
#include "compiler/spirv/words.h"
#include "runtime/vulkan/test_util.hpp"

namespace einc::test {

class ShaderTest : public einc_vk_test::VkTest {
 protected:
  void SetUp() override;

  // A row-major array of small integers of the type, the same ones for the same seed. Sums and
  // products of them are exact in all types but those of 8 bits.
  static interp::View numbers(ir::ScalarType type, std::vector<int64_t> sizes, unsigned seed = 1);

  // The outputs are those of the interpreter, bit for bit (floats: or within so many times the
  // largest of 1 and the value), and the rest of the memory is as it was.
  double tolerance = 0;
  void check(const std::string& text, const interp::Arguments& arguments);
  void check(const ir::Kernel& kernel, const interp::Arguments& arguments);

 private:
  struct Run;
  void block(Run& run, const ir::Block& block);
  void dispatch(Run& run, const ir::Dispatch& dispatch);
  bool holds(const Run& run, const ir::Condition& condition);
  std::vector<std::byte> constants(const Run& run, const emit::Shader& shader);
};

}  // namespace einc::test
