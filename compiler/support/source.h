// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Source text and positions in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace einc {

// A half-open range of bytes in a SourceFile.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const SourceRange&) const = default;
};

// One input: a name for messages and its whole text. Immutable; positions are byte offsets.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view slice(SourceRange range) const;

  struct Position {
    unsigned line;    // from 1
    unsigned column;  // from 1, in bytes
  };
  Position position(uint32_t offset) const;
  // The line that holds `offset`, without its line end.
  std::string_view lineAt(uint32_t offset) const;
  uint32_t lineStart(uint32_t offset) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> lineStarts_;
};

}  // namespace einc
