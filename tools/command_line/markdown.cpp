// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

// In a cell of a table, in backquotes or not.
std::string cell(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

// Outside backquotes: what Markdown would read as its own.
std::string plain(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '*' || c == '_' || c == '<' || c == '[' || c == '`' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string paragraphs(const Texts& texts) {
  return joined(texts.description, "",
                [](const std::string& text) { return "\n" + plain(text) + "\n"; });
}

std::string examples(const Texts& texts) {
  std::string text;
  for (const Example& example : texts.examples)
    text += "\n" + plain(example.about) + "\n\n```sh\n" + example.command + "\n```\n";
  return text;
}

std::string flagsOf(const Command& command) {
  std::string text, group;
  for (const Flag& flag : command.flags) {
    if (flag.isHidden) continue;
    if (flag.group != group) text += "\n| " + flag.group + " | |\n| --- | --- |\n";
    group = flag.group;
    std::string help = cell(plain(flag.help));
    if (flag.values.size() > 1)
      help += "; one of " +
              joined(flag.values, ", ", [](const std::string& v) { return "`" + v + "`"; });
    text += "| `" + cell(flag.spelled() + (flag.value.empty() ? "" : " " + flag.value)) + "` | " +
            help + " |\n";
  }
  return text;
}

}  // namespace

std::string markdownPage(const Program& program) {
  std::string text = "# " + program.name + "\n\n" + plain(sentence(program.summary)) + ".\n" +
                     paragraphs(program.texts) + examples(program.texts);
  if (program.hasCommands()) {
    text += "\n| Command | |\n| --- | --- |\n";
    for (const Command& command : program.commands)
      text += "| [`" + command.name + "`](#" + program.name + "-" + command.name + ") | " +
              cell(plain(command.summary)) + " |\n";
  }
  for (const Command& command : program.commands) {
    if (!command.name.empty())
      text +=
          "\n## " + program.titleOf(command) + "\n\n" + plain(sentence(command.summary)) + ".\n";
    text += "\n```\n" + program.titleOf(command) + " [FLAG...] " + command.operand + "\n```\n" +
            paragraphs(command.texts) + flagsOf(command) + examples(command.texts);
  }
  text += "\n## Exit codes\n\n| Code | |\n| --- | --- |\n";
  for (const auto& [code, meaning] : exitCodes())
    text += "| " + std::to_string(code) + " | " + meaning + " |\n";
  return text;
}

}  // namespace einc::command_line
