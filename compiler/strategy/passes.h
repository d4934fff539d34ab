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
#include "compiler/support/diagnostics.h"
#include "compiler/support/result.h"

namespace einc::strategy {

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

struct PassFailure {
  enum class Kind {
    Refused,  // the user's: the pass does not apply to this module, or not with these options
    Broken    // Einc's: the pass made a module that breaks a rule
  };
  Kind kind;
  std::string pass;
  std::string reason;
  ir::Module before;  // what the pass was given
};

using AfterPass = std::function<void(const Pass&, const ir::Module&)>;

// Runs the passes on a module that keeps the rules. `after`, if there is one, sees each result, a
// broken one, too.
std::optional<PassFailure> runPipeline(const std::vector<PassCall>& pipeline, ir::Module& module,
                                       const AfterPass& after);

}  // namespace einc::strategy
