// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Indented text, a line at a time. Used by every printer and emitter.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace einc {

class TextWriter {
 public:
  explicit TextWriter(unsigned indentWidth = 2) : width_(indentWidth) {}

  // One line at the present indentation; an empty one gets no trailing blanks.
  TextWriter& line(std::string_view text = "");
  // `text` as it stands (may hold several lines), without indentation.
  TextWriter& raw(std::string_view text);
  // line(text), then deeper; close goes back, then line(text).
  TextWriter& open(std::string_view text);
  TextWriter& close(std::string_view text = "}");
  TextWriter& indent();
  TextWriter& dedent();

  std::string take() { return std::exchange(text_, {}); }
  const std::string& text() const { return text_; }
  unsigned depth() const { return depth_; }

 private:
  std::string text_;
  unsigned width_;
  unsigned depth_ = 0;
};

// "a, b, c"
template <typename Range, typename Fn>
std::string joined(const Range& range, std::string_view separator, Fn&& toText) {
  std::string result;
  bool first = true;
  for (const auto& item : range) {
    if (!first) result += separator;
    first = false;
    result += toText(item);
  }
  return result;
}

template <typename Range>
std::string joined(const Range& range, std::string_view separator = ", ") {
  return joined(range, separator, [](const auto& item) { return item; });
}

}  // namespace einc
