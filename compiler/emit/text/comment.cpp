// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/comment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::emit {

std::string commentLines(const std::string& text, const std::string& prefix) {
  std::string result;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    std::string clean;
    for (char c : line.trim(" \t\r")) {
      bool joins = !clean.empty() &&
                   ((clean.back() == '*' && c == '/') || (clean.back() == '/' && c == '*') ||
                    (clean.back() == '?' && c == '?'));
      if (joins) clean += ' ';
      clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    // A backslash at the end would join this line to the next.
    if (!clean.empty() && clean.back() == '\\') clean += '.';
    result += clean.empty() ? llvm::StringRef(prefix).rtrim().str() + "\n" : prefix + clean + "\n";
  }
  return result;
}

}  // namespace einc::emit
