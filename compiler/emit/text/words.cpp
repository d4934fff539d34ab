// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/words.h"

#include "llvm/ADT/StringExtras.h"

namespace einc::emit {

bool usesWord(const std::string& text, const std::string& name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    bool begins = at == 0 || !isPart(text[at - 1]);
    if (at > 1 && text[at - 1] == '>' && text[at - 2] == '-') continue;  // a member
    size_t end = at + name.size();
    if (begins && (end == text.size() || !isPart(text[end]))) return true;
  }
  return false;
}

}  // namespace einc::emit
