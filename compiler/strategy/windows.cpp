// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/windows.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/widths.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using Kind = ir::Condition::Kind;

// Positions at once, and vectors of channels: 16 sums, and what they are made of, stay in
// registers.
constexpr int64_t kPositions = 4;
constexpr int64_t kVectors = 4;

// The first and the last value of an iterator inside all loops.
struct Range {
  Expr first, last;
};

class Windows {
 public:
  Windows(transforms::Builder& builder, const ScheduleOptions& options)
      : builder_(builder), options_(options), target_(*options.target) {}

  Result<Streamed> run(ir::StructuredOp op) {
    if (target_.vectorBytes == 0 || !target_.hasMasks)
      return Reason{"the target has no vectors with masks"};
    if (auto reason = refusal(op)) return *reason;
    lanes_ = target_.lanes(transforms::registerBytes(op));
    before_ = op;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction)
        ranges_[i.name] = {Expr(), builder_.extent(op, i.name) - constant(1)};
    withoutPads(op);
    ir::Block block;
    transforms::canonicalize(builder_, op, block);
    ir::If test{{}, {}, {}};
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (llvm::is_contained(transforms::iteratorsOf(op.operand(i)), channel_))
        test.conditions.push_back(
            {Kind::Unit, {}, {}, op.operand(i).tensor, dimOf(op.operand(i), channel_)});
    test.then = outer(op);
    test.otherwise = only({variant(op, /*inside=*/false)});
    block.push_back({std::move(test)});
    return Streamed{std::move(block),
                    channel_,
                    std::to_string(kPositions) + " positions of '" + window_ +
                        "' at once, bounds tested once for them",
                    {}};
  }

 private:
  std::optional<Reason> refusal(const ir::StructuredOp& op) {
    if (op.outputs.size() != 1 || op.outputs[0].map.empty())
      return Reason{"it has not one output with dimensions"};
    if (ir::usesPositions(op)) return Reason{"the payload computes with positions"};
    auto channel = op.outputs[0].map.back().asIterator();
    if (!channel) return Reason{"the output's last index is not one iterator"};
    channel_ = *channel;
    for (size_t i = 0; i < op.operandCount(); ++i) {
      const ir::Operand& operand = op.operand(i);
      for (size_t d = 0; d < operand.map.size() && !operand.shapeOnly; ++d) {
        bool isLast = d + 1 == operand.map.size() && operand.map[d].asIterator() == channel_;
        if (!isLast && llvm::is_contained(operand.map[d].iterators(), channel_))
          return Reason{"'" + channel_ + "' is not the last index alone in operand " +
                        std::to_string(i)};
      }
    }
    findWindow(op);
    if (window_.empty()) return Reason{"no window moves along a parallel iterator"};
    return linearWherePadded(op);
  }

  // The last parallel iterator that stands beside a reduction in one index.
  void findWindow(const ir::StructuredOp& op) {
    auto isParallel = [&](const std::string& name) {
      return std::any_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& i) {
        return i.name == name && i.kind == ir::IteratorKind::Parallel;
      });
    };
    for (const ir::Operand& input : op.inputs)
      for (const Expr& index : input.map) {
        std::vector<std::string> names = index.iterators();
        if (input.shapeOnly || std::all_of(names.begin(), names.end(), isParallel)) continue;
        for (const std::string& name : names)
          if (isParallel(name)) window_ = name;
      }
  }

  std::optional<Reason> linearWherePadded(const ir::StructuredOp& op) const {
    for (const ir::Operand& input : op.inputs)
      for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
        auto linear = input.map[d].asLinear();
        if (!linear) return Reason{"an index that may be outside is not linear"};
        for (const auto& part : linear->parts)
          if (part.coefficient.asConstant().value_or(0) < 0)
            return Reason{"an index that may be outside runs backwards"};
      }
    return std::nullopt;
  }

  // Adds each input that has a pad once more, without it; the loops make views of both.
  void withoutPads(ir::StructuredOp& op) {
    size_t count = op.inputs.size();
    for (size_t i = 0, plain = 0; i < count; ++i) {
      if (op.inputs[i].shapeOnly) continue;
      if (op.inputs[i].pad) {
        padded_.push_back(plain);
        op.inputs.push_back(op.inputs[i]);
        op.inputs.back().pad = nullptr;
      }
      ++plain;
    }
    shiftOutputs(op, count, static_cast<int64_t>(padded_.size()));
  }

  static void shiftOutputs(ir::StructuredOp& op, size_t inputs, int64_t by) {
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* reference = std::get_if<ir::OperandRef>(&value->node);
        if (!reference || reference->operand < inputs) return nullptr;
        auto operand = static_cast<unsigned>(static_cast<int64_t>(reference->operand) + by);
        return ir::makeValue(value->type, ir::OperandRef{operand});
      });
  }

  // One of both kinds of inputs is kept.
  ir::StructuredOp variant(const ir::StructuredOp& op, bool inside) const {
    ir::StructuredOp result = op;
    size_t count = op.inputs.size() - padded_.size();
    for (size_t i = 0, plain = 0; i < count; ++i) {
      if (op.inputs[i].shapeOnly) continue;
      auto found = std::find(padded_.begin(), padded_.end(), plain++);
      if (inside && found != padded_.end())
        result.inputs[i] = op.inputs[count + static_cast<size_t>(found - padded_.begin())];
    }
    result.inputs.resize(count);
    shiftOutputs(result, op.inputs.size(), -static_cast<int64_t>(padded_.size()));
    return result;
  }

  // When no position of the tile is outside.
  std::vector<ir::Condition> insideConditions() const {
    std::vector<ir::Condition> result;
    for (const ir::Operand& input : before_.inputs) {
      const ir::Tensor& tensor = builder_.kernel().tensors[input.tensor];
      for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
        auto name = input.map[d].asIterator();
        if (name && builder_.extent(before_, *name) == tensor.shape[d]) continue;
        auto linear = input.map[d].asLinear();
        Expr first = linear->rest, last = linear->rest;
        for (const auto& part : linear->parts) {
          const Range& range = ranges_.at(part.iterator);
          first = first + part.coefficient * range.first;
          last = last + part.coefficient * range.last;
          if (!part.coefficient.asConstant())
            result.push_back({Kind::LessEqual, Expr(), part.coefficient});
        }
        result.push_back({Kind::LessEqual, Expr(), first});
        result.push_back({Kind::Less, last, tensor.shape[d]});
      }
    }
    return result;
  }

  // Each loop over positions may be the one on threads: images may be few, and rows, too.
  transforms::Tiling onThreads(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t step) {
    return shared(builder_, options_.threads, op, {iterator, constant(step)}, kElementsAThread,
                  /*outer=*/iterator != window_);
  }

  // Loops over all parallel iterators but the window's and the channels.
  ir::Block outer(const ir::StructuredOp& op) {
    for (const ir::Iterator& i : op.iterators) {
      if (i.kind == ir::IteratorKind::Reduction || i.name == window_ || i.name == channel_)
        continue;
      return only(transforms::tile(builder_, op, onThreads(op, i.name, 1), [&](const Tile& tile) {
        ranges_[i.name] = {at(tile.origin), at(tile.origin)};
        return outer(tile.op);
      }));
    }
    ranges_[channel_] = {Expr(), builder_.extent(op, channel_) - constant(1)};
    return only(transforms::tile(builder_, op, onThreads(op, window_, kPositions),
                                 [&](const Tile& tile) { return positions(tile); }));
  }

  // As many positions at once as there are; bounds are tested once for all that are inside, and for
  // each term of a sum where some are not.
  ir::Block positions(const Tile& tile) {
    auto some = [&](int64_t count) {
      ranges_[window_] = {at(tile.origin), at(tile.origin) + constant(count - 1)};
      std::vector<ir::Axis> axes = {{window_, count}};
      ir::If test{insideConditions(), channels(variant(tile.op, /*inside=*/true), axes), {}};
      if (!padded_.empty()) test.otherwise = channels(variant(tile.op, /*inside=*/false), axes);
      return test.conditions.empty() ? std::move(test.then) : only({std::move(test)});
    };
    auto ofSize = [&](int64_t count, ir::Block others) {
      return only({ir::If{
          {{Kind::Equal, size(tile.size), constant(count)}}, some(count), std::move(others)}});
    };
    auto extent = builder_.extent(before_, window_).asConstant();
    if (!extent) {
      ir::Block whole = some(kPositions);
      return only({ir::If{{{Kind::Equal, size(tile.size), constant(kPositions)}},
                          std::move(whole),
                          channels(variant(tile.op, /*inside=*/false), {})}});
    }
    ir::Block result;
    if (int64_t left = *extent % kPositions) result = ofSize(left, {});
    if (*extent >= kPositions) result = ofSize(kPositions, std::move(result));
    return result;
  }

  // Memory is read as it lies: the channels of some positions, then those of the next.
  ir::Block channels(const ir::StructuredOp& op, const std::vector<ir::Axis>& positions) {
    int64_t vectors = kVectors;
    if (auto extent = builder_.extent(op, channel_).asConstant())
      vectors = std::clamp<int64_t>((*extent + lanes_ - 1) / lanes_, 1, kVectors);
    int64_t most = vectors * lanes_;
    return only(transforms::tile(builder_, op, {channel_, constant(most)}, [&](const Tile& tile) {
      auto wide = [&](int64_t width) {
        ir::StructuredOp whole = tile.op;
        whole.axes = positions;
        whole.axes.push_back({channel_, width});
        return only({std::move(whole)});
      };
      ir::If test{{{Kind::Equal, size(tile.size), constant(most)}},
                  wide(most),
                  byWidth(size(tile.size), most, lanes_, wide)};
      return only({std::move(test)});
    }));
  }

  transforms::Builder& builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  ir::StructuredOp before_;
  std::string channel_, window_;
  std::vector<size_t> padded_;  // among the inputs that are read
  std::map<std::string, Range> ranges_;
  int64_t lanes_ = 1;
};

}  // namespace

Result<Streamed> windows(transforms::Builder& builder, const ir::StructuredOp& op,
                         const ScheduleOptions& options) {
  return Windows(builder, options).run(op);
}

}  // namespace einc::strategy
