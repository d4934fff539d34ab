// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the forms of streams.h share: loops around a vector's axis, and writing around the caches.
//
// An output that is larger than the last cache, is written once and not read goes to memory in
// whole vectors (ir::NonTemporal): otherwise its lines would be read first. For that its vectors begin
// at multiples of their size, in as many places at once as the target writes fastest.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

class StreamingCommon {
 protected:
  StreamingCommon(transforms::Builder& builder, const ScheduleOptions& options)
      : builder_(builder), options_(options), target_(*options.target) {}

  // Vectors of a line that are written at once, in as many places as the target likes best.
  static constexpr int64_t kVectors = 4;
  // Bytes that go to memory at once.
  static constexpr int64_t kCacheLine = 64;

  static bool has(const ir::Operand& operand, const std::string& name);

  // Positions that are computed at once.
  int64_t lanes(const ir::StructuredOp& op) const;

  // The terms of a sum may be added in any order.
  bool mayReorder(const ir::StructuredOp& op) const;

  // Tiles that threads share (grain.h).
  transforms::Tiling onThreads(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t step, bool outer = false) const;

  // Loops over all iterators but some and the reductions, then `inner`. They may be on threads, and
  // so may loops of `inner`, if it has `loopsOnThreads`.
  using Inner = std::function<ir::Block(const ir::StructuredOp&)>;
  ir::Block outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                  const Inner& inner, bool loopsOnThreads = false);

  // Conditions under which what is written is larger than the caches; nothing where the op's output
  // should not go around them.
  std::optional<ir::If> whereLarge(const ir::StructuredOp& op) const;

  // One line along the axis, in an ir::NonTemporal: up to where the output is aligned; whole vectors in
  // several places at once, if the target likes that, then one by one; the rest. (Lines of 93
  // elements, Zen 5, f32, GB/s: 16; 12 four by four, with what is left through the caches.)
  ir::Block line(const ir::StructuredOp& op);

  // So many vectors along the axis, or as many as it is known to have: in positions.
  int64_t widthOf(const ir::StructuredOp& op, int64_t vectors) const;

  // What memory that is only read is asked for early, where that is faster.
  std::optional<ir::Ahead> ahead(const ir::StructuredOp& op) const;

  // What a view is part of: those of the op's operands stand in blocks that are built just now.
  unsigned rootOf(unsigned tensor) const;

  transforms::Builder& builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  std::string axis_;                    // along which vectors lie
  std::map<unsigned, unsigned> bases_;  // of views that the op was given through
};

}  // namespace einc::strategy
