// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/windows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
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
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using Kind = ir::Condition::Kind;

// Positions at once, and vectors of channels: up to 24 sums, and what they are made of, stay in
// registers. One or two positions take twice the vectors, or sums would wait for each other.
constexpr int64_t kPositions = 4, kMostPositions = 6;
constexpr int64_t kVectors = 4;

// Vectors of channels in a block, where what all positions read of all channels would not stay in
// the first cache (measured on Zen 5: 14x14x672, 5x5, stride 2, 55 to 114 GFLOP/s; 7x7x1024, 3x3,
// 55 to 57, but to 46 with blocks of 4, since positions 4 KiB apart share sets).
constexpr int64_t kBlock = 8;

// Sizes and attributes beyond it are left to the loops of the spec.
constexpr int64_t kFar = 1 << 28;

// The first and the last value of an iterator inside all loops.
struct Range {
  Expr first, last;
};

class Windows {
 public:
  Windows(transforms::Builder& builder, const ScheduleOptions& options)
      : builder_(builder), options_(options), target_(*options.target) {}

  Result<Windowed> run(ir::StructuredOp op) {
    if (target_.vectorBytes == 0 || !target_.hasMasks)
      return Reason{"the target has no vectors with masks"};
    if (auto reason = refusal(op)) return *reason;
    lanes_ = target_.lanes(transforms::registerBytes(op));
    before_ = op;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction || i.name == channel_)
        ranges_[i.name] = {Expr(), builder_.extent(op, i.name) - constant(1)};
    for (const Edge& edge : edges(/*alongWindow=*/true))
      for (const Expr& e : {edge.step, edge.first, edge.last, edge.size})
        if (!isNear(e)) return Reason{"an index may be so far outside that 64 bits cannot say it"};
    withoutPads(op);
    ir::Block block;
    transforms::canonicalize(builder_, op, block);
    ir::If test{{}, {}, {}};
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (llvm::is_contained(transforms::iteratorsOf(op.operand(i)), channel_))
        test.conditions.push_back(
            {Kind::Unit, {}, {}, op.operand(i).tensor, dimOf(op.operand(i), channel_)});
    findInside(op, test);
    choosePositions();
    append(test.then, blocks(op));
    test.otherwise = only({variant(op, /*inside=*/false)});
    block.push_back({std::move(test)});
    return Windowed{
        std::move(block), channel_,
        (positions_ == 1 ? "the positions of '" + window_ + "' one by one"
                         : std::to_string(positions_) + " positions of '" + window_ + "' at once") +
            (padded_.empty() ? "" : ", those at the borders one by one") + form_};
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

  // The last parallel iterator that stands beside a reduction in one index. One that is known to
  // have a single position moves nothing, but bounds that are to be tested are tested here.
  void findWindow(const ir::StructuredOp& op) {
    auto parallel = [&](const std::string& name) { return isParallel(op, name); };
    bool padded = std::any_of(op.inputs.begin(), op.inputs.end(),
                              [](const ir::Operand& input) { return input.pad != nullptr; });
    for (const ir::Operand& input : op.inputs)
      for (const Expr& index : input.map) {
        std::vector<std::string> names = index.iterators();
        if (input.shapeOnly || std::all_of(names.begin(), names.end(), parallel)) continue;
        for (const std::string& name : names)
          if (parallel(name) && (padded || builder_.extent(op, name).asConstant() != 1))
            window_ = name;
      }
  }

  static bool isParallel(const ir::StructuredOp& op, const std::string& name) {
    return std::any_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& i) {
      return i.name == name && i.kind == ir::IteratorKind::Parallel;
    });
  }

  std::optional<Reason> linearWherePadded(const ir::StructuredOp& op) const {
    for (const ir::Operand& input : op.inputs)
      for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
        auto linear = input.map[d].asLinear();
        if (!linear) return Reason{"an index that may be outside is not linear"};
        int parallel = 0;
        for (const auto& part : linear->parts) {
          parallel += isParallel(op, part.iterator) ? 1 : 0;
          if (part.coefficient.asConstant().value_or(1) < 1)
            return Reason{"an index that may be outside runs backwards"};
        }
        if (parallel > 1) return Reason{"an index that may be outside has two parallel iterators"};
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

  // An index that may be outside: its first and last value at one position, and what ends it.
  struct Edge {
    Expr step;  // from one position of the window to the next, if it moves along
    Expr first, last, size;
  };

  // Those along which the window moves, or all others.
  std::vector<Edge> edges(bool alongWindow) const {
    std::vector<Edge> result;
    for (const ir::Operand& input : before_.inputs)
      for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
        const Expr& size = builder_.kernel().tensors[input.tensor].shape[d];
        auto name = input.map[d].asIterator();
        if (name && builder_.extent(before_, *name) == size) continue;
        bool along = llvm::is_contained(input.map[d].iterators(), window_);
        if (along != alongWindow) continue;
        auto linear = input.map[d].asLinear();
        Edge edge{Expr(), linear->rest, linear->rest, size};
        for (const auto& part : linear->parts)
          if (part.iterator == window_) {
            edge.step = part.coefficient;
          } else {
            edge.first = edge.first + part.coefficient * ranges_.at(part.iterator).first;
            edge.last = edge.last + part.coefficient * ranges_.at(part.iterator).last;
          }
        result.push_back(std::move(edge));
      }
    return result;
  }

  // Whether sums with it stay within 64 bits where each symbol is at most kFar.
  static bool isNear(const Expr& e) {
    double most = 0;
    for (const affine::Term& term : e.terms()) {
      double product = std::abs(static_cast<double>(term.coefficient));
      for (const affine::Atom& factor : term.factors) {
        if (factor.div) return false;
        product *= static_cast<double>(kFar);
      }
      most += product;
    }
    return !e.overflowed() && most < 0x1p60;
  }

  // The positions of the window whose indices are inside, unless those of other iterators are not:
  // `count_` from `low_` on. In `test`, which may get bounds, steps are positive, and no sum leaves
  // 64 bits.
  void findInside(const ir::StructuredOp& op, ir::If& test) {
    for (const ir::Operand& input : before_.inputs)
      for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
        auto linear = input.map[d].asLinear();
        for (const auto& part : linear->parts)
          if (!part.coefficient.asConstant())
            test.conditions.push_back({Kind::LessEqual, constant(1), part.coefficient});
      }
    Expr extent = builder_.extent(op, window_);
    std::vector<Expr> before = {constant(0)}, end = {extent};
    std::set<std::string> symbols;
    for (const Edge& edge : edges(/*alongWindow=*/true)) {
      for (const Expr& e : {edge.step, edge.first, edge.last, edge.size})
        for (std::string& name : e.symbols()) symbols.insert(std::move(name));
      before.push_back(edge.first.floorDiv(edge.step));
      end.push_back((edge.size - constant(1) - edge.last).floorDiv(edge.step) + constant(1));
    }
    for (const std::string& name : symbols) {
      test.conditions.push_back({Kind::LessEqual, constant(-kFar), size(name)});
      test.conditions.push_back({Kind::LessEqual, size(name), constant(kFar)});
    }
    low_ = least("low", {extent, -least("before", before, test.then)}, test.then);
    Expr high = least("high", end, test.then);
    count_ = -least("without", {constant(0), low_ - high}, test.then);
  }

  Expr least(const std::string& name, const std::vector<Expr>& of, ir::Block& block) {
    int64_t result = INT64_MAX;
    for (const Expr& e : of) {
      auto known = e.asConstant();
      if (!known) {
        std::string bound = builder_.name(window_ + "_" + name);
        block.push_back({ir::Bound{bound, of}});
        return size(bound);
      }
      result = std::min(result, *known);
    }
    return constant(result);
  }

  // Each loop over positions may be the one on threads: images may be few, and rows, too.
  transforms::Tiling onThreads(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t step) {
    return amongThreads(builder_, options_.threads, op, {iterator, constant(step)},
                        kElementsAThread,
                        /*outer=*/iterator != window_);
  }

  // All positions at once, where there are but a few more (measured on Zen 5: 14x14x672, 5x5,
  // stride 2, 122 to 140 GFLOP/s; of many, tiles of 5 or 6 lost as often as they gained).
  void choosePositions() {
    if (auto count = count_.asConstant(); count && *count > kPositions && *count <= kMostPositions)
      positions_ = *count;
    if (sharesLittle()) positions_ = 1;
  }

  // Whether several positions at once would read two thirds of what they read one by one, or more:
  // then channels are better read as they lie (measured on Zen 5: 28x28x256, 2x2, stride 2, 8.9 to
  // 6.3 us; 113x113x64, 3x3, stride 2, 49 to 46 us, but stride 1 31 to 35 us).
  bool sharesLittle() const {
    for (const ir::Operand& input : before_.inputs) {
      if (input.shapeOnly) continue;
      if (!llvm::is_contained(transforms::iteratorsOf(input), window_)) return false;
      for (const Expr& index : input.map) {
        auto linear = index.asLinear();
        if (!linear || !llvm::is_contained(index.iterators(), window_)) continue;
        int64_t step = 0, stride = 1, taps = 1;
        for (const auto& part : linear->parts) {
          if (part.iterator == window_) {
            step = part.coefficient.asConstant().value_or(0);
          } else {
            stride = std::max<int64_t>(part.coefficient.asConstant().value_or(1), 1);
            taps = builder_.extent(before_, part.iterator).asConstant().value_or(INT32_MAX);
          }
        }
        step = step % stride == 0 ? step / stride : taps;  // in places that a window reads
        if (3 * ((kPositions - 1) * std::min(step, taps) + taps) < 2 * kPositions * taps)
          return false;
      }
    }
    return true;
  }

  // Bytes of the inputs that do not depend on the position.
  int64_t filterBytes(const ir::StructuredOp& op) const {
    int64_t bytes = 0;
    for (const ir::Operand& input : op.inputs) {
      std::vector<std::string> used = transforms::iteratorsOf(input);
      if (input.shapeOnly || llvm::is_contained(used, window_)) continue;
      auto all = builder_.positions(op, used).asConstant();
      bytes += all.value_or(0) * ir::info(builder_.kernel().tensors[input.tensor].type).bytes();
    }
    return bytes;
  }

  // All channels, or block by block.
  ir::Block blocks(const ir::StructuredOp& op) {
    auto extent = builder_.extent(op, channel_).asConstant();
    int64_t block = kBlock * lanes_;
    if (!extent || *extent <= block || filterBytes(op) <= target_.l1.bytes / 2) return outer(op);
    form_ += ", in blocks of " + std::to_string(block) + " along '" + channel_ + "'";
    return transforms::wholeAndRest(
        builder_, op, channel_, block,
        [&](const ir::StructuredOp& whole, int64_t) {
          return only(transforms::tile(builder_, whole, {channel_, constant(block)},
                                       [&](const Tile& tile) { return outer(tile.op); }));
        },
        [&](const ir::StructuredOp& rest, int64_t) { return outer(rest); });
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
    return alongWindow(op);
  }

  ir::Block alongWindow(const ir::StructuredOp& op) {
    if (padded_.empty()) return inside(op);
    ir::Block block;
    auto part = [&](const Expr& first, const Expr& count, const std::string& suffix) {
      return transforms::onPositions(builder_, op, window_, {{window_, count, constant(1)}}, first,
                                     suffix, block);
    };
    auto border = [&](const Expr& first, const Expr& count, const std::string& suffix) {
      if (count.asConstant() != 0)
        append(block, channels(variant(part(first, count, suffix), /*inside=*/false), {}));
    };
    border(constant(0), low_, "_before");
    if (count_.asConstant() != 0) append(block, inside(part(low_, count_, "_inside")));
    border(low_ + count_, builder_.extent(op, window_) - low_ - count_, "_after");
    return block;
  }

  // As many positions at once as there are. Whether other indices are inside is tested once for
  // them, and for each term of a sum where some are not.
  ir::Block inside(const ir::StructuredOp& op) {
    auto extent = builder_.extent(op, window_).asConstant();
    return only(
        transforms::tile(builder_, op, onThreads(op, window_, positions_), [&](const Tile& tile) {
          if (positions_ == 1) return tested(tile.op, {});
          ir::If test{{{Kind::Equal, size(tile.size), constant(positions_)}},
                      tested(tile.op, {{window_, positions_}}),
                      {}};
          if (!extent)
            test.otherwise = tested(tile.op, {});
          else if (int64_t left = *extent % positions_)
            test.otherwise = tested(tile.op, {{window_, left}});
          return only({std::move(test)});
        }));
  }

  ir::Block tested(const ir::StructuredOp& op, const std::vector<ir::Axis>& positions) {
    ir::If test{{}, channels(variant(op, /*inside=*/true), positions), {}};
    for (const Edge& edge : edges(/*alongWindow=*/false)) {
      test.conditions.push_back({Kind::LessEqual, Expr(), edge.first});
      test.conditions.push_back({Kind::Less, edge.last, edge.size});
    }
    if (test.conditions.empty()) return std::move(test.then);
    test.otherwise = channels(variant(op, /*inside=*/false), positions);
    return only({std::move(test)});
  }

  // Memory is read as it lies: the channels of some positions, then those of the next.
  ir::Block channels(const ir::StructuredOp& op, const std::vector<ir::Axis>& positions) {
    auto extent = builder_.extent(op, channel_).asConstant();
    bool few = positions.empty() || positions[0].size <= 2;
    int64_t vectors = few ? 2 * kVectors : kVectors;
    if (extent) vectors = std::clamp<int64_t>((*extent + lanes_ - 1) / lanes_, 1, vectors);
    int64_t most = vectors * lanes_;
    return only(transforms::tile(builder_, op, {channel_, constant(most)}, [&](const Tile& tile) {
      auto wide = [&](const ir::StructuredOp& some, int64_t width, bool isVariant = false) {
        ir::StructuredOp whole = some;
        whole.axes = positions;
        whole.axes.push_back({channel_, width});
        whole.variant = isVariant;
        return only({std::move(whole)});
      };
      ir::If test{{{Kind::Equal, size(tile.size), constant(most)}}, wide(tile.op, most), {}};
      if (extent && *extent % most == 0) return only({std::move(test)});
      if (extent)
        test.otherwise = wide(tile.op, (*extent % most + lanes_ - 1) / lanes_ * lanes_);
      else if (positions.empty())  // few positions, not worth code for each width
        test.otherwise =
            only(transforms::tile(builder_, tile.op, {channel_, constant(lanes_)},
                                  [&](const Tile& vector) { return wide(vector.op, lanes_); }));
      else
        test.otherwise = byWidth(size(tile.size), most, lanes_,
                                 [&](int64_t width) { return wide(tile.op, width, vectors > 1); });
      return only({std::move(test)});
    }));
  }

  transforms::Builder& builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  ir::StructuredOp before_;
  std::string channel_, window_;
  std::vector<size_t> padded_;           // among the inputs that are read
  std::map<std::string, Range> ranges_;  // of iterators but the window's
  Expr low_, count_;
  int64_t lanes_ = 1, positions_ = kPositions;
  std::string form_;  // what is done besides, for `einc explain`
};

}  // namespace

Result<Windowed> windows(transforms::Builder& builder, const ir::StructuredOp& op,
                         const ScheduleOptions& options) {
  return Windows(builder, options).run(op);
}

}  // namespace einc::strategy
