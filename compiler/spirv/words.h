// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A SPIR-V module: a header of five words, then instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/support/result.h"

namespace einc::spirv {

using Words = std::vector<uint32_t>;

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;

// Words that are a module which Vulkan 1.1 takes: `validated` (tools.h) alone makes them. Looking at words takes
// as long as optimising them, so it is done once, and what takes a module need not do it again.
class Module {
 public:
  const Words& words() const { return words_; }
  operator const Words&() const { return words_; }
  bool operator==(const Module&) const = default;

 private:
  explicit Module(Words words) : words_(std::move(words)) {}
  friend Result<Module> validated(Words words);
  Words words_;
};

// Calls visit(opcode, operands) for each instruction of a valid module.
template <typename Fn>
void forEachInstruction(const Words& words, Fn&& visit) {
  for (size_t at = kHeaderWords; at < words.size();) {
    size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return;
    visit(words[at] & 0xffff, std::span(words).subspan(at + 1, length - 1));
    at += length;
  }
}

}  // namespace einc::spirv
