// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The pieces of prelude/*.glsl, and of prelude/functions.h and curves.h as GLSL, that one shader needs; and the
// extensions of GLSL and the features of the device.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/types.h"

namespace einc::emit {

class GlslPrelude {
 public:
  // Returns the GLSL name of the chunk's function: need("exp_f32", 4) is "einc_exp_f32", and text()
  // then has the overload for four lanes, too, which calls the scalar one for each. Chunks for i64,
  // u64 and f64 are made from those of i32, u32 and f32, where they have no text of their own.
  std::string need(const std::string& chunk, int64_t lanes = 1);

  // A value of this type stands in the shader's registers; or elements in its storage buffers. What
  // GlslValues returns has noted the types that occur in it already.
  void needType(ir::ScalarType type, bool inMemory);

  // A loop of the shader says [[unroll]].
  void needUnrolling() { unrolls_ = true; }

  // "#extension ... : require", sorted, a line each.
  std::string extensions() const;
  // The functions, each once, after those that it needs.
  std::string text() const;
  // Bits of einc_vk_feature (runtime/vulkan/vk.h), in lower case: "f64", "int64", "storage_8",
  // "storage_16".
  std::set<std::string> features() const;

  // All chunks there are, for tests. (f64 and 64-bit integers, too.)
  static std::vector<std::string> allChunks();

 private:
  // All chunks that the needed ones need, themselves included.
  std::set<std::string> closure() const;

  std::map<std::string, std::set<int64_t>> chunks_;  // lanes of the overloads
  std::set<ir::ScalarType> inRegisters_, inMemory_;
  bool unrolls_ = false;
};

}  // namespace einc::emit
