// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

namespace cl = llvm::cl;

bool mayRepeat(const cl::Option& option) {
  return option.getNumOccurrencesFlag() == cl::ZeroOrMore ||
         option.getNumOccurrencesFlag() == cl::OneOrMore;
}

bool isRequired(const cl::Option& option) {
  return option.getNumOccurrencesFlag() == cl::Required ||
         option.getNumOccurrencesFlag() == cl::OneOrMore;
}

}  // namespace

const Flag* Command::find(const std::string& flag) const {
  auto found = llvm::find_if(flags, [&](const Flag& one) { return one.name == flag; });
  return found == flags.end() ? nullptr : &*found;
}

const Command* Program::find(const std::string& command) const {
  auto found = llvm::find_if(commands, [&](const Command& one) { return one.name == command; });
  return found == commands.end() ? nullptr : &*found;
}

std::string Program::titleOf(const Command& command) const {
  return command.name.empty() ? name : name + " " + command.name;
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = llvm::toUpper(text[0]);
  return text;
}

std::string aboutFlag(const Flag& flag) {
  if (flag.values.size() < 2) return flag.help;
  return flag.help + "; one of " + joined(flag.values);
}

const std::map<int, std::string>& exitCodes() {
  static const std::map<int, std::string> codes = {
      {0, "done"},
      {1, "an input is wrong, or an output cannot be written"},
      {2, "the command line is wrong"},
      {70, "a bug in Einc; please report it"}};
  return codes;
}

Command readCommand(cl::SubCommand& command, const std::vector<cl::OptionCategory*>& groups,
                    const std::map<std::string, std::vector<std::string>>& values, Texts texts) {
  Command result{command.getName().str(), command.getDescription().str(), std::move(texts), ""};
  std::vector<std::pair<size_t, Flag>> flags;
  for (const auto& [name, option] : cl::getRegisteredOptions(command)) {
    const auto group = llvm::find(groups, option->Categories.front());
    if (group == groups.end()) continue;
    Flag flag;
    flag.name = name.str();
    flag.help = option->HelpStr.str();
    flag.group = (*group)->getName().str();
    if (option->getValueExpectedFlag() == cl::ValueRequired)
      flag.value = option->ValueStr.empty() ? "VALUE" : option->ValueStr.str();
    if (auto known = values.find(flag.name); known != values.end()) flag.values = known->second;
    flag.isRequired = isRequired(*option);
    flag.mayRepeat = mayRepeat(*option);
    flag.isList = (option->getMiscFlags() & cl::CommaSeparated) != 0;
    flag.isJoined = option->getFormattingFlag() == cl::Prefix;
    flag.isHidden = option->getOptionHiddenFlag() != cl::NotHidden;
    flags.emplace_back(static_cast<size_t>(group - groups.begin()), std::move(flag));
  }
  llvm::sort(flags, [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name);
  });
  for (auto& [group, flag] : flags) result.flags.push_back(std::move(flag));
  for (const cl::Option* operand : command.PositionalOpts) {
    result.operand = operand->HelpStr.str();
    result.needsOperand = isRequired(*operand);
    result.takesSeveral = mayRepeat(*operand);
  }
  return result;
}

}  // namespace einc::command_line
