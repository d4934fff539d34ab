// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Promotion of an operand's tile into panels: [panel][position in K][row of the panel], where a
// panel has `width` rows (or columns), the last filled up with zeros.
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) ...
//   after   tile m0 : m0_size = 0 .. M by 8 parallel {
//             view %A_m0: tensor<m0_size x K x f32> = (m, k) -> %A[m0 + m, k]
//             view %panel: tensor<K x 8 x f32> = (k, m) -> %packed[m0 floordiv 8, k, m]
//             if unit %A[0] {
//               op (k, m) ins(%A_m0[m, k]) outs(%panel[k, m]) { (a, p) -> a } vector (m: 8)
//             } else if unit %A[1] {                            a transpose in registers
//               if m0_size < 8 { op (k, m) outs(%panel[k, m]) { 0 } vector (m: 8) }
//               tile k0 : ... by 8 { op ... vector (m: 8, k: 8) }
//             } else { op ... }
//           }
//           ...
//
// The copy is a StructuredOp like any other. Several iterators of K are one dimension of the panel,
// in their order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/instructions.h"
#include "compiler/target/target.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct Panels {
  unsigned buffer;  // [panels][length][width]
  int64_t width;
  ir::ScalarType type;
  int64_t piece = 1;  // of `width`: how far the operand may be contiguous
  bool masks = false;
  // An element, of the inputs in their order; null: that of the first, cast to `type`.
  ir::ValueRef value = nullptr;
  // Elements of the panel are an instruction's words: each of several positions along the last
  // iterator, the last one filled up with zeros.
  std::optional<Instructed> words = {};
  bool areInside = true;  // no word has elements both inside the operand and beyond its ends
};

// On what: vectors of a target, and `threads`, each of which gets `work` elements at least.
struct PackedOn {
  const target::Target& target;
  int64_t lanes, threads, work;
};

// The axis for a piece: with masks it may be longer.
int64_t axisOfPiece(int64_t piece, bool masks);

// Packs the first of these inputs of the canonical op, or a value of all of them; `across` is the iterator that is cut
// into panels.
ir::Block pack(transforms::Builder& builder, const ir::StructuredOp& op,
               const std::vector<size_t>& inputs, const Panels& panels, const std::string& across,
               const std::vector<std::string>& along, const PackedOn& on);

}  // namespace einc::strategy
