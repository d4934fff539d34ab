// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What flags take, where that is a closed set: for help, completion, and those who refuse the rest.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace einc::driver {

const std::vector<std::string>& blasNames();         // --lib
const std::vector<std::string>& strictnessNames();   // --fp
const std::vector<std::string>& strideNames();       // --strides
const std::vector<std::string>& evalEngineNames();   // --engine of eval
const std::vector<std::string>& benchEngineNames();  // --engine of bench
const std::vector<std::string>& exportNames();       // --export
const std::vector<std::string>& tunedLibraries();    // --against of tune

// By the flags' names, for one command.
std::map<std::string, std::vector<std::string>> knownValues(const std::string& command);

}  // namespace einc::driver
