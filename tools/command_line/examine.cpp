// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tools/command_line/examine.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace einc::command_line {
namespace {

// Without its one or two hyphens, which is as many as LLVM takes off.
llvm::StringRef withoutHyphens(llvm::StringRef flag) {
  flag.consume_front("-");
  flag.consume_front("-");
  return flag;
}

// ---- The nearest flag ----

// Letters to change; two that changed places are one.
unsigned distance(llvm::StringRef typed, llvm::StringRef flag) {
  const unsigned changed = typed.edit_distance_insensitive(flag);
  if (changed != 2 || typed.size() != flag.size()) return changed;
  size_t at = 0;
  while (typed[at] == flag[at]) ++at;
  const bool areSwapped =
      at + 1 < typed.size() && typed[at] == flag[at + 1] && typed[at + 1] == flag[at];
  return areSwapped ? 1 : changed;
}

// Of what newcomers are used to from other programs.
std::optional<std::string> usualName(const Program& program, const Command& command,
                                     llvm::StringRef typed) {
  auto other = program.otherNames.find(typed.str());
  const Flag* flag = other == program.otherNames.end() ? nullptr : command.find(other->second);
  if (!flag) return std::nullopt;
  return flag->spelled();
}

// As it is to be typed, or nothing where none is near. A flag of one letter is near to nothing.
std::optional<std::string> nearest(const Program& program, const Command& command,
                                   llvm::StringRef typed, bool hasOneHyphen) {
  if (auto other = usualName(program, command, typed)) return other;
  if (hasOneHyphen && typed.size() > 1)  // -odir
    if (const Flag* flag = command.find(typed.take_front(1).str()); flag && !flag->value.empty())
      return flag->spelled() + " " + typed.drop_front(1).str();
  if (typed.size() < 2) return std::nullopt;
  unsigned least = std::max<unsigned>(1, static_cast<unsigned>(typed.size()) / 3) + 1;
  const Flag* found = nullptr;
  for (const Flag& flag : command.flags) {
    if (flag.isHidden || flag.name.size() < 2) continue;
    const bool isCut = typed.size() >= 3 && llvm::StringRef(flag.name).starts_with(typed);
    const unsigned away = isCut ? 1 : distance(typed, flag.name);
    if (away >= least) continue;
    least = away;
    found = &flag;
  }
  if (!found) return std::nullopt;
  return found->spelled();
}

// "'einc emit' and 'einc build'"
std::string commandsWith(const Program& program, const std::string& flag) {
  std::vector<std::string> titles;
  for (const Command& command : program.commands)
    if (const Flag* found = command.find(flag); found && !found->isHidden)
      titles.push_back("'" + program.titleOf(command) + "'");
  if (titles.size() < 2) return joined(titles);
  const std::string last = titles.back();
  titles.pop_back();
  return joined(titles) + " and " + last;
}

// ---- One command's arguments ----

Asked helpAsked(const Command* command, const std::string& format) {
  if (format.empty()) return Help{command, "text"};
  if (llvm::is_contained(helpFormats(), format)) return Help{command, format};
  return Mistake{"--help=" + format + ": there are " + joined(helpFormats()) +
                 didYouMean(format, helpFormats())};
}

// As LLVM reads it.
bool isTruth(llvm::StringRef value) {
  return llvm::is_contained({"true", "TRUE", "True", "1", "false", "FALSE", "False", "0"}, value);
}

std::string usage(const Flag& flag) { return flag.spelled() + " " + flag.value; }

class Examination {
 public:
  Examination(const Program& program, const Command& command,
              const std::vector<std::string>& arguments)
      : program_(program), command_(command), arguments_(arguments) {}

  Asked run(size_t first) {
    for (size_t i = first; i < arguments_.size(); ++i) {
      const std::string& argument = arguments_[i];
      if (argument == "--") {
        operands_ += arguments_.size() - i - 1;
        break;
      }
      if (argument.size() < 2 || argument[0] != '-') {
        ++operands_;
        continue;
      }
      llvm::StringRef rest = withoutHyphens(argument);
      const bool hasValue = rest.contains('=');
      auto [name, value] = rest.split('=');
      if (name == "help" || name == "h")
        return helpAsked(command_.name.empty() ? nullptr : &command_, value.str());
      if (name == "version" && !program_.hasCommands()) return Version{};
      const Flag* flag = find(rest, name);
      if (!flag) return unknown(argument, name);
      if (auto wrong = take(*flag, rest, hasValue, value, i)) return *wrong;
    }
    return afterAll();
  }

 private:
  const Flag* find(llvm::StringRef rest, llvm::StringRef name) const {
    if (const Flag* flag = command_.find(name.str())) return flag;
    const Flag* joined = command_.find(rest.take_front(1).str());   // -j4
    const bool isWord = rest.size() > 1 && llvm::isAlpha(rest[1]);  // -jobs
    return joined && joined->isJoined && !isWord ? joined : nullptr;
  }

  // Goes over the value if that is the next argument.
  std::optional<Mistake> take(const Flag& flag, llvm::StringRef rest, bool hasValue,
                              llvm::StringRef value, size_t& i) {
    if (!seen_.insert(flag.name).second && !flag.mayRepeat)
      return mistake("flag '" + flag.spelled() + "' is given more than once");
    const bool isJoined = flag.isJoined && rest.size() > 1 && rest[1] != '=';
    if (flag.value.empty()) {
      if (hasValue && !isTruth(value))
        return mistake("flag '" + flag.spelled() + "' is true or false, not '" + value.str() + "'");
      return std::nullopt;
    }
    if (hasValue || isJoined) return std::nullopt;
    if (i + 1 == arguments_.size())
      return mistake("flag '" + flag.spelled() + "' takes a value: " + usage(flag));
    llvm::StringRef next(arguments_[++i]);
    if (next.size() > 1 && next[0] == '-' &&
        command_.find(withoutHyphens(next).split('=').first.str()))
      return mistake("flag '" + flag.spelled() + "' takes a value (" + usage(flag) +
                     "), but the flag '" + next.str() + "' follows");
    return std::nullopt;
  }

  Mistake mistake(const std::string& text) const {
    return {text + "; see " + program_.titleOf(command_) + " --help"};
  }

  Mistake unknown(const std::string& argument, llvm::StringRef name) const {
    const std::string typed = argument.substr(0, argument.find('='));
    std::string others = commandsWith(program_, name.str());
    if (!others.empty() && !usualName(program_, command_, name))
      return mistake("'" + typed + "' is a flag of " + others + ", not of '" +
                     program_.titleOf(command_) + "'");
    const bool hasOneHyphen = argument[1] != '-';
    auto near = nearest(program_, command_, name, hasOneHyphen);
    return mistake("there is no flag '" + typed + "'" +
                   (near ? " (did you mean '" + *near + "'?)" : ""));
  }

  Asked afterAll() const {
    for (const Flag& flag : command_.flags)
      if (flag.isRequired && seen_.count(flag.name) == 0)
        return mistake("flag '" + flag.spelled() + "' is missing: " + usage(flag) +
                       (flag.values.empty() ? "" : ", which is one of " + joined(flag.values)));
    if (command_.needsOperand && operands_ == 0)
      return mistake("expected a file: " + command_.operand);
    if (!command_.takesSeveral && operands_ > 1)
      return mistake("expected one " + command_.operand + ", not " + std::to_string(operands_));
    return Run{};
  }

  const Program& program_;
  const Command& command_;
  const std::vector<std::string>& arguments_;
  std::set<std::string> seen_;
  size_t operands_ = 0;
};

// ---- The command ----

std::vector<std::string> namesOf(const Program& program) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  names.emplace_back("help");
  return names;
}

std::string overview(const Program& program) {
  return "; '" + program.name + " help' lists the commands";
}

Mistake unknownCommand(const Program& program, const std::string& typed) {
  const llvm::StringRef text(typed);
  if (text.ends_with(".tc") || text.ends_with(".eir"))
    return {"a command comes first, such as " + program.name + " " + program.commands.front().name +
            " " + typed + overview(program)};
  return {"there is no command '" + typed + "'" + didYouMean(typed, namesOf(program)) +
          overview(program)};
}

// einc help [COMMAND]
Asked helpCommand(const Program& program, const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) return Help{nullptr, "text"};
  const Command* command = program.find(arguments[1]);
  if (!command) return unknownCommand(program, arguments[1]);
  if (arguments.size() > 2)
    return Mistake{"expected one command after '" + program.name + " help'"};
  return Help{command, "text"};
}

// A flag where a command should be.
Asked flagFirst(const Program& program, const std::vector<std::string>& arguments) {
  auto [name, format] = withoutHyphens(arguments[0]).split('=');
  if (name == "version") return Version{};
  if (name == "help" || name == "h") return helpAsked(nullptr, format.str());
  for (const std::string& argument : arguments)
    if (program.find(argument))
      return Mistake{"the command comes first: " + program.name + " " + argument + " " +
                     arguments[0] + overview(program)};
  return Mistake{"expected a command, found '" + arguments[0] + "'" + overview(program)};
}

}  // namespace

const std::vector<std::string>& helpFormats() {
  static const std::vector<std::string> formats = {"text", "man",      "markdown",
                                                   "bash", "commands", "zsh"};
  return formats;
}

Asked examine(const Program& program, const std::vector<std::string>& arguments) {
  if (!program.hasCommands()) return Examination(program, program.commands[0], arguments).run(0);
  if (arguments.empty()) return Mistake{"expected a command" + overview(program)};
  if (arguments[0].size() > 1 && arguments[0][0] == '-') return flagFirst(program, arguments);
  if (arguments[0] == "help") return helpCommand(program, arguments);
  const Command* command = program.find(arguments[0]);
  if (!command) return unknownCommand(program, arguments[0]);
  return Examination(program, *command, arguments).run(1);
}

std::string helpIn(const Program& program, const Help& help) {
  if (help.format == "man") return manPage(program, help.command);
  if (help.format == "markdown") return markdownPage(program);
  if (help.format == "bash") return bashCompletion(program);
  if (help.format == "zsh") return zshCompletion(program);
  if (help.format == "commands")
    return joined(program.commands, "", [](const Command& one) { return one.name + "\n"; });
  return helpText(program, help.command);
}

}  // namespace einc::command_line
