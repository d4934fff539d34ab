// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For cross.cpp and reflect.cpp: a module inside SPIRV-Cross, through its C API.
#pragma once

#include <spirv_cross/spirv_cross_c.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/spirv/words.h"
#include "compiler/support/result.h"

namespace einc::spirv {

// Thrown by Session. (guarded catches the library's own exceptions too, which some functions of its
// C API let through. It asserts as well: what it is known to assert on is refused before.)
struct CrossError {
  std::string text;
};

class Session {
 public:
  // Throws CrossError unless it is a module of one compute shader.
  Session(const Module& module, spvc_backend backend);

  spvc_compiler compiler() const { return compiler_; }

  // Throws CrossError with the library's message, unless `result` is success.
  void check(spvc_result result) const;

  std::vector<spvc_reflected_resource> resources(spvc_resource_type type) const;
  std::string compile(spvc_compiler_options options) const;

 private:
  std::unique_ptr<std::string> error_;  // where the callback writes
  std::unique_ptr<spvc_context_s, void (*)(spvc_context)> context_;
  spvc_compiler compiler_ = nullptr;
  spvc_resources resources_ = nullptr;
};

// What `make` returns, or the reason it threw.
template <typename T, typename Fn>
Result<T> guarded(Fn&& make) {
  try {
    return make();
  } catch (const CrossError& error) {
    return Reason{error.text};
  } catch (const std::exception& error) {
    return Reason{std::string("SPIRV-Cross: ") + error.what()};
  }
}

}  // namespace einc::spirv
