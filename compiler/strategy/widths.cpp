// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/widths.h"

#include <utility>

#include "compiler/transforms/builder.h"

namespace einc::strategy {

ir::Block byWidth(const affine::Expr& columns, int64_t widest, int64_t lanes,
                  const std::function<ir::Block(int64_t)>& ofWidth) {
  ir::Block result = ofWidth(widest);
  for (int64_t width = widest - lanes; width > 0; width -= lanes)
    result = transforms::only(
        {ir::If{{{ir::Condition::Kind::LessEqual, columns, transforms::constant(width)}},
                ofWidth(width),
                std::move(result)}});
  return result;
}

}  // namespace einc::strategy
