// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An iterator that is divided becomes two: its digits.
//
//   before  op (m: parallel) ins(%P[m floordiv 16, m mod 16]) outs(%A[m]) { ... }
//   after   view %P_left: tensor<(M - (M floordiv 16) * 16) x f32> = (m) -> %P[M floordiv 16, m]
//           view %A_left: tensor<(M - (M floordiv 16) * 16) x f32> =
//               (m) -> %A[(M floordiv 16) * 16 + m]
//           op (m: parallel) ins(%P_left[m]) outs(%A_left[m]) { ... }
//           view %P_digits: tensor<(M floordiv 16) x 16 x f32> = (m_high, m) -> %P[m_high, m]
//           view %A_digits: tensor<(M floordiv 16) x 16 x f32> = (m_high, m) -> %A[m_high * 16 + m]
//           op (m_high: parallel, m: parallel) ins(%P_digits[m_high, m])
//               outs(%A_digits[m_high, m]) { ... }
//
// Nothing is divided in a loop then, and lanes along `m` are neighbours. Terms of a sum come in another
// order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

struct Digit {
  std::string iterator;  // the lower digit is called so, too
  affine::Expr base;     // what it is divided by
  std::string high;      // what the higher digit is called
};

// The iterators that operands' indices divide by a size, or by a constant of at least `least`; the
// largest constant of several. Only an iterator by itself counts, not `m + 1`.
std::vector<Digit> findDigits(const ir::Kernel& kernel, const ir::StructuredOp& op, int64_t least);

// The op in parts, in one block with the views that they need: what is left of each iterator, where
// those before it are `whole`, then all of them whole. Bases are positive where the op has elements.
using OnDigits = std::function<ir::Block(const ir::StructuredOp& part, size_t whole)>;
ir::Block splitDigits(Builder& builder, const ir::StructuredOp& op,
                      const std::vector<Digit>& digits, const OnDigits& onPart);

}  // namespace einc::transforms
