// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   copy B (n, k) as transposed on stack { loops }
//   copy B (n, k) as transposed on workgroup (33) { loops }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What the op reads of an input here is copied, by steps of its own, to memory in which these iterators are
// the dimensions, outermost first. The name is that of the memory. On a device that is the workgroup's, whose
// invocations share the copying; a row may have more elements than are used, so that columns are in other
// banks.
//
//   before  op (m: parallel, n: parallel) ins(%A[n, m]) outs(%C[m, n])       in a workgroup, at most 32 x 32
//           copy A (n, m) as A_tile on workgroup (33) { loops }
//   after   alloc %A_tile: tensor<32 x 33> in workgroup   view %A_tile_part: tensor<n_size x m_size> ...
//           op (n: parallel, m: parallel) ins(%A[n, m]) outs(%A_tile_part[n, m])
//           op (m: parallel, n: parallel) ins(%A_tile_part[n, m]) outs(%C[m, n])
struct CopyStep {
  static constexpr const char* kVerb = "copy";
  static constexpr bool kInRegion = true;
  enum class Where : uint8_t { Heap, Stack, Workgroup };
  OperandName operand;
  std::vector<std::string> dimensions;
  std::string name;
  Steps how;
  Where where = Where::Heap;
  std::optional<int64_t> row = {};  // elements of a row of the workgroup's memory

  bool operator==(const CopyStep&) const = default;
  std::vector<OperandName> copied() const { return {operand}; }
  void describe(Syntax& text) {
    text.operand(operand).word("(").iterators(dimensions).word(")").word("as").name(name);
    if (text.option("on", where != Where::Heap)) {
      const bool isShared = text.option("workgroup", where == Where::Workgroup);
      if (text.fills()) where = isShared ? Where::Workgroup : Where::Stack;
      if (!isShared)
        text.word("stack");
      else if (text.option("(", row))
        text.integer(*row).word(")");
    }
    text.steps(how);
  }
};

ir::Block apply(const Work& work, At here, const CopyStep& step);

}  // namespace einc::strategy
