// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/tracing.h"

#include <algorithm>
#include <vector>

#include "compiler/driver/plant.h"
#include "compiler/ir/print.h"
#include "compiler/pipeline/passes.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {

pipeline::AfterPass tracer(const Tracing& tracing, const std::string& plant) {
  if (!tracing.afterAll && tracing.after.empty() && plant.empty()) return nullptr;
  return [tracing, plant](std::string_view pass, ir::Module& module) {
    if (tracing.afterAll || llvm::is_contained(tracing.after, pass))
      llvm::errs() << "// after " << pass << '\n' << ir::print(module);
    plantIn(plant, pass, module);
  };
}

std::optional<Reason> findUnknownPass(const Tracing& tracing) {
  std::vector<std::string> known;
  for (const pipeline::Pass& pass : pipeline::allPasses()) known.emplace_back(pass.name);
  for (const std::string& name : tracing.after)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Reason{"--print-ir-after=" + name + ": unknown pass" + didYouMean(name, known) +
                    "; there are " + joined(known)};
  return std::nullopt;
}

ExitCode reportFailure(const pipeline::PassFailure& failure, const SourceFile* schedule) {
  std::string message = "pass '" + failure.pass + "': " + failure.reason;
  if (schedule && failure.step != SourceRange()) {
    const SourceFile::Position at = schedule->position(failure.step.begin);
    message = schedule->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
              ": " + message;
  }
  if (failure.kind == pipeline::PassFailure::Kind::Refused)
    return static_cast<ExitCode>(fail(kBadInput, message));
  return static_cast<ExitCode>(failInternally(message, ir::print(failure.before)));
}

}  // namespace einc::driver
