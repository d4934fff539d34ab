// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/streams.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/streams/partials.h"
#include "compiler/strategy/streams/streaming_common.h"
#include "compiler/strategy/streams/transpose.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

// Positions of a part of all lines: threads share parts where there are few lines. Of what makes a
// thread worth its start, half, so that all get about as much.
constexpr int64_t kPart = kElementsAThread / 2;
// The iterator along which an operand of a row-major tensor is contiguous, or "". Dimensions of
// one position do not count.
std::string contiguous(const ir::Kernel& kernel, const ir::Operand& operand) {
  if (operand.shapeOnly) return "";
  const std::vector<Expr>& shape = kernel.tensors[operand.tensor].shape;
  size_t last = operand.map.size();
  while (last > 0 && !operand.map[last - 1].hasIterators() && shape[last - 1].asConstant() == 1)
    --last;
  if (last == 0) return "";
  const Expr& index = operand.map[last - 1];
  for (const std::string& name : index.iterators()) {
    bool elsewhere = false;
    for (size_t d = 0; d + 1 < last; ++d)
      elsewhere |= llvm::is_contained(operand.map[d].iterators(), name);
    if (!elsewhere && index.stepAlong(name) == constant(1)) return name;
  }
  return "";
}

// Whether lanes along `axis` are at one distance from each other, and end together, or begin and end
// where masks can say so. Otherwise each of them is looked at on its own, which pays where computing
// takes longer: what C compilers make of loops does that as well.
bool suitsLanes(const ir::Operand& operand, const std::string& axis, bool masks) {
  size_t dims = 0;
  for (const Expr& index : operand.map) {
    if (!llvm::is_contained(index.iterators(), axis)) continue;
    ++dims;
    auto step = index.stepAlong(axis);
    if (!step || (operand.pad && (*step != constant(1) || (index.terms().size() > 1 && !masks))))
      return false;
  }
  return dims < 2 || !operand.pad;
}

// What can be set; more would not stay in registers.
constexpr int64_t kMostVectors = 64;

// Vectors that are cut off compute positions behind the end as well, which have to be numbers, too:
// far from 2^63, if elements that lie in memory are so few places apart. Attributes may be anything.
bool arePositionsNear(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  constexpr int64_t kMostStride = 1 << 12;
  bool near = true;
  auto look = [&](const affine::Expr& index) {
    if (!index.hasIterators()) return;
    for (const std::string& symbol : index.symbols()) near &= !kernel.attributeOf(symbol);
    for (const affine::Term& term : index.terms())
      near &= term.factors.empty() || std::abs(term.coefficient) < kMostStride;
  };
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      if (auto* position = std::get_if<ir::IndexRef>(&value.node)) look(position->index);
    });
  return near;
}

class Stream : StreamingCommon {
 public:
  Stream(transforms::Builder& builder, const ScheduleOptions& options, OpSettings& settings)
      : StreamingCommon(builder, options), settings_(settings) {}

  Result<Streamed> run(ir::StructuredOp op) {
    if (target_.vectorBytes == 0) return Reason{"the target has no vectors"};
    if (!arePositionsNear(builder_.kernel(), op))
      return Reason{"positions may be so far apart that 64 bits cannot say them"};
    chooseAxis(op);
    std::vector<std::string> iterators;
    for (const ir::Iterator& i : op.iterators) iterators.push_back(i.name);
    axis_ = settings_.word("axis", iterators).value_or(axis_);
    vectors_ = settings_.number("vectors", 1, kMostVectors).value_or(vectors_);
    if (axis_.empty())
      return Reason{iterators.empty() ? "it is computed once"
                                      : "each result is computed from the one before it"};
    if (isReduction(op, axis_) && transforms::partsOf(op) && !mayReorder(op))
      return Reason{"the order of the sum along '" + axis_ + "' is kept"};
    if (isReduction(op, axis_) && !transforms::partsOf(op))
      return Reason{"the reduction '" + axis_ + "' is not by one associative function"};
    if (llvm::none_of(op.results, transforms::takesLong))
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (!suitsLanes(op.operand(i), axis_, target_.hasMasks))
          return Reason{"lanes along '" + axis_ + "' of operand " + std::to_string(i) +
                        " are read one by one, and little is computed of them"};
    // Without the operands that only give their shape, which may go.
    std::vector<std::string> contiguousAlong;
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (!op.operand(i).shapeOnly)
        contiguousAlong.push_back(contiguous(builder_.kernel(), op.operand(i)));
    std::string across = isReduction(op, axis_) ? "" : transposedAxis(op);
    std::string down = isReduction(op, axis_) ? "" : columnsDown(op);
    ir::Block block;
    transforms::canonicalize(builder_, op, block);
    for (const ir::Stmt& stmt : block)
      if (auto* view = std::get_if<ir::View>(&stmt.node)) bases_[view->view] = view->base;
    ir::If test{{}, {}, {}};
    for (size_t i = 0, next = 0; i < op.operandCount(); ++i) {
      if (op.operand(i).shapeOnly) continue;
      const std::string& along = contiguousAlong[next++];
      bool transposed = !across.empty() && along == across;
      if (along != axis_ && !transposed) continue;
      test.conditions.push_back(
          {ir::Condition::Kind::Unit, {}, {}, op.operand(i).tensor, dimOf(op.operand(i), along)});
    }
    ir::Block vectors = isReduction(op, axis_) && !transforms::combinerOf(op)
                            ? Partials(*this).run(op, vectors_)
                        : isReduction(op, axis_) ? reducing(op)
                        : !down.empty()          ? columns(op, down)
                        : across.empty()         ? runs(op)
                                                 : Transpose(*this).run(op, across);
    const bool isTested = !test.conditions.empty();
    if (!isTested) {  // lanes are read and written one by one, wherever they are
      transforms::append(block, std::move(vectors));
    } else {
      test.then = std::move(vectors);
      test.otherwise = only({op});
      block.push_back({std::move(test)});
    }
    std::string around;
    if (whereLarge(op))
      around = "; outputs above " + std::to_string(target_.l3.bytes / (int64_t{1024} * 1024)) +
               " MiB are written around the caches, in lines";
    std::string form = isReduction(op, axis_) ? "with partial results that are combined at the end"
                       : !down.empty()        ? "in which several lines are added at once"
                       : across.empty()       ? "each computed on its own"
                                              : "in squares that are read along '" + across + "'";
    return Streamed{
        std::move(block),
        axis_,
        form + (isTested ? ", where operands are contiguous as the spec has them" : "") + around,
        {{"axis", axis_}, {"vectors", std::to_string(vectors_)}}};
  }

 private:
  static bool isReduction(const ir::StructuredOp& op, const std::string& name) {
    return std::any_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& i) {
      return i.name == name && i.kind == ir::IteratorKind::Reduction;
    });
  }
  // The iterator in which most elements are contiguous: an operand counts by how many iterators it
  // has; the output decides, where there is a choice. Where nothing is contiguous, the innermost.
  // None along which each term needs the one before it.
  void chooseAxis(const ir::StructuredOp& op) {
    std::map<std::string, int64_t> votes;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Parallel || mayReorder(op)) votes[i.name] = 0;
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (std::string name = contiguous(builder_.kernel(), op.operand(i)); votes.contains(name)) {
        size_t rank = std::min<size_t>(transforms::iteratorsOf(op.operand(i)).size(), 14);
        votes[name] += int64_t{i < op.inputs.size() ? 2 : 3} << (4 * rank);
      }
    int64_t best = -1;
    for (const ir::Iterator& i : op.iterators)
      if (votes.contains(i.name) && (votes[i.name] > best || best == 0)) {
        best = votes[i.name];
        axis_ = i.name;
      }
  }

  // Where an input is contiguous along another iterator that the output has, too.
  std::string transposedAxis(const ir::StructuredOp& op) const {
    if (ir::reduces(op) || op.outputs.size() != 1 ||
        contiguous(builder_.kernel(), op.outputs[0]) != axis_)
      return "";
    std::string found;
    for (const ir::Operand& input : op.inputs) {
      std::string name = contiguous(builder_.kernel(), input);
      std::vector<std::string> used = transforms::iteratorsOf(input);
      bool both = std::find(used.begin(), used.end(), axis_) != used.end();
      if (name.empty() || name == axis_ || !both || input.pad) continue;
      if (!found.empty() && found != name) return "";
      found = name;
    }
    return found;
  }

  // The innermost reduction, where an input that has all iterators is used once: its lines are then
  // read in order, instead of some vectors of each.
  std::string columnsDown(const ir::StructuredOp& op) const {
    std::string down;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction) down = i.name;
    if (down.empty() || !mayReorder(op) || !transforms::combinerOf(op)) return "";
    std::set<std::string> moving;
    for (const ir::Iterator& i : op.iterators)
      if (builder_.extent(op, i.name).asConstant() != 1) moving.insert(i.name);
    for (const ir::Operand& input : op.inputs) {
      std::set<std::string> used;
      bool own = !input.pad && !input.shapeOnly;  // and each iterator in an index of its own
      for (const Expr& index : input.map) {
        size_t count = 0;
        for (const std::string& name : index.iterators())
          if (moving.count(name)) own &= used.insert(name).second && ++count < 2;
      }
      if (own && used == moving) return down;
    }
    return "";
  }

  // Long lines of outputs go around the caches.
  ir::Block runs(const ir::StructuredOp& op) {
    auto through = [&](const ir::StructuredOp& inner) { return vectors(inner); };
    auto lines = [&](const ir::StructuredOp& inner) { return line(inner); };
    auto test = whereLarge(op);
    if (!test) return inParts(op, through);
    test->conditions.push_back({ir::Condition::Kind::LessEqual, constant(kVectors * lanes(op)),
                                builder_.extent(op, axis_)});
    test->then = only({ir::NonTemporal{op.outputs[0].tensor, inParts(asRead(op), lines)}});
    test->otherwise = inParts(op, through);
    return only({std::move(*test)});
  }

  // In the order of the inputs that have all iterators, if they agree: the CPU reads on by itself,
  // but it writes lines anywhere. (Measured on Zen 5, f32, GB/s, as written and as read: 400 x 410
  // x 420 to 410 x 400 x 420 29 and 41; 90 times 91 x 92 x 93 to 92 x 91 x 93 16 and 26.)
  static ir::StructuredOp asRead(ir::StructuredOp op) {
    std::vector<std::string> order;
    for (const ir::Operand& input : op.inputs) {
      std::vector<std::string> used = transforms::iteratorsOf(input);
      if (input.shapeOnly || used.size() != op.iterators.size()) continue;
      if (!order.empty() && order != used) return op;
      order = std::move(used);
    }
    auto place = [&](const ir::Iterator& i) {
      return std::find(order.begin(), order.end(), i.name) - order.begin();
    };
    std::sort(op.iterators.begin(), op.iterators.end(),
              [&](const ir::Iterator& a, const ir::Iterator& b) { return place(a) < place(b); });
    return op;
  }

  // All lines, part by part where threads may share them.
  ir::Block inParts(const ir::StructuredOp& op, const Inner& inner) {
    if (options_.threads == 1) return outer(op, {axis_}, inner);
    return only(transforms::tile(builder_, op, onThreads(op, axis_, kPart, /*outer=*/true),
                                 [&](const Tile& part) { return outer(part.op, {axis_}, inner); }));
  }

  // Whole tiles of several vectors, then what is left, a vector at a time.
  ir::Block vectors(const ir::StructuredOp& op) { return tilesOf(op, widthOf(op, vectors_)); }

  ir::Block tilesOf(const ir::StructuredOp& op, int64_t width) {
    return only(transforms::tile(builder_, op, {axis_, constant(width)}, [&](const Tile& tile) {
      ir::StructuredOp whole = tile.op;
      whole.axes = {{axis_, width}};
      const bool isOne = width <= lanes(op);
      if (isOne && target_.hasMasks) return only({whole});
      // Without masks lanes are read and written one by one, which a long computation outweighs.
      const bool isLong = llvm::any_of(op.results, transforms::takesLong);
      ir::If test{{{ir::Condition::Kind::Equal, size(tile.size), constant(width)}},
                  only({whole}),
                  isOne ? only({isLong ? whole : tile.op}) : tilesOf(tile.op, lanes(op))};
      return only({std::move(test)});
    }));
  }

  // ---- Reductions down the columns ----

  // Several lines at once, in pieces of which that of the output stays in the second cache: longer
  // ones than the first would hold, as each line begins slowly (measured: 14.4 to 17 GB/s).
  ir::Block columns(const ir::StructuredOp& op, const std::string& down) {
    int64_t width = widthOf(op, 4), piece = target_.l2.bytes / 4 / target_.vectorBytes * lanes(op);
    int64_t together = linesTogether(builder_.extent(op, down));
    auto lines = [&](const ir::StructuredOp& some, const std::string& line) {
      return only(
          transforms::tile(builder_, some, {axis_, constant(width)}, [&](const Tile& columns) {
            ir::StructuredOp square = columns.op;
            square.axes = {{line, together}, {axis_, width}};
            square.ahead = ahead(op);
            ir::If test{{{ir::Condition::Kind::Equal, size(columns.size), constant(width)}},
                        only({square}),
                        target_.hasMasks ? only({square}) : only({columns.op})};
            return only({std::move(test)});
          }));
    };
    return only(transforms::tile(
        builder_, op, onThreads(op, axis_, piece, /*outer=*/true), [&](const Tile& part) {
          return outer(part.op, {axis_}, [&](const ir::StructuredOp& one) {
            return sums(one, down, [&](const ir::StructuredOp& inner) {
              return strided(inner, down, together, lines,
                             [&](const ir::StructuredOp& rest) { return vectors(rest); });
            });
          });
        }));
  }

  // Loops over the other reductions.
  ir::Block sums(const ir::StructuredOp& op, const std::string& down, const Inner& inner) {
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction && i.name != down)
        return only(transforms::tile(builder_, op, {i.name, constant(1)},
                                     [&](const Tile& tile) { return sums(tile.op, down, inner); }));
    return inner(op);
  }

  // Few lines are read all at once, if some would be left otherwise (measured on Zen 5, 7 x 7 x
  // 2048: 2.8 us four at a time, 1.9 us seven).
  static int64_t linesTogether(const Expr& extent) {
    int64_t all = extent.asConstant().value_or(kLines);
    return all > kLines && all < 2 * kLines ? all : kLines;
  }

  // Lines far apart, for which `several` gets the name of the iterator over them.
  using Several = std::function<ir::Block(const ir::StructuredOp&, const std::string&)>;
  ir::Block strided(const ir::StructuredOp& op, const std::string& iterator, int64_t together,
                    const Several& several, const Inner& rest, bool loopsOnThreads = false) {
    std::string line = builder_.name(iterator + "_line");
    auto groups = [&](const ir::StructuredOp& lines, const std::string& at) {
      transforms::Tiling tiling{at, constant(1)};
      if (loopsOnThreads) tiling = onThreads(lines, at, 1);
      return only(transforms::tile(builder_, lines, tiling,
                                   [&](const Tile& tile) { return several(tile.op, line); }));
    };
    return transforms::strided(builder_, op, iterator, together, line, groups, rest);
  }

  // ---- Reductions along the lanes ----

  // Four results at a time, where there are several: what they share is loaded once.
  ir::Block reducing(const ir::StructuredOp& op) {
    std::string rows;
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Parallel) rows = i.name;
    if (rows.empty()) return inBlocks(op, "", vectors_);
    auto several = [&](const ir::StructuredOp& some, const std::string& row) {
      return inBlocks(some, row, std::min<int64_t>(vectors_, 2));
    };
    auto one = [&](const ir::StructuredOp& some) {
      return only(transforms::tile(builder_, some, {rows, constant(1)}, [&](const Tile& row) {
        return inBlocks(row.op, "", vectors_);
      }));
    };
    return outer(
        op, {rows},
        [&](const ir::StructuredOp& inner) {
          return strided(inner, rows, kLines, several, one, /*loopsOnThreads=*/true);
        },
        /*loopsOnThreads=*/true);
  }

  // The reduction as two: blocks of `vectors`, and what is left behind them: with masks the same
  // once more, of which both are one sum, or blocks of one vector and what is left behind those.
  ir::Block inBlocks(const ir::StructuredOp& op, const std::string& rows, int64_t vectors) {
    auto axes = [&](int64_t width) {
      std::vector<ir::Axis> result = {{axis_, width}};
      if (!rows.empty()) result.insert(result.begin(), {rows, kLines});
      return result;
    };
    int64_t width = vectors * lanes(op);
    Expr count = builder_.extent(op, axis_).floorDiv(constant(width)),
         done = count * constant(width), left = builder_.extent(op, axis_) - done;
    ir::Block block;
    if (!count.isZero()) {
      ir::StructuredOp whole =
          transforms::onPositions(builder_, op, axis_,
                                  {{builder_.name(axis_ + "_block"), count, constant(width)},
                                   {axis_, constant(width), constant(1)}},
                                  constant(0), "_blocks", block);
      whole.axes = axes(width);
      whole.ahead = ahead(op);
      block.push_back({std::move(whole)});
    }
    if (left.isZero()) return block;
    ir::StructuredOp rest = transforms::onPositions(
        builder_, op, axis_, {{axis_, left, constant(1)}}, done, "_rest", block);
    if (!target_.hasMasks && vectors > 1) {
      transforms::append(block, inBlocks(rest, rows, 1));
      return block;
    }
    if (target_.hasMasks) rest.axes = axes(count.isZero() ? widthOf(rest, vectors) : width);
    block.push_back({std::move(rest)});
    return block;
  }

  OpSettings& settings_;
  int64_t vectors_ = 4;  // computed at once
};

}  // namespace

Result<Streamed> stream(transforms::Builder& builder, const ir::StructuredOp& op,
                        const ScheduleOptions& options, OpSettings& settings) {
  return Stream(builder, options, settings).run(op);
}

}  // namespace einc::strategy
