// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "llvm/ADT/StringExtras.h"

namespace einc {

// Whether the text is a name in C, keywords included.
inline bool isIdentifier(std::string_view text) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text[0]) && std::all_of(text.begin(), text.end(), isPart);
}

}  // namespace einc
