// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A tile whose columns end before it does, with only as many vectors as there are columns for.
//
//   if columns <= 16 { tile of 16 } else if columns <= 32 { tile of 32 } else { tile of 48 }
#pragma once

#include <functional>

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `ofWidth` gives the tile of a width, which is a multiple of `lanes` up to `widest`.
ir::Block byWidth(const affine::Expr& columns, int64_t widest, int64_t lanes,
                  const std::function<ir::Block(int64_t)>& ofWidth);

}  // namespace einc::strategy
