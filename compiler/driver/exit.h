// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How a tool ends.
#pragma once

#include <string>

namespace einc::driver {

enum ExitCode : int {
  kSuccess = 0,
  kBadInput = 1,        // a spec, an array, a file, or the place to write to
  kBadCommandLine = 2,  // a flag or its value
  kInternalError = 70   // a bug in Einc (EX_SOFTWARE of sysexits.h)
};

// "einc: error: MESSAGE" on standard error; returns `code`.
int fail(ExitCode code, const std::string& message);

// Says that Einc has a bug and what to report, leaves a file with `reproducer` (text that shows the
// bug again) in the folder for temporary files, and returns kInternalError.
int failInternally(const std::string& message, const std::string& reproducer);

// A crash or a lack of memory ends the process with a line of advice and kInternalError or
// kBadInput, instead of a signal. Call once, first thing in main.
void installHandlers();

}  // namespace einc::driver
