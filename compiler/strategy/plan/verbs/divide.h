// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What 'split' and 'spread' share: an iterator as two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

// Why it cannot be by so many, or be called so.
std::optional<std::string> cannotDivide(const Work& work, const At& here,
                                        const std::string& iterator, int64_t by,
                                        const std::string& name);

// The op on these dimensions of the iterator, by the steps that follow.
ir::Block divided(const Work& work, At here, const std::string& name,
                  const std::vector<transforms::Dimension>& dims, const std::string& suffix);

}  // namespace einc::strategy
