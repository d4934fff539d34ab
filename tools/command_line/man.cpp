// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Manual pages, in the language of man(7). There is no date: the same program gives the same page.
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

// Hyphens that are typed, and what roff would read as its own.
std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else if (c == '"')
      result += "\\(dq";
    else
      result += c;
  }
  return llvm::StringRef(result).starts_with(".") ? "\\&" + result : result;
}

std::string section(const std::string& title) { return ".SH " + title + "\n"; }

std::string bold(llvm::StringRef text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(llvm::StringRef text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string item(const std::string& tag, const std::string& text) {
  return ".TP\n" + tag + "\n" + escaped(text) + "\n";
}

std::string paragraphs(const Texts& texts) {
  return joined(texts.description, "",
                [](const std::string& text) { return ".PP\n" + escaped(text) + "\n"; });
}

std::string examples(const Texts& texts) {
  if (texts.examples.empty()) return "";
  std::string text = section("EXAMPLES");
  for (const Example& example : texts.examples)
    text += ".PP\n" + escaped(example.about) + "\n.PP\n.RS 4\n.nf\n" + escaped(example.command) +
            "\n.fi\n.RE\n";
  return text;
}

std::string options(const Command& command) {
  std::string text = section("OPTIONS"), group;
  for (const Flag& flag : command.flags) {
    if (flag.isHidden) continue;
    if (flag.group != group) text += ".SS " + escaped(flag.group) + "\n";
    group = flag.group;
    text += item(bold(flag.spelled()) + (flag.value.empty() ? "" : " " + italic(flag.value)),
                 aboutFlag(flag));
  }
  return text;
}

std::string exitStatus() {
  std::string text = section("EXIT STATUS");
  for (const auto& [code, meaning] : exitCodes()) text += item(bold(std::to_string(code)), meaning);
  return text;
}

std::string pageName(const Program& program, const Command& command) {
  return command.name.empty() ? program.name : program.name + "-" + command.name;
}

// "einc(1), einc-build(1)", without the page itself
std::string seeAlso(const Program& program, const std::string& self) {
  std::vector<std::string> pages = {"einc"};
  if (program.hasCommands())
    for (const Command& command : program.commands) pages.push_back(pageName(program, command));
  pages.emplace_back("einc-ods-gen");
  llvm::erase(pages, self);
  return section("SEE ALSO") +
         joined(pages, ",\n", [](const std::string& page) { return bold(page) + "(1)"; }) + "\n";
}

std::string head(const Program& program, const std::string& page, const std::string& summary) {
  return ".\\\" Made by " + program.name + " \\-\\-help=man. Do not edit.\n.TH " +
         escaped(llvm::StringRef(page).upper()) + " 1 \"\" \"einc " + program.version +
         "\" \"Einc\"\n" + section("NAME") + escaped(page) + " \\- " + escaped(summary) + "\n" +
         section("SYNOPSIS");
}

}  // namespace

std::string manPage(const Program& program, const Command* command) {
  if (!command && program.hasCommands()) {
    std::string text = head(program, program.name, program.summary) + bold(program.name) + " " +
                       italic("COMMAND") + " [" + italic("FLAG") + "...] [" + italic("FILE") +
                       "...]\n" + section("DESCRIPTION") + paragraphs(program.texts) +
                       section("COMMANDS");
    for (const Command& one : program.commands)
      text += item(bold(one.name), one.summary + "; see " + pageName(program, one) + "(1)");
    text += item(bold("help"), "the commands, or with a command's name what that takes");
    text += section("OPTIONS");
    text += item(bold("--help"), "the commands, in short; after a command, its flags");
    text += item(bold("--version"),
                 "the version, the targets it compiles for, the libraries it contains and the C "
                 "compiler it runs");
    return text + examples(program.texts) + exitStatus() + seeAlso(program, program.name);
  }
  const Command& one = command ? *command : program.commands.front();
  const std::string page = pageName(program, one);
  const std::string& summary = one.name.empty() ? program.summary : one.summary;
  return head(program, page, summary) + bold(program.titleOf(one)) + " [" + italic("FLAG") +
         "...] " + italic(one.operand) + "\n" + section("DESCRIPTION") +
         escaped(sentence(summary)) + ".\n" + paragraphs(one.texts) + options(one) +
         examples(one.texts) + exitStatus() + seeAlso(program, page);
}

}  // namespace einc::command_line
