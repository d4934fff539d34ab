// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a program takes on its command line, as a table. Help, man pages, completion and the
// reference are made from it, and what is typed is checked against it.
//
//   read.cpp        the table, from the flags that are registered with LLVM
//   examine.cpp     a command line against the table
//   help.cpp        text for a terminal
//   man.cpp         manual pages
//   markdown.cpp    the reference
//   completion.cpp  scripts for bash and zsh
//   main.cpp        all of it, for a program
#pragma once

#include <map>
#include <string>
#include <vector>

namespace llvm::cl {
class OptionCategory;
class SubCommand;
}  // namespace llvm::cl

namespace einc::command_line {

struct Flag {
  std::string name;   // without hyphens
  std::string value;  // what it takes, for people: "NAME=INT"; empty: nothing
  std::string help;
  std::string group;                // the heading it stands under
  std::vector<std::string> values;  // all that it takes; empty: these are no closed set
  bool isRequired = false;
  bool mayRepeat = false;
  bool isList = false;    // of values with commas between
  bool isJoined = false;  // the value may follow without a space: -j4
  bool isHidden = false;

  std::string spelled() const { return (name.size() == 1 ? "-" : "--") + name; }
};

struct Example {
  std::string command, about;
};

// What people read about a command, beside its flags.
struct Texts {
  std::vector<std::string> description = {};  // paragraphs
  std::vector<Example> examples = {};
};

struct Command {
  std::string name;  // empty: the program has no commands, this is all it does
  std::string summary;
  Texts texts = {};
  std::string operand;  // "SPEC..."; empty: it takes none
  bool needsOperand = false;
  bool takesSeveral = false;
  std::vector<Flag> flags = {};  // group by group

  const Flag* find(const std::string& flag) const;
};

struct Program {
  std::string name, version, summary;
  Texts texts = {};
  std::vector<Command> commands = {};
  // What newcomers type, and what that is here: {"output", "o"}.
  std::map<std::string, std::string> otherNames = {};

  bool hasCommands() const { return !commands.front().name.empty(); }
  const Command* find(const std::string& command) const;
  // "einc build"
  std::string titleOf(const Command& command) const;
};

// The flags of these groups that are registered for a command, in the order of the groups.
// `values`: by a flag's name, what it takes.
Command readCommand(llvm::cl::SubCommand& command,
                    const std::vector<llvm::cl::OptionCategory*>& groups,
                    const std::map<std::string, std::vector<std::string>>& values, Texts texts);

// ---- The forms. `command` is null for the program as a whole ----

std::string helpText(const Program& program, const Command* command);
std::string manPage(const Program& program, const Command* command);
// All commands on one page.
std::string markdownPage(const Program& program);
std::string bashCompletion(const Program& program);
std::string zshCompletion(const Program& program);

// With a large first letter.
std::string sentence(std::string text);
// What a flag is for, and what it takes where that is a choice.
std::string aboutFlag(const Flag& flag);

// What an exit code means, by the code.
const std::map<int, std::string>& exitCodes();

}  // namespace einc::command_line
