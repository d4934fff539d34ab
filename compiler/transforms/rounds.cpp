// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rounds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/round_places.h"
#include "compiler/transforms/rounds_moments.h"
#include "compiler/transforms/rounds_parts.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using ir::StructuredOp;
using ir::ValueRef;

class Maker : RoundPlaces {
 public:
  Maker(Builder& builder, const WithMoments& with)
      : RoundPlaces(builder, with.rounds), moving_(with.moving) {
    for (const auto& [sum, how] : moving_)
      if (!llvm::is_contained(centres_, how.centre)) centres_.push_back(how.centre);
    if (rounds_.partWidth != 0) partOrigin_ = at(loops_[0].var) * constant(rounds_.partWidth);
    numberElements(ends_);
    for (const auto& [tensor, name] : rounds_.kept) keep(tensor, name);
    endEarly(ends_);
    if (rounds_.parts) openParts(*rounds_.parts);
    if (rounds_.partWidth != 0) takePart(rounds_.partWidth);
  }

  ir::Block run() {
    ir::Block before = all(Rounds::When::Before);
    isInPart_ = part_.has_value();
    append(loops_.back().body, insideGuards());
    isInPart_ = false;
    ir::Block combine = part_ ? combined() : completed();
    ir::Block after = all(Rounds::When::After);
    loops_.back().body.insert(loops_.back().body.begin(), viewsInRound_.begin(),
                              viewsInRound_.end());
    ir::Block body = std::move(ends_);
    append(body, std::move(views_));
    append(body, std::move(before));
    if (part_) {
      append(part_->body, std::move(viewsInPart_));
      append(part_->body, beginParts(kernel(), results_));
      part_->body.push_back({std::move(loops_.back())});
      body.push_back({std::move(*part_)});
    } else if (hasRounds()) {
      body.push_back({std::move(loops_.back())});
    }
    append(body, std::move(combine));
    append(body, std::move(after));
    for (size_t loop = rounds_.outer.size(); loop-- > 0;) {
      append(loops_[loop].body, std::move(body));
      body = only({std::move(loops_[loop])});
    }
    append(top_, std::move(body));
    return std::move(top_);
  }

 private:
  ir::Block all(Rounds::When when) {
    ir::Block block;
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      if (rounds_.when[op] == when && !(when == Rounds::When::Before && startsInParts(op)))
        pushOnce(op, {here(rounds_.ops[op], op)}, block);
    return block;
  }

  // What is only in parts begins there.
  bool startsInParts(size_t op) const {
    const unsigned tensor = rounds_.ops[op].outputs[0].tensor;
    return part_ && (llvm::is_contained(centres_, tensor) || isDerivative(tensor));
  }
  bool isDerivative(unsigned tensor) const {
    return llvm::any_of(moving_, [&](const auto& one) {
      return llvm::is_contained(one.second.derivatives, tensor);
    });
  }

  // ---- Rounds ----

  // What is done in a round; where all choices are the first ones, without them.
  ir::Block insideGuards() {
    Conditions all;
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      for (const ValueRef& result : rounds_.ops[op].results)
        if (rounds_.when[op] == Rounds::When::In)
          ir::rewrite(result, [&](const ValueRef& value) -> ValueRef {
            for (ir::Condition& one : isAlwaysFirst(op, value).value_or(Conditions()))
              if (!llvm::is_contained(all, one)) all.push_back(std::move(one));
            return nullptr;
          });
    ir::Block block = round(/*isInside=*/false);
    if (!all.empty()) {
      ir::Block inside = round(/*isInside=*/true);
      block = only({ir::If{std::move(all), std::move(inside), std::move(block)}});
    }
    ir::Block result;
    Conditions any = anyInside(result);
    if (any.empty()) return block;
    result.push_back({ir::If{std::move(any), std::move(block), {}}});
    return result;
  }

  ir::Block round(bool isInside) {
    before_.clear();
    factors_.clear();
    ir::Block block;
    for (size_t op = 0; op < rounds_.ops.size(); ++op) {
      if (rounds_.when[op] == Rounds::When::Each) makeSoFar(op, block);
      if (rounds_.when[op] != Rounds::When::In) continue;
      StructuredOp whole = rounds_.ops[op];
      for (ValueRef& result : whole.results)
        if (isInside)
          result = ir::rewrite(result, [&](const ValueRef& value) -> ValueRef {
            return isAlwaysFirst(op, value) ? std::get<ir::Call>(value->node).args[1] : nullptr;
          });
      round(whole, op, block);
    }
    return block;
  }

  void round(const StructuredOp& whole, size_t number, ir::Block& block) {
    StructuredOp op = here(whole, number);
    const unsigned output = rounds_.ops[number].outputs[0].tensor;
    if (isDerivative(output)) count(op, number);
    const bool isBound =
        rounds_.bounds.count(output) != 0 && rounds_.bounds.at(output).op == number;
    if (isBound) return moveBound(output, std::move(op), block);
    for (const ir::Operand& one : rounds_.ops[number].outputs)
      if (auto moved = rounds_.moved.find(one.tensor);
          moved != rounds_.moved.end() && isCarried(one.tensor))
        block.push_back({corrected(one.tensor, moved->second, block)});
    // With a sum all those of its derivatives, so that one loop may add up all.
    if (moving_.count(output) != 0 && !isDerivative(output)) {
      block.push_back({moved(output)});
      for (unsigned derivative : moving_.at(output).derivatives)
        if (!moving_.at(derivative).derivatives.empty()) block.push_back({moved(derivative)});
    }
    block.push_back({std::move(op)});
  }

  // What it was is kept: sums were made with that.
  void moveBound(unsigned bound, StructuredOp op, ir::Block& block) {
    const ir::Tensor tensor = kernel().tensors[placeOf(bound)];
    const unsigned before = hereLike(bound, likeBound(bound, tensor.name + "_before"));
    const Whole whole = wholeOf(bound);
    block.push_back(
        {mapOf(whole, {whole.operand}, boundAt(bound, before, whole), operandOf(tensor.type, 0))});
    block.push_back({std::move(op)});
    before_[bound] = before;
  }

  // The factor of a move in this round, computed once.
  unsigned factor(const Move& move, ir::Block& block) {
    for (const auto& [known, tensor] : factors_)
      if (known == move) return tensor;
    const unsigned bound = *move.bound;
    const ir::ScalarType type = kernel().tensors[bound].type;
    const unsigned result = hereLike(bound, likeBound(bound, "factor"));
    const Whole whole = wholeOf(bound);
    block.push_back({mapOf(whole, {boundAt(bound, before_.at(bound), whole), whole.operand},
                           boundAt(bound, result, whole),
                           factorOf(move, operandOf(type, 0), operandOf(type, 1)))});
    factors_.emplace_back(move, result);
    return result;
  }

  // What was added up with the last bound, as if it had been with that of this round. Where there was none yet, all of it was
  // nothing.
  StructuredOp corrected(unsigned tensor, const Move& move, ir::Block& block) {
    const unsigned by = factor(move, block), bound = *move.bound;
    const Whole whole = wholeOf(tensor);
    const ir::ScalarType own = kernel().tensors[tensor].type, type = kernel().tensors[by].type;
    const ValueRef none = neutral(rounds_.bounds.at(bound).function, type);
    const ValueRef product = multiplied(move, operandOf(own, 2), operandOf(type, 1));
    return mapOf(
        whole, {boundAt(bound, before_.at(bound), whole), boundAt(bound, by, whole)}, whole.operand,
        ir::makeCall(Function::Select, {ir::makeCall(Function::Eq, {operandOf(type, 0), none}),
                                        ir::makeLiteral(own, {}), product}));
  }

  // ---- Centres ----

  static ValueRef asNumber(const Expr& positions) {
    return ir::makeValue(ir::ScalarType::I64, ir::IndexRef{positions});
  }

  // In a round: of a sum so far, what it would be if the rest, or other parts, went on like that. A centre that is no number stays
  // where it was.
  void makeSoFar(size_t number, ir::Block& block) {
    StructuredOp whole = rounds_.ops[number];
    const ir::TileLoop& round = loops_.back();
    const ValueRef scale = ir::makeCall(
        Function::Div,
        {ir::makeCast(ir::ScalarType::F32, asNumber(rounds_.along.extent)),
         ir::makeCast(ir::ScalarType::F32, asNumber(at(round.var) + positions(along())))});
    StructuredOp op = here(whole, number);
    ValueRef& result = op.results[0];
    result = ir::rewrite(result, [&](const ValueRef& value) -> ValueRef {
      auto* input = std::get_if<ir::OperandRef>(&value->node);
      if (!input || input->operand >= whole.inputs.size() ||
          rounds_.sums.count(whole.inputs[input->operand].tensor) == 0)
        return nullptr;
      return ir::makeCall(Function::Mul, {value, ir::makeCast(value->type, scale)});
    });
    keepBefore(whole.outputs[0].tensor, block);
    const ir::ScalarType type = result->type;
    const ValueRef most = ir::makeLiteral(type, ir::endOf(type, /*highest=*/true));
    const auto old = static_cast<unsigned>(whole.inputs.size());
    result =
        ir::makeCall(Function::Select,
                     {ir::makeCall(Function::Lt, {ir::makeCall(Function::Abs, {result}), most}),
                      result, operandOf(type, old)});
    block.push_back({std::move(op)});
  }
  // Where the centre was.
  void keepBefore(unsigned centre, ir::Block& block) {
    const ir::Tensor tensor = kernel().tensors[placeOf(centre)];
    const unsigned before = hereLike(centre, likeBound(centre, tensor.name + "_before"));
    const Whole whole = wholeOf(centre);
    block.push_back(
        {mapOf(whole, {whole.operand}, boundAt(centre, before, whole), operandOf(tensor.type, 0))});
    before_[centre] = before;
  }

  // A sum at the centre that there is now.
  StructuredOp moved(unsigned sum) {
    const MovingSum& how = moving_.at(sum);
    const Whole whole = wholeOf(sum);
    const ir::ScalarType type = kernel().tensors[sum].type, own = kernel().tensors[how.centre].type;
    const unsigned centre = wholeOf(how.centre).operand.tensor;
    std::vector<ir::Operand> inputs{boundAt(how.centre, before_.at(how.centre), whole),
                                    boundAt(how.centre, centre, whole)};
    std::vector<ValueRef> sums;
    for (unsigned derivative : how.derivatives) {
      sums.push_back(operandOf(type, static_cast<unsigned>(inputs.size())));
      ir::Operand operand = whole.operand;
      operand.tensor = partOf(derivative, placesOf(derivative));
      inputs.push_back(std::move(operand));
    }
    const ValueRef old = operandOf(type, static_cast<unsigned>(inputs.size())),
                   by = movedBy(sums, distance(type, operandOf(own, 0), operandOf(own, 1)));
    return mapOf(whole, std::move(inputs), whole.operand, ir::makeCall(Function::Add, {old, by}));
  }

  // A derivative that is the same everywhere is multiplied by how often it would be added up.
  void count(StructuredOp& op, size_t number) {
    const ir::ValueRef term = std::get<ir::Call>(op.results[0]->node).args[1];
    bool isSame = true;
    ir::forEach(term, [&](const ir::Value& one) {
      isSame &= !std::holds_alternative<ir::OperandRef>(one.node);
      if (auto* index = std::get_if<ir::IndexRef>(&one.node))
        isSame &= index->index.iterators().empty();
    });
    if (!isSame) return;
    Expr times = constant(1);
    for (const ir::Iterator& iterator : op.iterators)
      if (iterator.kind == ir::IteratorKind::Reduction)
        times = times * (loopOf(number, at(iterator.name)) == along()
                             ? positions(along())
                             : builder_.extent(rounds_.ops[number], iterator.name));
    std::erase_if(op.iterators, [](const ir::Iterator& iterator) {
      return iterator.kind == ir::IteratorKind::Reduction;
    });
    const ir::ScalarType type = term->type;
    op.inputs.clear();
    op.results[0] = ir::makeCall(
        Function::Add, {operandOf(type, 0),
                        ir::makeCall(Function::Mul, {term, ir::makeCast(type, asNumber(times))})});
  }

  // Behind the rounds: what they have been moving on with, and where centres are in the end.
  ir::Block completed() {
    ir::Block block;
    before_.clear();
    for (unsigned centre : centres_) keepBefore(centre, block);
    append(block, all(Rounds::When::Each));
    for (const auto& [sum, how] : moving_)
      if (!isDerivative(sum)) block.push_back({moved(sum)});
    return block;
  }

  // ---- Parts ----

  // Around the rounds; what they carry on stands in a row of each part's own.
  void openParts(const Rounds::Parts& parts) {
    ir::TileLoop& round = loops_.back();
    const std::string& name = nameOf(rounds_.along);
    const Expr whole = rounds_.along.extent, width = constant(parts.width);
    const Expr many = parts.tooMany == Expr()
                          ? Expr()
                          : bound(top_, name + "_many", {constant(1), parts.tooMany});
    // All of them, and those up to where rounds end.
    rowCount_ = bound(top_, name + "_parts", countOf(whole, width, many));
    count_ = round.extent == whole
                 ? rowCount_
                 : bound(ends_, name + "_parts_here", countOf(round.extent, width, many));
    part_ = tileLoop(builder_, name + "_part", count_, constant(1), ir::IteratorKind::Parallel);
    part_->grain = parts.grain;
    partOrigin_ = at(part_->var) * width;
    round.extent =
        bound(viewsInPart_, name + "_length", {width + many * whole, round.extent - partOrigin_});
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      for (size_t i = 0; i < rounds_.ops[op].outputs.size(); ++i) {
        const unsigned tensor = rounds_.ops[op].outputs[i].tensor;
        if (rounds_.when[op] == Rounds::When::In && isCarried(tensor))
          addRow(tensor, (*combinersOf(rounds_.ops[op]))[i]);
        else if (rounds_.when[op] == Rounds::When::Each)
          addRow(tensor, Function::Add, /*isSoFar=*/true);
      }
  }
  // Rounds go along one part, which may be the last one, or behind their end.
  void takePart(int64_t width) {
    ir::TileLoop& round = loops_.back();
    const auto known = round.extent.asConstant();
    round.extent = known && *known % width == 0
                       ? constant(width)
                       : bound(ends_, nameOf(rounds_.along) + "_length",
                               {constant(width), round.extent - partOrigin_});
  }
  Expr bound(ir::Block& block, const std::string& name, std::vector<Expr> of) {
    const std::string symbol = builder_.name(name);
    block.push_back({ir::Bound{symbol, std::move(of)}});
    return size(symbol);
  }
  // Of so many positions: one, if there are `many` tiles, and none without a position.
  static std::vector<Expr> countOf(const Expr& positions, const Expr& width, const Expr& many) {
    return {(positions + width - constant(1)).floorDiv(width),
            constant(1) + positions - many * positions};
  }
  void addRow(unsigned tensor, Function function, bool isSoFar = false) {
    const Whole whole = wholeOf(tensor);
    const ir::Tensor here = kernel().tensors[whole.operand.tensor];
    const std::string name = kernel().tensors[placeOf(tensor)].name;
    std::vector<Expr> shape = tileShape(tensor);
    shape.insert(shape.begin(), rowCount_);
    const unsigned rows =
        builder_.tensor(name + "_parts", here.type, std::move(shape), ir::Role::Local);
    ir::View row{builder_.tensor(name + "_part", here.type, here.shape, ir::Role::View),
                 rows,
                 {},
                 {at(part_->var)},
                 nullptr};
    for (const ir::Iterator& iterator : whole.iterators) {
      row.dims.push_back(iterator.name);
      row.map.push_back(at(iterator.name));
    }
    viewsInPart_.push_back({row});
    rows_[tensor] = row.view;
    PartsResult result{tensor, whole.iterators, whole.operand, whole.source, {}, row.view,
                       rows,   function,        isSoFar};
    for (size_t number : placesOf(tensor))
      if (number == kNone || !isSingle(number)) result.loops.push_back(number);
    results_.push_back(std::move(result));
  }
  ir::Block combined() {
    return combineParts(builder_, {rounds_, moving_, {}}, results_, count_,
                        all(Rounds::When::Each));
  }

  std::map<unsigned, MovingSum> moving_;
  std::vector<unsigned> centres_;
  Expr count_, rowCount_;  // how many parts there are, and may be
  std::vector<PartsResult> results_;
  ir::Block top_, ends_;
  std::map<unsigned, unsigned> before_;  // by bounds
  std::vector<std::pair<Move, unsigned>> factors_;
};

}  // namespace

const std::string& nameOf(const Rounds::Loop& loop) {
  return *llvm::find_if(loop.names, [](const std::string& name) { return !name.empty(); });
}

ir::Block inRounds(Builder& builder, const Rounds& rounds) {
  const WithMoments with = withMoments(builder, rounds);
  ir::Block block = Maker(builder, with).run();
  for (unsigned tensor : with.added) builder.kernel().tensors[tensor].shape.clear();
  return block;
}

}  // namespace einc::transforms
