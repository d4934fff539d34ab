// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/commands.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/outputs.h"
#include "compiler/driver/tracing.h"
#include "compiler/ir/print.h"
#include "compiler/pipeline/passes.h"
#include "compiler/support/files.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// The module of a file, or nothing after its errors were printed.
std::optional<ir::Module> readFile(const std::string& file) {
  auto text = readInput(file);
  if (!text) {
    fail(kBadInput, text.reason());
    return std::nullopt;
  }
  SourceFile source(file == "-" ? "<stdin>" : file, std::move(*text));
  Diagnostics errors(source);
  auto module = readModule(source, errors);
  errors.print(llvm::errs());
  return module;
}

}  // namespace

int opt(const OptOptions& options) {
  if (auto reason = findUnknownPass(options.tracing)) return fail(kBadCommandLine, reason->text);
  SourceFile source("--passes", options.passes);
  Diagnostics errors(source);
  std::vector<pipeline::PassCall> passes;
  if (!options.passes.empty()) {
    auto parsed = pipeline::parsePipeline(source, errors);
    errors.print(llvm::errs());
    if (!parsed) return kBadCommandLine;
    passes = std::move(*parsed);
  }
  auto module = readFile(options.file);
  if (!module) return kBadInput;
  if (auto failure = pipeline::runPipeline(passes, *module, tracer(options.tracing)))
    return reportFailure(*failure);
  if (int code = refuseOverwriting({options.file}, {options.output})) return code;
  std::string reason = writeOutputs({{options.output, ir::print(*module)}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
