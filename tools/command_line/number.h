// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// For flags that take a number: cl::opt<Number<int64_t>>.
#pragma once

#include <string>
#include <type_traits>

#include "compiler/driver/exit.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

namespace einc::command_line {

template <typename T>
struct Number {
  T value = 0;
  Number() = default;
  Number(T number) : value(number) {}
  operator T() const { return value; }
};

}  // namespace einc::command_line

template <typename T>
class llvm::cl::parser<einc::command_line::Number<T>>
    : public llvm::cl::basic_parser<einc::command_line::Number<T>> {
 public:
  using llvm::cl::basic_parser<einc::command_line::Number<T>>::basic_parser;

  // Whether it is wrong.
  bool parse(Option& option, StringRef, StringRef text, einc::command_line::Number<T>& number) {
    if (read(text, number.value)) return false;
    const std::string name = option.ArgStr.str();
    einc::driver::fail(einc::driver::kBadCommandLine, (name.size() == 1 ? "-" : "--") + name + "=" +
                                                          text.str() + ": expected a " + kind());
    return true;
  }
  void printOptionDiff(const Option&, T, const OptionValue<einc::command_line::Number<T>>&,
                       size_t) const {}

 private:
  static bool read(StringRef text, T& value) {
    if constexpr (std::is_integral_v<T>)
      return !text.getAsInteger(10, value);
    else
      return !text.getAsDouble(value);
  }
  static std::string kind() {
    if (!std::is_integral_v<T>) return "number, such as 0.5";
    return std::is_signed_v<T> ? "whole number" : "whole number from 0 on";
  }
};
