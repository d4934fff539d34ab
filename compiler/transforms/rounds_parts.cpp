// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rounds_parts.h"

#include <map>
#include <string>
#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using ir::ValueRef;

class Combiner {
 public:
  Combiner(Builder& builder, const WithMoments& with, const std::vector<PartsResult>& results)
      : builder_(builder), rounds_(with.rounds), moving_(with.moving), results_(results) {}

  // Bounds first: sums that move need all of them.
  ir::Block run(const Expr& count, ir::Block between) {
    ir::Block block;
    for (const bool areMoved : {false, true}) {
      if (areMoved) append(block, std::exchange(between, {}));
      ir::TileLoop loop =
          tileLoop(builder_, "part", count, constant(1), ir::IteratorKind::Reduction);
      begin(loop);
      for (const PartsResult& result : results_) combine(result, areMoved);
      if (ops_.empty()) continue;
      append(loop.body, std::move(views_));
      append(loop.body, std::move(ops_));
      block.push_back({std::move(loop)});
    }
    return block;
  }

 private:
  void begin(const ir::TileLoop& loop) {
    part_ = loop.var;
    views_.clear();
    ops_.clear();
    rows_.clear();
  }
  ir::ScalarType typeOf(const PartsResult& of) const {
    return builder_.kernel().tensors[of.rows].type;
  }
  ValueRef operand(const PartsResult& of, unsigned number) const {
    return ir::makeValue(typeOf(of), ir::OperandRef{number});
  }
  const PartsResult& resultOf(unsigned tensor) const {
    return *llvm::find_if(results_, [&](const PartsResult& one) { return one.tensor == tensor; });
  }

  // The part's own of what is like a result.
  ir::Operand here(const PartsResult& like, unsigned memory, bool isRow) {
    ir::Operand operand = like.whole;
    const ir::Tensor base = builder_.kernel().tensors[memory];
    const std::vector<Expr> shape = builder_.kernel().tensors[operand.tensor].shape;
    operand.tensor = memory;
    if (!isRow && shape == base.shape) return operand;
    auto [known, isNew] = rows_.emplace(memory, 0);
    if (isNew) {
      known->second = builder_.tensor(base.name + "_here", base.type, shape, ir::Role::View);
      ir::View view{known->second, memory, {}, {}, nullptr};
      if (isRow) view.map.push_back(at(part_));
      for (const ir::Iterator& iterator : like.iterators) {
        view.dims.push_back(iterator.name);
        view.map.push_back(at(iterator.name));
      }
      views_.push_back({std::move(view)});
    }
    operand.tensor = known->second;
    return operand;
  }
  ir::Operand row(const PartsResult& of) { return here(of, of.rows, /*isRow=*/true); }

  // What is like a bound, at the positions of a sum.
  ir::Operand atSum(ir::Operand bound, const PartsResult& of, const PartsResult& sum) const {
    for (size_t d = 0; d < of.loops.size(); ++d)
      bound.map[d] =
          sum.whole
              .map[static_cast<size_t>(llvm::find(sum.loops, of.loops[d]) - sum.loops.begin())];
    return bound;
  }

  void push(const PartsResult& result, std::vector<ir::Operand> inputs, const ir::Operand& output,
            ValueRef value) {
    ops_.push_back({ir::StructuredOp{
        result.iterators, std::move(inputs), {output}, {std::move(value)}, result.source}});
  }
  // Of those that move, or of the others; what each part has for itself alone is of neither.
  void combine(const PartsResult& result, bool areMoved) {
    auto moved = rounds_.moved.find(result.tensor);
    auto moving = moving_.find(result.tensor);
    const bool isOwn =
        result.isSoFar || (moving != moving_.end() && rounds_.moments.count(result.tensor) == 0);
    const bool moves = moved != rounds_.moved.end() || moving != moving_.end();
    if (isOwn || areMoved != moves) return;
    if (moved != rounds_.moved.end())
      addMoved(result, moved->second);
    else if (moves)
      addMoving(result, moving->second);
    else
      add(result);
  }
  void add(const PartsResult& result) {
    push(result, {row(result)}, result.whole,
         ir::makeCall(result.function, {operand(result, 1), operand(result, 0)}));
  }

  void addMoved(const PartsResult& sum, const Move& move) {
    const PartsResult& bound = resultOf(*move.bound);
    const ir::Operand factor = factorOfPart(move, bound);
    const ValueRef value = ofPart(move, rounds_.bounds.at(*move.bound).function, operand(bound, 0),
                                  operand(bound, 1), operand(sum, 3), operand(bound, 2));
    push(sum,
         {atSum(row(bound), bound, sum), atSum(bound.whole, bound, sum), atSum(factor, bound, sum),
          row(sum)},
         sum.whole, ir::makeCall(Function::Add, {operand(sum, 4), value}));
  }

  // Moved from the part's centre to that of all.
  void addMoving(const PartsResult& sum, const MovingSum& how) {
    const PartsResult& centre = resultOf(how.centre);
    std::vector<ir::Operand> inputs{atSum(row(centre), centre, sum),
                                    atSum(centre.whole, centre, sum), row(sum)};
    std::vector<ValueRef> sums;
    for (unsigned derivative : how.derivatives) {
      sums.push_back(operand(sum, static_cast<unsigned>(inputs.size())));
      inputs.push_back(row(resultOf(derivative)));
    }
    const ValueRef far = distance(typeOf(sum), operand(centre, 0), operand(centre, 1));
    const ValueRef old = operand(sum, static_cast<unsigned>(inputs.size())),
                   value = ir::makeCall(Function::Add, {operand(sum, 2), movedBy(sums, far)});
    push(sum, std::move(inputs), sum.whole, ir::makeCall(Function::Add, {old, value}));
  }

  // The factor of a move, computed once.
  ir::Operand factorOfPart(const Move& move, const PartsResult& bound) {
    for (const auto& [known, operand] : factors_)
      if (known == move) return operand;
    const ir::Tensor like = builder_.kernel().tensors[bound.rows];
    const unsigned memory = builder_.tensor(
        "factor", like.type, {like.shape.begin() + 1, like.shape.end()}, ir::Role::Local);
    const ir::Operand result = here(bound, memory, /*isRow=*/false);
    push(bound, {row(bound), bound.whole}, result,
         factorOf(move, operand(bound, 0), operand(bound, 1)));
    factors_.emplace_back(move, result);
    return result;
  }

  Builder& builder_;
  const Rounds& rounds_;
  const std::map<unsigned, MovingSum>& moving_;
  const std::vector<PartsResult>& results_;
  // Of the loop that is made: its variable, what stands in it, and views by what they are of.
  std::string part_;
  ir::Block views_, ops_;
  std::map<unsigned, unsigned> rows_;
  std::vector<std::pair<Move, ir::Operand>> factors_;
};

}  // namespace

ir::Block beginParts(const ir::Kernel& kernel, const std::vector<PartsResult>& results) {
  ir::Block block;
  for (const PartsResult& result : results) {
    ir::Operand row = result.whole;
    row.tensor = result.row;
    const ir::ValueRef start = neutral(result.function, kernel.tensors[row.tensor].type);
    block.push_back({ir::StructuredOp{result.iterators, {}, {row}, {start}, result.source}});
  }
  return block;
}

ir::Block combineParts(Builder& builder, const WithMoments& rounds,
                       const std::vector<PartsResult>& results, const Expr& count,
                       ir::Block between) {
  return Combiner(builder, rounds, results).run(count, std::move(between));
}

}  // namespace einc::transforms
