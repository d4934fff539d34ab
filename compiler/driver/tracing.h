// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is said of single passes: their results, where these are asked for, and why one failed.
#pragma once

#include <optional>
#include <string>

#include "compiler/driver/commands.h"
#include "compiler/pipeline/sequence.h"
#include "compiler/support/result.h"

namespace einc::driver {

// Prints the IR after the passes asked for, on standard error; then does to it what `plant` says.
// Null where nothing is asked for.
pipeline::AfterPass tracer(const Tracing& tracing, const std::string& plant = "");
// The reason why --print-ir-after is wrong.
std::optional<Reason> findUnknownPass(const Tracing& tracing);
// Prints why the passes ended early; the exit code. `schedule` is the file that steps are from, or
// null.
ExitCode reportFailure(const pipeline::PassFailure& failure, const SourceFile* schedule = nullptr);

}  // namespace einc::driver
