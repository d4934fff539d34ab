// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "tools/command_line/main.h"

#include <optional>

#include "compiler/driver/commands.h"
#include "compiler/driver/exit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
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

// @FILE holds more arguments. What is wrong with one.
std::optional<std::string> expandFiles(llvm::BumpPtrAllocator& memory,
                                       llvm::SmallVectorImpl<const char*>& arguments) {
  cl::ExpansionContext context(memory, cl::TokenizeGNUCommandLine);
  llvm::Error error = context.expandResponseFiles(arguments);
  if (!error) return std::nullopt;
  const std::string text = llvm::toString(std::move(error));
  llvm::StringRef rest(text);
  if (rest.consume_front("recursive expansion of: "))
    return "the file of arguments " + rest.str() + " names itself";
  rest.consume_front("cannot not open file ");
  return "cannot read the arguments of @FILE: " + rest.str();
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
  llvm::BumpPtrAllocator memory;
  llvm::SmallVector<const char*, 32> arguments(argv, argv + argc);
  const auto wrong = expandFiles(memory, arguments);
  const int code =
      wrong ? driver::fail(driver::kBadCommandLine, *wrong) : answer(program, arguments, run);
  // A closed standard error is no reason to abort.
  llvm::errs().clear_error();
  return code;
}

}  // namespace einc::command_line
