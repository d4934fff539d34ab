// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The passes by name, and pipelines of them as text: what `einc opt --passes=` takes. A pass works
// on each kernel of a module; after each, the module is verified.
//
//   specialize{M=8,strides=2:2},bufferize,lower
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/pipeline/sequence.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/result.h"

namespace einc::pipeline {

using PassOptions = std::vector<std::pair<std::string, std::string>>;

struct Pass {
  std::string_view name;
  std::string_view options;       // "{M=8,...}" for people; empty: none
  std::string_view description;   // one line
  std::optional<ir::Level> from;  // the level it takes; none: any
  std::function<Result<ir::Module>(const ir::Module&, const PassOptions&)> run;
};

const std::vector<Pass>& allPasses();

struct PassCall {
  const Pass* pass;
  PassOptions options;
};

// Nothing after an error.
std::optional<std::vector<PassCall>> parsePipeline(const SourceFile& source, Diagnostics& errors);

// Runs the passes on a module that keeps the rules. `after` may be null.
std::optional<PassFailure> runPipeline(const std::vector<PassCall>& pipeline, ir::Module& module,
                                       const AfterPass& after);

}  // namespace einc::pipeline
