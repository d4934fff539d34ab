// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/compile.h"

#include <utility>

#include "compiler/driver/progress.h"
#include "compiler/driver/tracing.h"
#include "compiler/ir/contract.h"
#include "compiler/pipeline/pipeline.h"

namespace einc::driver {

std::variant<std::vector<Compiled>, ExitCode> compileScheduled(const ir::Module& module,
                                                               const Schedules& schedules,
                                                               const pipeline::AfterPass& after,
                                                               ir::Level until,
                                                               pipeline::VerifyEach* each) {
  std::vector<Compiled> result;
  for (const ir::Kernel& kernel : module.kernels)
    result.push_back({*ir::contractOf(kernel), {}, {}});
  for (const pipeline::Scheduled& scheduled : schedules) {
    Progress::say("generating code for " + std::string(scheduled.options.target->name));
    auto finished = pipeline::finish(scheduled, until, after, each);
    if (auto* failure = std::get_if<pipeline::PassFailure>(&finished))
      return reportFailure(*failure);
    ir::Module& code = std::get<ir::Module>(finished);
    for (size_t i = 0; i < code.kernels.size(); ++i) {
      result[i].codes.push_back(std::move(code.kernels[i]));
      const ir::Level given = module.kernels[i].level;
      result[i].schedules.push_back(given > ir::Level::Buffers
                                        ? "from IR text at level " + std::string(ir::nameOf(given))
                                        : scheduleText(scheduled.decisions[i], ""));
    }
  }
  return result;
}

std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const CodeOptions& options,
                                                      const Tracing& tracing, ir::Level until) {
  auto schedules = schedule(module, options, tracing);
  if (auto* code = std::get_if<ExitCode>(&schedules)) return *code;
  return compileScheduled(module, std::get<Schedules>(schedules), tracer(tracing, options.plant),
                          until, options.each.get());
}

}  // namespace einc::driver
