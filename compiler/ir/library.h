// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The functions that a LibraryCall may name (libcalls/calls.def).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace einc::ir {

enum class LibraryFunction : uint8_t {
#define EINC_LIBRARY_CALL(enumerator, name, einsum, adds, alpha, beta, cblas, blis) enumerator,
#include "libcalls/calls.def"
};

struct LibraryFunctionInfo {
  LibraryFunction function;
  std::string_view name;
  std::vector<std::string_view> operands;  // of the einsum, the result last: "mk", "kn", "mn"
  bool adds, alpha, beta;
  std::string_view cblas, blis;  // why the library is not asked for it; "" if it is

  std::string_view whyNotIn(std::string_view library) const {
    return library == "cblas" ? cblas : blis;
  }
};

const std::vector<LibraryFunctionInfo>& libraryFunctions();
const LibraryFunctionInfo& info(LibraryFunction function);

}  // namespace einc::ir
