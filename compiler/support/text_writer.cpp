// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/support/text_writer.h"

namespace einc {

TextWriter& TextWriter::line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<size_t>(depth_) * width_, ' ');
  text_ += text;
  text_ += '\n';
  return *this;
}

TextWriter& TextWriter::raw(std::string_view text) {
  text_ += text;
  return *this;
}

TextWriter& TextWriter::indent() {
  ++depth_;
  return *this;
}

TextWriter& TextWriter::dedent() {
  if (depth_ != 0) --depth_;
  return *this;
}

TextWriter& TextWriter::open(std::string_view text) { return line(text).indent(); }
TextWriter& TextWriter::close(std::string_view text) { return dedent().line(text); }

}  // namespace einc
