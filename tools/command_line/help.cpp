// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

constexpr size_t kWidth = 80, kMostLeft = 26;

// Words in lines of kWidth columns. The first line stands at `column` already, the others at `left`.
std::string wrapped(llvm::StringRef text, size_t left, size_t column) {
  std::string result;
  bool isFirst = true;
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    text = rest;
    if (word.empty()) continue;
    if (!isFirst && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(left, ' ');
      column = left;
      isFirst = true;
    }
    if (!isFirst) result += " ";
    result += word;
    column += word.size() + (isFirst ? 0 : 1);
    isFirst = false;
  }
  return result + "\n";
}

// Two columns.
std::string table(const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, std::min(left.size(), kMostLeft));
  std::string text;
  for (const auto& [left, right] : rows) {
    const size_t column = width + 4;
    text += "  " + left;
    text += left.size() > width ? "\n" + std::string(column, ' ')
                                : std::string(column - 2 - left.size(), ' ');
    text += wrapped(right, column, column);
  }
  return text;
}

std::string flagsText(const Command& command) {
  std::string text, group;
  std::vector<std::pair<std::string, std::string>> rows;
  auto flush = [&] {
    if (!rows.empty()) text += "\n" + group + "\n" + table(rows);
    rows.clear();
  };
  for (const Flag& flag : command.flags) {
    if (flag.isHidden) continue;
    if (flag.group != group) flush();
    group = flag.group;
    rows.emplace_back(flag.spelled() + (flag.value.empty() ? "" : " " + flag.value),
                      aboutFlag(flag));
  }
  flush();
  return text;
}

std::string textsOf(const Texts& texts) {
  std::string text;
  for (const std::string& paragraph : texts.description) text += "\n" + wrapped(paragraph, 0, 0);
  return text;
}

std::string examplesOf(const Texts& texts) {
  if (texts.examples.empty()) return "";
  std::string text = "\nExamples\n";
  for (const Example& example : texts.examples)
    text += "  " + example.command + "\n      " + wrapped(example.about, 6, 6);
  return text;
}

}  // namespace

std::string helpText(const Program& program, const Command* command) {
  if (!command && program.hasCommands()) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Command& one : program.commands) rows.emplace_back(one.name, one.summary);
    rows.emplace_back("help", "this text, or with a command's name what that takes");
    return program.name + " " + program.version + ": " + program.summary +
           "\n\nUsage: " + program.name + " COMMAND [FLAG...] [FILE...]\n" +
           textsOf(program.texts) + "\nCommands\n" + table(rows) + examplesOf(program.texts) +
           "\n" +
           wrapped("'" + program.name + " COMMAND --help' lists the flags of a command, '" +
                       program.name + " --version' what this " + program.name + " is made of.",
                   0, 0);
  }
  const Command& one = command ? *command : program.commands.front();
  std::string usage = "Usage: " + program.titleOf(one) + " [FLAG...] " + one.operand;
  return program.titleOf(one) + ": " + (one.name.empty() ? program.summary : one.summary) + "\n\n" +
         usage + "\n" + textsOf(one.texts) + flagsText(one) + examplesOf(one.texts);
}

}  // namespace einc::command_line
