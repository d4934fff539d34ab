// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tools/command_line/main.h"

#include "compiler/driver/commands.h"
#include "compiler/driver/exit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/command_line/examine.h"

namespace einc::command_line {
namespace {

namespace cl = llvm::cl;

int print(const std::string& text) {
  llvm::outs() << text;
  llvm::outs().flush();
  return driver::kSuccess;
}

int answer(const Program& program, llvm::ArrayRef<const char*> arguments,
           const std::function<int()>& run) {
  const Asked asked = examine(program, {arguments.begin() + 1, arguments.end()});
  if (auto* mistake = std::get_if<Mistake>(&asked))
    return driver::fail(driver::kBadCommandLine, mistake->text);
  if (auto* help = std::get_if<Help>(&asked)) return print(helpIn(program, *help));
  if (std::holds_alternative<Version>(asked)) return print(driver::aboutText());
  const bool parsed = cl::ParseCommandLineOptions(static_cast<int>(arguments.size()),
                                                  arguments.data(), "", &llvm::errs());
  return parsed ? run() : driver::kBadCommandLine;
}

}  // namespace

int runMain(const Program& program, int argc, char** argv, const std::function<int()>& run) {
  driver::installHandlers();
  // @FILE holds more arguments.
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 32> arguments(argv, argv + argc);
  cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, arguments);
  const int code = answer(program, arguments, run);
  // A closed standard error is no reason to abort.
  llvm::errs().clear_error();
  return code;
}

}  // namespace einc::command_line
