// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Files in and out. Inputs are regular files (or "-" for standard input) of a bounded size; outputs
// appear whole or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/result.h"

namespace einc {

constexpr size_t kMaxInputBytes = size_t{1} << 30;

// The whole of a regular file or, for "-", of standard input. A directory, FIFO or device is
// refused with a reason, without blocking.
Result<std::string> readInput(const std::string& path, size_t maxBytes = kMaxInputBytes);

struct OutputFile {
  std::string path;  // "-" is standard output
  std::string bytes;
};

// Writes every file to a temporary beside its destination, then renames them all. On any failure,
// or a fatal signal, no destination has changed and no temporary is left. Returns an empty string,
// or the reason.
std::string writeOutputs(const std::vector<OutputFile>& files);

// Whether the file is there and has these bytes: written again, it would look new to Make and Ninja.
bool isWritten(const OutputFile& file);

}  // namespace einc
