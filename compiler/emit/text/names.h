// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Names in generated C and GLSL: the spec's where possible, others where the spec's would clash
// with the language, its library, or another name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace einc::emit {

// Keywords of C and C++.
bool isKeyword(std::string_view name);

// Keywords, functions of the C library, and what the languages reserve by form.
bool isReserved(std::string_view name);

// The name, or one close to it that is not reserved.
std::string mangled(std::string name);

// The C function of a def: prefix + name, or another name (exp_op for exp) where that is reserved,
// or a program that the function is linked to has it already.
std::string functionName(const std::string& def, const std::string& prefix);
// Why that is not prefix + name: "the C library has a 'malloc'"; nothing if it is.
std::optional<std::string> whyRenamed(const std::string& def, const std::string& prefix);

// The names of one scope.
class Names {
 public:
  explicit Names(std::string (*mangle)(std::string) = mangled) : mangle_(mangle) {}

  // `wanted`, mangled, with digits behind it if that is taken.
  std::string make(const std::string& wanted);
  // Whether that was made here.
  bool has(const std::string& name) const { return taken_.count(name) != 0; }

 private:
  std::string (*mangle_)(std::string);
  // All names, each with a number: all up to it are taken behind the name.
  std::unordered_map<std::string, int> taken_;
};

}  // namespace einc::emit
