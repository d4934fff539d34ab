// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/replace.h"

namespace einc::emit {

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  text = result.append(text, done);
}

}  // namespace einc::emit
