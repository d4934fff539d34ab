// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The libraries that `einc bench` knows, one row each in contestants.cpp, and how an adapter for
// one is compiled.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/result.h"

namespace einc::bench {

struct Library {
  std::string name;                // as --against= and the table spell it
  std::string group;               // what --against= takes for all of its kind
  std::string what;                // for people
  std::string adapter;             // source file
  std::string header;              // must be there to compile the adapter; empty: none
  std::vector<std::string> flags;  // for the compiler
  std::map<std::string, std::string> environment;
};

// OpenBLAS stands twice: as installed, and told to be the `coreType` that fits this machine.
std::vector<Library> allLibraries(const std::string& coreType);
// Names of libraries or of groups.
Result<std::vector<Library>> chooseLibraries(const std::vector<std::string>& names,
                                             const std::string& coreType);

// The core type of OpenBLAS that fits a machine.
std::string coreTypeFor(int vectorBytes, bool hasFma);

// Where a header is found, or nothing.
std::optional<std::string> findHeader(const std::string& header);

// The sources of adapters, by file name.
const std::map<std::string, std::string>& adapterSources();

// So many threads each.
std::map<std::string, std::string> onThreads(int64_t threads);

}  // namespace einc::bench
