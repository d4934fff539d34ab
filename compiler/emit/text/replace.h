// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Texts of the preludes are written for one type and made for others by replacing names.
#pragma once

#include <string>
#include <string_view>

namespace einc::emit {

// Wherever `from` stands, which is not empty; not in what was put there.
void replaceAll(std::string& text, std::string_view from, std::string_view to);

}  // namespace einc::emit
