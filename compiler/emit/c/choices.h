// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which of a kernel's choices are made in a call, as C that says it:
//
//   end = einc_say(end, "form where M * N <= 512000, B has stride 1 along dimension 1: ");
//   if (M * N <= 512000 && B_stride1 == 1) {
//     end = einc_say(end, "yes\n");
//   } else {
//     end = einc_say(end, "no, ");
//     if (!(M * N <= 512000)) end = einc_say_number(end, "M * N is ", M * N, "\n");
//     else end = einc_say_number(end, "B has stride ", B_stride1, " along dimension 1\n");
//     ...
#pragma once

#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/scope.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// Words as a literal of C.
std::string quoted(const std::string& words);
// The longest decimal number with a sign.
inline constexpr size_t kLongestNumber = 20;

// What chooses between ways of doing a whole op: calls, and conditions outside of loops, with the names
// that they use.
ir::Block choicesOnly(const ir::Block& block);

struct ChoiceStatements {
  std::string text;  // empty if there are no choices
  size_t room = 0;   // for all that they may say
};
// Statements that say which choices are made, at the end `end` of a text; `code` has choices alone.
ChoiceStatements choiceStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                                  const COptions& options, const std::string& end);

}  // namespace einc::emit
