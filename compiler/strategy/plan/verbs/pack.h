// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   pack B (n: 48) along k, l as p to i32 in pieces of 16 on threads (131072)
//   pack B (n: 48) along k computed
//   pack Q with s (n: 48) along k computed
//   pack B (n: 48) along k as p for vpdpbusd
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What the op reads of an input here is copied to panels of so many positions along an iterator, each
// behind the other, in which the tiles that follow read on and on.
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n])      pack B (n: 16)
//   after   alloc %packed_B: tensor<panels x terms x 16 x f32>
//           outline pack_b { copies of %B to it, panel by panel }
//           op (...) ins(%A[m, k], %packed_B_panel[k, n])              in tiles of 16 columns
//
// `for` an instruction that adds several products at once (strategy/instructions.h), elements of a
// panel are its words: of several positions along the last of these iterators.
struct PackStep {
  static constexpr const char* kVerb = "pack";
  static constexpr bool kInRegion = true;
  OperandName operand;
  ir::Axis panel;
  std::vector<std::string> along = {};      // from row to row of a panel; empty: the other iterator
  std::string as = {};                      // all of these as one, in all inputs
  std::optional<ir::ScalarType> type = {};  // to which the payload casts it
  std::string instruction = {};             // of whose words panels are; empty: of elements
  bool isComputed = false;  // what the payload computes of it alone is what is packed
  std::vector<OperandName> with =
      {};             // of it and of these inputs, which have no iterators that it lacks
  int64_t piece = 1;  // of a panel, which may be contiguous without all of it
  std::optional<int64_t> threads = {};  // elements that make a thread worth its start
  bool isOnWorkgroup = false;
  std::optional<int64_t> row = {};  // elements of a row there, of which the last are not used

  bool operator==(const PackStep&) const = default;
  std::vector<OperandName> copied() const {
    std::vector<OperandName> all = {operand};
    all.insert(all.end(), with.begin(), with.end());
    return all;
  }
  void describe(Syntax& text) {
    text.operand(operand);
    if (text.option("with", !with.empty()))
      text.each(with, [&](OperandName& other) { text.operand(other); });
    text.word("(").axis(panel).word(")");
    if (text.option("along", !along.empty())) text.iterators(along);
    if (text.option("as", !as.empty())) text.name(as);
    if (text.option("to", type)) text.type(*type);
    if (text.option("for", !instruction.empty())) text.name(instruction);
    text.flag("computed", isComputed);
    text.pieces(piece);
    if (!text.option("on", threads || isOnWorkgroup)) return;
    const bool isShared = text.option("workgroup", isOnWorkgroup);
    if (text.fills()) isOnWorkgroup = isShared;
    if (isShared && text.option("(", row)) text.integer(*row).word(")");
    if (isShared) return;
    if (text.fills()) threads.emplace();
    text.word("threads").word("(").integer(*threads).word(")");
  }
};

ir::Block apply(const Work& work, At here, const PackStep& step);

}  // namespace einc::strategy
