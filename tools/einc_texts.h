// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What people read about einc and its commands, beside what the flags say of themselves.
#pragma once

#include <map>
#include <string>

#include "tools/command_line/table.h"

namespace einc {

const command_line::Texts& programTexts();
const std::map<std::string, command_line::Texts>& commandTexts();  // by the command's name
const std::map<std::string, std::string>& otherNames();

}  // namespace einc
