// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Names in text that is being generated. Scopes hand out references: the name between two marks, which
// stand in no language. So a text says what it uses, whatever it was put together from, and what was
// written in vain does not count; nobody looks for words. Marks go when a function is done.
//
//   const std::string size = scope.local("m0_size");      a reference
//   std::string body = ...;
//   if (refersTo(body, size)) out.line("const int64_t " + size + " = ...");
//   out.raw(body);
//   return plain(out.take());
#pragma once

#include <set>
#include <string>

namespace einc::emit {

std::string reference(const std::string& name);
// Whether that is all of the text.
bool isReference(const std::string& text);

// As `reference` gave them.
using References = std::set<std::string>;
References referencesIn(const std::string& text);
bool refersTo(const std::string& text, const std::string& reference);

// One past the end of the reference that begins at `begin`; `begin` if none does.
size_t endOfReference(const std::string& text, size_t begin);

// As it stands in the file.
std::string plain(const std::string& text);
size_t plainSize(const std::string& text);
// Orders texts so.
struct PlainLess {
  bool operator()(const std::string& a, const std::string& b) const { return plain(a) < plain(b); }
};

}  // namespace einc::emit
