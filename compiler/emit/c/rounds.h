// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How many rounds of loops an invocation of a dispatch runs, as the host's C: some devices end all
// loops of an invocation after so many (einc_vk_device_info::max_rounds), and are then not asked.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/emit/c/prelude.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// An upper bound, with the round of each loop that finds its end: a number, or an expression of the
// prelude's functions. `index` prints what is known outside the dispatch. What cannot be told from
// there counts as more than any device has. None if there are no rounds.
std::optional<std::string> roundsOf(const ir::Kernel& kernel, const ir::Dispatch& dispatch,
                                    const std::function<std::string(const affine::Expr&)>& index,
                                    Prelude& prelude);

}  // namespace einc::emit
