// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What an instruction's words are copied from (strategy/instructions.h): elements side by side along an iterator, or, where
// these are neighbours in memory, integers that have them all.
//
//   of       %A[m, k], in words of 4 along k
//   whole    view %element: tensor<M x (K floordiv 4) x i8> = (m, k) -> %A[m, k * 4]            and 3 more
//            view %words: tensor<M x (K floordiv 4) x i32> = (m, k) -> %A[m, k * 4]
//   rest     view %element: tensor<M x 1 x i8> = (m, k) -> %A[m, K floordiv 4 * 4 + k]          and 3 more, padded
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/packing.h"

namespace einc::strategy {

// What is copied to an element of a panel: a value of several inputs. Squares are made of one: of words the last, and else
// the first.
struct Copied {
  std::vector<ir::Operand> from;
  ir::ValueRef element;
  ir::ValueRef ofOne = nullptr;  // over operand 0; null: there are no squares
  // What becomes of that where it is in the panel: a value of the others, and of the element there, behind them. Null: it
  // stays.
  ir::ValueRef finished = nullptr;
};

// How many words so many positions are.
affine::Expr panelExtent(const affine::Expr& extent, const std::optional<Instructed>& words);

// Words of the op's operand along an iterator: all that have as many elements as a word takes, with that many
// positions; or what is left, which is one, filled up with zeros. Views go to `block`.
Copied wholeWords(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
                  const Panels& panels, const std::string& along, ir::Block& block);
Copied restOfWords(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
                   const Panels& panels, const std::string& along, ir::Block& block);

}  // namespace einc::strategy
