// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What stands in generated text.
#pragma once

#include <string>

namespace einc::emit {

// Whether `name` stands in the text as a whole word, and not as a member.
bool usesWord(const std::string& text, const std::string& name);

}  // namespace einc::emit
