// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scripts that complete commands, their flags, values that are a closed set, and spec files. They
// hold all they need: nothing is run while a user types.
#include "compiler/support/text_writer.h"
#include "llvm/ADT/StringRef.h"
#include "tools/command_line/table.h"

namespace einc::command_line {
namespace {

std::string functionOf(const Program& program) {
  std::string name = "_" + program.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::string flagWords(const Command& command) {
  std::string words;
  for (const Flag& flag : command.flags)
    if (!flag.isHidden) words += flag.spelled() + " ";
  return words + "--help";
}

std::string commandWords(const Program& program) {
  return joined(program.commands, " ", [](const Command& one) { return one.name; });
}

// ---- bash ----

// The values after a flag; of those of a list, after the last comma.
std::string bashValues(const Program& program) {
  std::string text;
  for (const Command& command : program.commands)
    for (const Flag& flag : command.flags) {
      if (flag.isHidden || flag.value.empty()) continue;
      const std::string key = command.name + "," + flag.spelled();
      if (flag.values.empty()) {
        text += "    " + key +
                ") mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); compopt -o filenames ;;\n";
        continue;
      }
      text += "    " + key + ")\n      ";
      if (flag.isList) text += "[[ $word == *,* ]] && before=${word%,*},\n      ";
      text += "mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \'" + joined(flag.values, " ") +
              "' -- \"${word##*,}\") ;;\n";
    }
  return text;
}

std::string bashFlags(const Program& program) {
  std::string text;
  for (const Command& command : program.commands)
    text += "      " + (command.name.empty() ? "''" : command.name) + ") words='" +
            flagWords(command) + "' ;;\n";
  return text;
}

// ---- zsh ----

// In single quotes, for _arguments: brackets and colons have a meaning there.
std::string zshText(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string zshFlag(const Flag& flag) {
  std::string text = "'";
  if (flag.mayRepeat) text += "*";
  text += flag.spelled();
  if (!flag.value.empty()) text += flag.name.size() == 1 ? "+" : "=";
  text += "[" + zshText(flag.help) + "]";
  if (!flag.value.empty()) {
    text += ":" + zshText(flag.value) + ":";
    if (flag.values.empty())
      text += "_files";
    else if (flag.isList)
      text += "_sequence compadd - " + joined(flag.values, " ");
    else
      text += "(" + joined(flag.values, " ") + ")";
  }
  return text + "'";
}

std::string zshArguments(const Command& command) {
  std::string text = "_arguments -S";
  for (const Flag& flag : command.flags)
    if (!flag.isHidden) text += " \\\n        " + zshFlag(flag);
  text += " \\\n        '--help[what the command takes]'";
  text += " \\\n        '*:file:_files -g \"*.(tc|eir)\"'\n";
  return text;
}

}  // namespace

std::string bashCompletion(const Program& program) {
  const std::string function = functionOf(program);
  std::string text = "# Made by " + program.name + " --help=bash. Do not edit.\n" + function +
                     "() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]}\n"
                     "  local command='' before='' words=''\n"
                     "  # bash makes three words of --flag=value.\n"
                     "  if [[ $word == = ]]; then\n"
                     "    word=''\n"
                     "  elif [[ $flag == = && COMP_CWORD -ge 2 ]]; then\n"
                     "    flag=${COMP_WORDS[COMP_CWORD - 2]}\n"
                     "  fi\n"
                     "  COMPREPLY=()\n";
  if (program.hasCommands())
    text +=
        "  command=${COMP_WORDS[1]}\n"
        "  if ((COMP_CWORD == 1)); then\n"
        "    mapfile -t COMPREPLY < <(compgen -W '" +
        commandWords(program) +
        " help --help --version' -- \"$word\")\n"
        "    return\n"
        "  fi\n"
        "  if [[ $command == help ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W '" +
        commandWords(program) +
        "' -- \"$word\")\n"
        "    return\n"
        "  fi\n";
  text += "  case $command,$flag in\n" + bashValues(program) +
          "    *)\n"
          "      if [[ $word == -* ]]; then\n"
          "        case $command in\n" +
          bashFlags(program) +
          "        esac\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "      else\n"
          "        mapfile -t COMPREPLY < <(\n"
          "          compgen -f -X '!*.tc' -- \"$word\"\n"
          "          compgen -f -X '!*.eir' -- \"$word\"\n"
          "          compgen -d -- \"$word\"\n"
          "        )\n"
          "        compopt -o filenames\n"
          "      fi\n"
          "      ;;\n"
          "  esac\n"
          "}\n"
          "complete -F " +
          function + " " + program.name + "\n";
  return text;
}

std::string zshCompletion(const Program& program) {
  const std::string function = functionOf(program);
  std::string text = "#compdef " + program.name + "\n# Made by " + program.name +
                     " --help=zsh. Do not edit.\n" + function + "() {\n";
  if (!program.hasCommands())
    return text + "  " + zshArguments(program.commands.front()) + "}\n" + function + " \"$@\"\n";
  text += "  local -a commands=(\n";
  for (const Command& command : program.commands)
    text += "    '" + zshText(command.name) + ":" + zshText(command.summary) + "'\n";
  text +=
      "    'help:what a command takes'\n  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=${words[2]}\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n"
      "    help) _describe command commands ;;\n";
  for (const Command& command : program.commands)
    text += "    " + command.name + ")\n      " + zshArguments(command) + "      ;;\n";
  return text + "  esac\n}\n" + function + " \"$@\"\n";
}

}  // namespace einc::command_line
