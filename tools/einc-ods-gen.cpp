// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The command line of mlir-linalg-ods-gen: op definitions from a spec.
#include "compiler/driver/commands.h"
#include "llvm/Support/CommandLine.h"
#include "tools/command_line/main.h"

namespace {

namespace cl = llvm::cl;
using namespace einc::driver;

cl::OptionCategory category("Flags");
cl::opt<std::string> spec(cl::Positional, cl::desc("SPEC"), cl::Required, cl::cat(category));
cl::opt<std::string> output("o", cl::value_desc("FILE"), cl::init("-"), cl::cat(category),
                            cl::desc("output file; '-' is standard output"));
cl::opt<bool> declarations("gen-ods-decl", cl::cat(category),
                           cl::desc("write the ops' TableGen definitions"));
cl::opt<bool> implementations("gen-impl", cl::cat(category),
                              cl::desc("write the ops' C++ methods"));

int run() {
  if (declarations == implementations)
    return fail(kBadCommandLine, "give one of --gen-ods-decl and --gen-impl");
  Request request;
  request.specs = {spec};
  return emit(request, {declarations ? "ods" : "ods-impl", output, {}, {}});
}

einc::command_line::Program program() {
  using namespace einc::command_line;
  Program program{
      "einc-ods-gen",
      kVersion,
      "definitions of MLIR ops from specs in Einstein notation",
      {{"Takes the flags of mlir-linalg-ods-gen. One of --gen-ods-decl and --gen-impl is needed."},
       {{"einc-ods-gen --gen-ods-decl ops.tc -o Ops.td", "The ops as TableGen reads them."}}}};
  program.commands = {readCommand(cl::SubCommand::getTopLevel(), {&category}, {}, program.texts)};
  return program;
}

}  // namespace

int main(int argc, char** argv) { return einc::command_line::runMain(program(), argc, argv, run); }
