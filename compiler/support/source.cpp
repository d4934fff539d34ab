// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/support/source.h"

#include <algorithm>

namespace einc {

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), lineStarts_{0} {
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lineStarts_.push_back(i + 1);
}

std::string_view SourceFile::slice(SourceRange range) const {
  return text().substr(range.begin, range.end - range.begin);
}

uint32_t SourceFile::lineStart(uint32_t offset) const {
  return *std::prev(std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset));
}

SourceFile::Position SourceFile::position(uint32_t offset) const {
  auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  auto line = static_cast<unsigned>(next - lineStarts_.begin());
  return {line, offset - *std::prev(next) + 1};
}

std::string_view SourceFile::lineAt(uint32_t offset) const {
  uint32_t start = lineStart(offset);
  size_t end = text_.find_first_of("\r\n", start);
  return text().substr(start, (end == std::string::npos ? text_.size() : end) - start);
}

}  // namespace einc
