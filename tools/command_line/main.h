// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The main function of einc and einc-ods-gen.
#pragma once

#include <functional>

#include "tools/command_line/table.h"

namespace einc::command_line {

// Answers --help and --version, refuses what the program does not take, has LLVM set the flags and
// runs `run`. Returns the exit code.
int runMain(const Program& program, int argc, char** argv, const std::function<int()>& run);

}  // namespace einc::command_line
