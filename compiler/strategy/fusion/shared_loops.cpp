// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/shared_loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/grain.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// The loops, from the outermost on, and what is in them.
class Blocks {
 public:
  Blocks(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options)
      : kernel_(kernel), ops_(ops), options_(options), classes_(sharedIterators(kernel, ops)) {
    // Where the ops have all their iterators in common, the last one is left to each of them.
    bool all = std::all_of(ops_.begin(), ops_.end(), [&](const ir::StructuredOp& op) {
      return op.iterators.size() == classes_.size();
    });
    loops_ = all && classes_.size() > 1 ? classes_.size() - 1 : classes_.size();
  }

  SharedLoops run() const {
    SharedLoops result;
    if (options_.threads > 1) result.few = few();
    const std::string last = classes_[loops_ - 1][0], rows = freeName(kernel_, ops_[0], "rows");
    result.blocks.push_back(LetStep{rows, rowsOf(last)});
    const bool threads = options_.threads > 1;
    for (size_t at = 0; at < loops_; ++at) {
      const bool isLast = at + 1 == loops_;
      TileStep step{classes_[at][0], isLast ? extentOf(rows) : constant(1)};
      if (threads) step.threads = Threads{numbers().elementsPerThread, /*outer=*/!isLast};
      result.blocks.push_back(std::move(step));
    }
    for (unsigned tensor : carried()) {
      KeepStep keep{{}, kernel_.tensors[tensor].name};
      for (size_t at = loops_ - 1; at < classes_.size(); ++at)
        if (isAlong(tensor, at))
          keep.memory.push_back(
              {classes_[at][0], extentOf(at + 1 == loops_ ? rows : classes_[at][0])});
      result.blocks.push_back(std::move(keep));
    }
    return result;
  }

 private:
  const target::Numbers& numbers() const { return options_.target->numbers; }

  std::vector<Test> few() const {
    Expr positions = constant(1);
    for (size_t at = 0; at < loops_; ++at) positions = positions * extentOf(classes_[at][0]);
    return {{Test::Kind::Less, positions, constant(options_.threads)},
            {Test::Kind::Less, constant(numbers().largePosition),
             elementsPerPosition(/*parts=*/false)}};
  }

  std::vector<Expr> rowsOf(const std::string& iterator) const {
    const Expr all = extentOf(iterator), fewest = constant(fewestRows());
    std::vector<Expr> rows = {all,
                              constant(numbers().blockElements)
                                      .floorDiv(elementsPerPosition(/*parts=*/true) + constant(1)) +
                                  fewest};
    if (options_.threads > 1)  // so that each gets some
      rows.push_back(all.ceilDiv(constant(options_.threads) * fewest) * fewest);
    return rows;
  }

  size_t classOf(size_t op, const std::string& iterator) const {
    size_t found = 0;
    while (found < classes_.size() && classes_[found][op] != iterator) ++found;
    return found;
  }

  // Local tensors that are not used elsewhere.
  std::vector<unsigned> carried() const {
    std::map<unsigned, size_t> users;
    auto count = [&](const ir::StructuredOp& op, size_t by) {
      std::set<unsigned> own;
      for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
      for (unsigned tensor : own) users[tensor] += by;
    };
    ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) { count(op, 1); });
    for (const ir::StructuredOp& op : ops_) count(op, static_cast<size_t>(-1));
    std::vector<unsigned> result;
    for (const auto& [tensor, others] : users)
      if (others == 0 && kernel_.tensors[tensor].role == ir::Role::Local && isDistinct(tensor))
        result.push_back(tensor);
    return result;
  }
  bool isDistinct(unsigned tensor) const {
    return std::all_of(ops_.begin(), ops_.end(), [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        const ir::Operand& operand = op.operand(i);
        bool distinct = transforms::iteratorsOf(operand).size() == operand.map.size();
        if (operand.tensor == tensor && (!distinct || operand.shapeOnly)) return false;
      }
      return true;
    });
  }
  // Whether a carried tensor has a dimension along a shared iterator.
  bool isAlong(unsigned tensor, size_t shared) const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i)
        if (ops_[op].operand(i).tensor == tensor)
          for (const std::string& name : transforms::iteratorsOf(ops_[op].operand(i)))
            if (name == classes_[shared][op]) return true;
    return false;
  }

  int64_t fewestRows() const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const std::vector<Expr>& map = ops_[op].operand(i).map;
        if (map.size() > 1 && map.back().asIterator() == classes_[loops_ - 1][op])
          return numbers().fewestNeighbours;
      }
    return 1;
  }

  // What is read and written for each position of the loops: of a tensor all, or with `parts` each part of it
  // that is at a place of its own.
  Expr elementsPerPosition(bool parts) const {
    Expr sum;
    std::set<unsigned> seen;
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const ir::Operand& operand = ops_[op].operand(i);
        const bool isPart = !std::all_of(operand.map.begin(), operand.map.end(),
                                         [](const Expr& index) { return index.asIterator(); });
        if (!(parts && isPart) && !seen.insert(operand.tensor).second) continue;
        Expr elements = constant(1);
        for (const std::string& iterator : transforms::iteratorsOf(operand))
          if (classOf(op, iterator) >= loops_)
            elements = elements * ir::extentOf(kernel_, ops_[op], iterator)->extent;
        sum = sum + elements;
      }
    return sum;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const ScheduleOptions& options_;
  std::vector<std::vector<std::string>> classes_;
  size_t loops_ = 0;
};

}  // namespace

SharedLoops sharedLoops(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options) {
  return Blocks(kernel, ops, options).run();
}

}  // namespace einc::strategy
