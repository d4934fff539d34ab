// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Calls of emitted functions that are loaded: one function that takes every argument by address,
// and how each is passed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "compiler/interp/interpreter.h"
#include "compiler/ir/ir.h"

namespace einc::driver {

// The words of a strided memref: allocated, aligned, offset, sizes, strides.
std::vector<int64_t> descriptorOf(const interp::View& view, const void* base, int64_t offset);

// The addresses of a call's arguments; they stay valid as long as this lives.
class Trampoline {
 public:
  // `descriptors` are those of the arguments' tensors.
  Trampoline(const ir::Kernel& kernel, const interp::Arguments& arguments,
             std::vector<std::vector<int64_t>> descriptors);
  void** addresses() { return addresses_.data(); }

  // What a kernel's function takes, in C, where `a` is the array of addresses.
  static std::string passed(const ir::Kernel& kernel);

 private:
  explicit Trampoline(const ir::Kernel& kernel) : kernel_(kernel) {}
  void walk();
  void pass(const std::string& text, void* address);
  std::string slot() const { return "a[" + std::to_string(addresses_.size()) + "]"; }
  void tensor(unsigned id);
  void attribute(unsigned id);

  const ir::Kernel& kernel_;
  const interp::Arguments* arguments_ = nullptr;
  std::vector<std::vector<int64_t>> descriptors_;
  std::string passed_;
  std::vector<void*> addresses_;
  std::deque<std::vector<std::byte>> values_;
  std::deque<int64_t> lengths_;
};

}  // namespace einc::driver
