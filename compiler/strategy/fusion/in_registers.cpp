// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_registers.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

class PositionByPosition {
 public:
  PositionByPosition(const ir::Kernel& kernel, const Ops& ops, size_t first,
                     const ScheduleOptions& options)
      : kernel_(kernel),
        ops_(ops),
        first_(first),
        options_(options),
        classes_(sharedIterators(kernel, ops)),
        kept_(keptAmong(kernel, ops, classes_)) {}

  std::optional<InRegisters> run() {
    if (options_.target->vectorBytes == 0 || !options_.target->masksEnds || kept_.empty())
      return {};
    if (!findNeighbours()) return {};
    findAcross();
    if (hasOtherSquares()) return {};
    lanes_ = lanes();
    if (!areFew() || !keepLittle()) return {};
    return InRegisters{tests(), steps(), elements_ > static_cast<int64_t>(kept_.size())};
  }

 private:
  const std::string& neighbours(size_t op) const { return classes_[along_][op]; }

  bool isShared(size_t op, const std::string& iterator) const {
    return llvm::any_of(classes_, [&](const auto& names) { return names[op] == iterator; });
  }

  // The shared iterator along which all that is written lies.
  bool findNeighbours() {
    for (along_ = classes_.size(); along_-- > 0;)
      if (lieAlong()) return true;
    return false;
  }
  bool isAlong(size_t op, const ir::Operand& operand) const {
    return !operand.map.empty() && operand.map.back().asIterator() == neighbours(op);
  }
  // Of inputs lanes may be read one by one.
  bool lieAlong() const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (const ir::Operand& output : ops_[op].outputs)
        if (!isAlong(op, output)) return false;
    return true;
  }

  // Another one along which an input lies that moves with both: squares of such are read, and turned.
  void findAcross() {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (const ir::Operand& input : ops_[op].inputs)
        for (size_t at = 0; at < classes_.size() && !across_; ++at)
          if (at != along_ && !input.shapeOnly && !input.map.empty() &&
              input.map.back().asIterator() == classes_[at][op] && moves(op, input, along_))
            across_ = at;
  }
  // Whether there is one more, whose squares would be other ones.
  bool hasOtherSquares() const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (const ir::Operand& input : ops_[op].inputs)
        for (size_t at = 0; at < classes_.size(); ++at)
          if (at != along_ && at != across_ && !input.shapeOnly && !input.map.empty() &&
              input.map.back().asIterator() == classes_[at][op] && moves(op, input, along_))
            return true;
    return false;
  }
  bool moves(size_t op, const ir::Operand& operand, size_t along) const {
    return llvm::is_contained(transforms::iteratorsOf(operand), classes_[along][op]);
  }

  // What each does at a position.
  bool areFew() const {
    for (size_t op = 0; op < ops_.size(); ++op) {
      if (ir::reduces(ops_[op]) || ir::usesPositions(ops_[op])) return false;
      int64_t elements = 1;
      for (const ir::Iterator& i : ops_[op].iterators) {
        if (isShared(op, i.name)) continue;
        const auto known = ir::extentOf(kernel_, ops_[op], i.name)->extent.asConstant();
        if (!known || *known < 1 || *known > numbers().mostAtPosition) return false;
        elements *= *known;
        if (elements * side() > numbers().mostAtPosition) return false;
      }
    }
    return true;
  }
  // And what they leave for each other there.
  bool keepLittle() {
    int64_t bytes = 0;
    for (unsigned tensor : kept_) {
      affine::Expr elements = constant(1);
      const auto [op, operand] = useOf(tensor);
      for (size_t d = 0; d < operand.map.size(); ++d) {
        const auto name = operand.map[d].asIterator();
        if (!name || !isShared(op, *name)) elements = elements * kernel_.tensors[tensor].shape[d];
      }
      const auto known = elements.asConstant();
      if (!known || *known < 1) return false;
      elements_ += *known;
      if (elements_ > numbers().mostAtPosition) return false;
      bytes += *known * side() * lanes_ * ir::info(kernel_.tensors[tensor].type).bytes();
    }
    return bytes <= std::min<int64_t>(options_.target->l1.bytes, kMostOnStack);
  }
  // The first op that uses the tensor, and its operand.
  std::pair<size_t, ir::Operand> useOf(unsigned tensor) const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i)
        if (ops_[op].operand(i).tensor == tensor) return {op, ops_[op].operand(i)};
    return {};
  }
  // A vector of each op.
  int64_t lanes() const {
    int64_t lanes = 1;
    for (const ir::StructuredOp& op : ops_)
      lanes = std::max<int64_t>(lanes, options_.target->lanes(transforms::registerBytes(op)));
    return lanes;
  }
  bool looksOutside(const ir::StructuredOp& op) const { return !findOutside(kernel_, op).empty(); }
  // Whether it can be asked if all is inside.
  bool mayAsk(const ir::StructuredOp& op) const {
    const std::vector<Outside> all = findOutside(kernel_, op);
    return !runBackwards(all) && stepsOf(all).empty();
  }
  const target::Numbers& numbers() const { return options_.target->numbers; }

  // Of each tensor that is not kept, once: the ops have them by these names.
  std::vector<Test> tests() const {
    std::vector<Test> tests;
    std::set<unsigned> seen(kept_.begin(), kept_.end());
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const ir::Operand& operand = ops_[op].operand(i);
        if (operand.shapeOnly || !moves(op, operand, along_)) continue;
        const bool isTurned = across_ && operand.map.back().asIterator() == classes_[*across_][op];
        if ((!isTurned && !isAlong(op, operand)) || !seen.insert(operand.tensor).second) continue;
        tests.push_back({Test::Kind::Contiguous,
                         {},
                         {},
                         OperandName{kernel_.tensors[operand.tensor].name},
                         classes_[isTurned ? *across_ : along_][op]});
      }
    return tests;
  }

  Steps steps() const {
    Steps result;
    for (size_t at = 0; at < classes_.size(); ++at)
      if (at != along_ && at != across_)
        result.push_back(loop(at, 1, "all ops, position by position"));
    if (across_) result.push_back(loop(*across_, side(), "lines of squares"));
    result.push_back(loop(along_, lanes_, "a vector of neighbours"));
    const Test isWhole = equals(neighbours(0), lanes_);
    const Step some(WhenStep{{isWhole}, all(1), all(1)}, "the last vector is not whole");
    if (side() == 1) {
      result.push_back(some);
      return result;
    }
    const std::string& across = classes_[*across_][0];
    result.push_back(Step(WhenStep{{isWhole, equals(across, side())},
                                   all(side()),
                                   {Step(TileStep{across, constant(1)}, "line by line"), some}},
                          "squares are turned, where they are whole"));
    return result;
  }
  int64_t side() const { return across_ ? std::min(numbers().squareSide, lanes_) : 1; }
  Step loop(size_t at, int64_t by, const std::string& why) const {
    TileStep step{classes_[at][0], constant(by)};
    if (options_.threads > 1)
      step.threads = Threads{numbers().elementsPerThread, /*outer=*/at + 1 < classes_.size()};
    return {std::move(step), why};
  }

  // All ops, for so many lines, in these axes beside their own.
  Steps all(int64_t lines) const {
    Steps result;
    for (unsigned tensor : kept_) {
      KeepStep keep{{}, kernel_.tensors[tensor].name, KeepStep::Where::Stack};
      const auto [op, operand] = useOf(tensor);
      for (const auto& [at, size] : axes(lines))
        if (moves(op, operand, at)) keep.memory.push_back({classes_[at][0], constant(size)});
      result.push_back(Step(std::move(keep), "it is read where it was just written"));
    }
    Steps own;
    const bool isAskedOnce = llvm::all_of(ops_, [&](const auto& op) { return mayAsk(op); });
    for (size_t op = 0; op < ops_.size(); ++op) {
      VectorizeStep step;
      for (const ir::Iterator& i : ops_[op].iterators) {
        const auto extent = ir::extentOf(kernel_, ops_[op], i.name)->extent.asConstant();
        if (!isShared(op, i.name) && *extent > 1) step.axes.push_back({i.name, *extent});
      }
      for (const auto& [at, size] : axes(lines)) step.axes.push_back({classes_[at][op], size});
      Steps by = {Step(std::move(step), "all that it does there")};
      if (!isAskedOnce && looksOutside(ops_[op]) && mayAsk(ops_[op])) by = whereInside(by);
      own.push_back(
          Step(FuseStep{static_cast<int64_t>(first_ + op), /*isOnTile=*/false, std::move(by)},
               "at the same positions"));
    }
    if (isAskedOnce && llvm::any_of(ops_, [&](const auto& op) { return looksOutside(op); }))
      own = whereInside(own);
    llvm::append_range(result, own);
    return result;
  }
  static Steps whereInside(const Steps& steps) {
    return {Step(WhenStep{{{Test::Kind::Inside}}, steps, steps},
                 "asked once for all that is read there")};
  }
  // Shared iterators, and positions of them that are done at once.
  std::vector<std::pair<size_t, int64_t>> axes(int64_t lines) const {
    std::vector<std::pair<size_t, int64_t>> result;
    if (lines > 1) result.emplace_back(*across_, lines);
    result.emplace_back(along_, lanes_);
    return result;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const size_t first_;
  const ScheduleOptions& options_;
  const std::vector<std::vector<std::string>> classes_;
  const std::vector<unsigned> kept_;
  size_t along_ = 0;
  std::optional<size_t> across_;
  int64_t lanes_ = 1, elements_ = 0;  // of a vector; that are kept at a position
};

}  // namespace

std::optional<InRegisters> inRegisters(const ir::Kernel& kernel, const Ops& ops, size_t first,
                                       const ScheduleOptions& options) {
  return PositionByPosition(kernel, ops, first, options).run();
}

}  // namespace einc::strategy
