// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a transform gives, for tests: that it keeps the rules of the IR, and computes what it did before.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "compiler/interp/instances.h"
#include "compiler/ir/test_text.h"

namespace einc::transforms::test {

using ir::test::count;

// An op stands on several lines, which `part` need not know.
inline bool has(const std::string& text, const std::string& part) {
  std::string flat;
  for (char c : text)
    if (c != '\n' && !(c == ' ' && (flat.empty() || flat.back() == ' ')))
      flat += c;
    else if (c == '\n' && !flat.empty() && flat.back() != ' ')
      flat += ' ';
  return flat.find(part) != std::string::npos;
}

inline void expectGood(const ir::Kernel& kernel) {
  for (const ir::Violation& violation : ir::verify(kernel))
    ADD_FAILURE() << violation.str() << "\n" << ir::print(kernel);
}

// `form` is good, and computes what `spec` says, which is text at level tensors: with sizes from 0 to 3,
// around `sizes`, and, if these are few, at others.
inline void expectComputes(const std::string& spec, const ir::Kernel& form,
                           const std::set<int64_t>& sizes = {}) {
  expectGood(form);
  interp::Instances instances(ir::test::goodKernel(spec));
  instances.around(sizes);
  EXPECT_FALSE(instances.empty()) << spec;
  EXPECT_EQ(instances.findDifference(form).value_or("none"), "none") << ir::print(form);
}

// `text`, which says "level @" once, at that level.
inline std::string at(const std::string& level, std::string text) {
  const std::string place = "level @";
  return text.replace(text.find(place), place.size(), "level " + level);
}

// The lines of `text` without what they begin with, from the first one with `from` in it on, to the last
// one with `to` in it.
inline std::string lines(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  const size_t first = text.rfind('\n', text.find(from)) + 1,
               last = text.find('\n', text.rfind(to));
  bool begins = true;
  for (size_t i = first; i < std::min(last, text.size()); ++i) {
    if (begins && text[i] == ' ') continue;
    begins = text[i] == '\n';
    result += text[i];
  }
  return result;
}

}  // namespace einc::transforms::test
