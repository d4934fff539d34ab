// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What transposes around the caches stand on: loops around the vectors' axis, on threads.
#pragma once

#include <functional>
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
  StreamingCommon(transforms::Builder& builder, const ScheduleOptions& options, std::string axis)
      : builder_(builder), options_(options), target_(*options.target), axis_(std::move(axis)) {}

  // Bytes that go to memory at once.
  static constexpr int64_t kCacheLine = 64;

  static bool has(const ir::Operand& operand, const std::string& name);

  // Positions that are computed at once.
  int64_t lanes(const ir::StructuredOp& op) const;

  // Tiles that threads share (grain.h).
  transforms::Tiling onThreads(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t step, bool outer = false) const;

  // Loops over all iterators but some and the reductions, then `inner`. They may be on threads, and
  // so may loops of `inner`, if it has `loopsOnThreads`.
  using Inner = std::function<ir::Block(const ir::StructuredOp&)>;
  ir::Block outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                  const Inner& inner, bool loopsOnThreads = false);

  // Where what is written has elements, and more than the last cache holds; nothing where it is known
  // to be smaller.
  std::optional<ir::If> whereLarge(const ir::StructuredOp& op) const;

  transforms::Builder& builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  std::string axis_;  // along which vectors lie
};

}  // namespace einc::strategy
