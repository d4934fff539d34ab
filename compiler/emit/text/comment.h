// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Text in comments of generated files.
#pragma once

#include <string>

namespace einc::emit {

// Text for a block comment: nothing in it ends the comment or joins lines. Each line gets `prefix`.
std::string commentLines(const std::string& text, const std::string& prefix);

}  // namespace einc::emit
