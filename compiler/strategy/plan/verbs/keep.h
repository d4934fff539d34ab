// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: sums_rows, n: nc)
//   keep (m: rows) of E
//   keep (m: 8) of S in workgroup
//   keep () of S on stack
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Memory of so many positions along each iterator, all that it has here: for sums that a tile of a
// reduction leaves unfinished, where other ops are done on the tiles of an op, or, where ops share
// loops, for a tensor that they alone use, at the positions of the loops: of what it has in other dimensions
// there is memory for all. On a device that is memory of the workgroup, or, on the
// stack, of an invocation. There others may use the tensor, too, if it has one element at a
// position: it is then read before, if that is needed, and stored behind all ops.
//
//   before  op (m: parallel) outs(%y[m]) { 0.0 }                         tile m0 by 1 around both
//           op (m: parallel, n: reduction) ins(%X[m, n]) outs(%y[m]) { add(y, x) }
//   after   alloc %y_private: tensor<f32> in stack                       keep () of y on stack
//           op () outs(%y_private[]) { 0.0 }
//           op (n: reduction) ins(%X_m0[n]) outs(%y_private[]) { add(y, x) }
//           op () ins(%y_private[]) outs(%y_m0[]) { y_private }
struct KeepStep {
  static constexpr const char* kVerb = "keep";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  enum class Where : uint8_t { Cache, Workgroup, Stack };
  struct Extent {
    std::string iterator;
    affine::Expr positions;
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> memory;
  std::string tensor = {};  // "": sums
  Where where = Where::Cache;

  bool operator==(const KeepStep&) const = default;
  void describe(Syntax& text) {
    text.list(memory, [&](Extent& extent) {
      text.iterator(extent.iterator).word(":").number(extent.positions);
    });
    if (!text.option("of", !tensor.empty())) return;
    text.name(tensor);
    Where read = Where::Cache;
    if (text.option("in", where == Where::Workgroup)) {
      read = Where::Workgroup;
      text.word("workgroup");
    } else if (text.option("on", where == Where::Stack)) {
      read = Where::Stack;
      text.word("stack");
    }
    if (text.fills()) where = read;
  }
};

ir::Block apply(const Work& work, At here, const KeepStep& step);

}  // namespace einc::strategy
