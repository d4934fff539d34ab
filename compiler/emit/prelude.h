// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The pieces of prelude/*.h that one generated file needs.
#pragma once

#include <set>
#include <string>

namespace einc::emit {

// Collects names of chunks; text() gives them with all they depend on, each once, in order.
class Prelude {
 public:
  // Returns the C name of the chunk's function: need("add_i8") is "einc_add_i8". Chunks for another
  // width are made from those of i32, u32 and f32.
  std::string need(const std::string& chunk);
  std::string text() const;
  bool empty() const { return chunks_.empty(); }

 private:
  std::set<std::string> chunks_;
};

// The length of the longest reason for which a library does not take an operand.
size_t longestRefusal();

// Whether prelude/functions.h has this function: "exp_f32".
bool isInFunctions(const std::string& name);

}  // namespace einc::emit
