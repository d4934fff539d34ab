// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   bind m by 8 to workgroups
//   bind n to invocations
//   bind m by 4 over 16, n by 4 over 8 to invocations
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// On a device: blocks of `by` positions, each for a workgroup; or for an invocation, of the workgroup
// that it is in, or, where none is bound, of the device. With 1 the iterator is gone from the op. Several
// iterators are loops in each other, the last one along neighbours.
//
// With `over` so many invocations of the workgroup share the blocks, however many there are: the first
// does blocks 0, over, 2 * over, and so on. In 'results', which has the same iterators as axes, they stay.
//
//   before  op (m: parallel, n: parallel) ins(%A[n, m]) outs(%C[m, n])       at most 32 x 32
//           bind m over 4, n over 32 to invocations
//   after   tile ty = 0 .. 4 on invocations { tile tx = 0 .. 32 on invocations {
//             if tx < N { tile turn = 0 .. 8 { if turn * 4 + ty < M {
//               op () ins(%A_m_n[]) outs(%C_m_n[])
//           } } } } }
struct BindStep {
  static constexpr const char* kVerb = "bind";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  enum class To : uint8_t { Workgroups, Invocations };
  struct Loop {
    std::string iterator;
    affine::Expr by = affine::Expr::constant(1);
    std::optional<int64_t> over = {};  // invocations
    bool operator==(const Loop&) const = default;
  };
  std::vector<Loop> loops;
  To to = To::Workgroups;

  BindStep() = default;
  BindStep(std::string iterator, affine::Expr by, To to)
      : loops{{std::move(iterator), std::move(by)}}, to(to) {}
  BindStep(std::vector<Loop> loops, To to) : loops(std::move(loops)), to(to) {}

  bool operator==(const BindStep&) const = default;
  std::vector<std::string> along() const {
    std::vector<std::string> names;
    for (const Loop& loop : loops) names.push_back(loop.iterator);
    return names;
  }
  void describe(Syntax& text) {
    text.each(loops, [&](Loop& loop) {
      text.iterator(loop.iterator);
      if (text.option("by", loop.by != affine::Expr::constant(1))) text.number(loop.by);
      if (text.option("over", loop.over)) text.integer(*loop.over);
    });
    text.word("to");
    const bool isInvocations = text.option("invocations", to == To::Invocations);
    if (text.fills()) to = isInvocations ? To::Invocations : To::Workgroups;
    if (!isInvocations) text.word("workgroups");
  }
};

ir::Block apply(const Work& work, At here, const BindStep& step);

}  // namespace einc::strategy
