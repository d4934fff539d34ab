// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// `einc eval`'s command line to a kernel's arguments: arrays read, sizes found, outputs allocated.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/commands.h"
#include "compiler/driver/load.h"
#include "compiler/interp/interpreter.h"

namespace einc::driver {

// Where an output ends up.
struct Destination {
  unsigned tensor;
  std::string path;    // empty: printed
  interp::View whole;  // what is written: the array that the output is a view of
};

struct EvalCall {
  interp::Arguments arguments;
  std::vector<Destination> destinations;
  std::vector<std::string> inputPaths;
};

struct EvalError {
  ExitCode code;
  std::string message;
};

// `dims` are the sizes that no array gives.
std::variant<EvalCall, EvalError> prepareCall(const ir::Kernel& kernel, const EvalOptions& options,
                                              const std::map<std::string, int64_t>& dims,
                                              const std::map<std::string, std::string>& attributes);

// The array for people: its type, its sizes, and its elements, the middle of long ones left out.
std::string arrayText(const std::string& name, const interp::View& view);

}  // namespace einc::driver
