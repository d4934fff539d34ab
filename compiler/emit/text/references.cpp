// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/references.h"

#include <algorithm>

namespace einc::emit {

constexpr char kMark = '\x01';

std::string reference(const std::string& name) { return kMark + name + kMark; }

size_t endOfReference(const std::string& text, size_t begin) {
  return begin < text.size() && text[begin] == kMark ? text.find(kMark, begin + 1) + 1 : begin;
}

bool isReference(const std::string& text) {
  return !text.empty() && endOfReference(text, 0) == text.size();
}

References referencesIn(const std::string& text) {
  References result;
  for (size_t begin = text.find(kMark); begin != std::string::npos;) {
    const size_t end = endOfReference(text, begin);
    result.insert(text.substr(begin, end - begin));
    begin = text.find(kMark, end);
  }
  return result;
}

bool refersTo(const std::string& text, const std::string& reference) {
  for (size_t begin = text.find(kMark); begin != std::string::npos;) {
    const size_t end = endOfReference(text, begin);
    if (text.compare(begin, end - begin, reference) == 0) return true;
    begin = text.find(kMark, end);
  }
  return false;
}

std::string plain(const std::string& text) {
  std::string result = text;
  std::erase(result, kMark);
  return result;
}

size_t plainSize(const std::string& text) {
  return text.size() - static_cast<size_t>(std::count(text.begin(), text.end(), kMark));
}

}  // namespace einc::emit
