// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For the files of BodyWriter alone: see once.cpp.
#pragma once

#include <utility>

#include "compiler/emit/c/body.h"

namespace einc::emit {

// What `write` writes, with what is computed once before it. Within another one it is that one's.
template <typename Write>
void BodyWriter::withOnce(Write&& write) {
  if (once_) return write();
  std::string before = out_.take();
  once_.emplace();
  write();
  std::string body = out_.take();
  out_.raw(before);
  const Once once = *std::exchange(once_, std::nullopt);
  for (const std::string& line : takeLines(once, body)) out_.line(line);
  out_.raw(body);
}

}  // namespace einc::emit
