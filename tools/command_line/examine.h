// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a command line asks for. It is checked against the table before LLVM's parser sees it: what
// passes here, that parser takes, but for values that are no numbers.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/command_line/table.h"

namespace einc::command_line {

struct Run {};
struct Version {};
struct Help {
  const Command* command = nullptr;  // null: of the program
  std::string format;                // one of helpFormats()
};
struct Mistake {
  std::string text;
};
using Asked = std::variant<Run, Version, Help, Mistake>;

// "text", "man", "markdown", "bash", "zsh", "commands"
const std::vector<std::string>& helpFormats();

// `arguments` without the program's own name.
Asked examine(const Program& program, const std::vector<std::string>& arguments);

std::string helpIn(const Program& program, const Help& help);

}  // namespace einc::command_line
