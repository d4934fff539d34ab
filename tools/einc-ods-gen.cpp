// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The command line of mlir-linalg-ods-gen: op definitions from a spec.
#include "compiler/driver/commands.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace {

namespace cl = llvm::cl;
using namespace einc::driver;

cl::OptionCategory category("Options");
cl::opt<std::string> spec(cl::Positional, cl::desc("SPEC"), cl::Required, cl::cat(category));
cl::opt<std::string> output("o", cl::value_desc("FILE"), cl::init("-"), cl::cat(category),
                            cl::desc("output file; '-' is standard output"));
cl::opt<bool> declarations("gen-ods-decl", cl::cat(category),
                           cl::desc("write the ops' TableGen definitions"));
cl::opt<bool> implementations("gen-impl", cl::cat(category),
                              cl::desc("write the ops' C++ methods"));

}  // namespace

int main(int argc, char** argv) {
  installHandlers();
  cl::HideUnrelatedOptions(category);
  int code = kBadCommandLine;
  if (cl::ParseCommandLineOptions(argc, argv, "einc-ods-gen: op definitions from a spec\n",
                                  &llvm::errs())) {
    Request request;
    request.specs = {spec};
    if (declarations == implementations)
      fail(kBadCommandLine, "give one of -gen-ods-decl and -gen-impl");
    else
      code = emit(request, {declarations ? "ods" : "ods-impl", output, {}, {}});
  }
  llvm::errs().clear_error();
  return code;
}
