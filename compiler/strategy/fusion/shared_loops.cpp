// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/shared_loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// What the shared iterators are called in an op.
std::vector<std::string> namesIn(const std::vector<std::vector<std::string>>& classes, size_t op) {
  std::vector<std::string> names;
  for (const std::vector<std::string>& one : classes) names.push_back(one[op]);
  return names;
}

bool isAtPositions(const Ops& ops, const std::vector<std::vector<std::string>>& classes,
                   unsigned tensor) {
  for (size_t op = 0; op < ops.size(); ++op)
    for (size_t i = 0; i < ops[op].operandCount(); ++i) {
      const ir::Operand& operand = ops[op].operand(i);
      if (operand.tensor != tensor) continue;
      if (operand.pad || operand.shapeOnly || !standAlone(operand.map, namesIn(classes, op)))
        return false;
    }
  return true;
}

// The loops, from the outermost on, and what is in them.
class Blocks {
 public:
  // With `outerLines`, neighbours along loops around the last one are done together, too.
  Blocks(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options, bool outerLines)
      : kernel_(kernel),
        ops_(ops),
        options_(options),
        classes_(sharedIterators(kernel, ops)),
        kept_(keptAmong(kernel, ops, classes_)),
        outerLines_(outerLines) {
    // Where the ops have all their iterators in common, the last one is left to each of them.
    bool all = std::all_of(ops_.begin(), ops_.end(), [&](const ir::StructuredOp& op) {
      return op.iterators.size() == classes_.size();
    });
    reduces_ = std::any_of(ops_.begin(), ops_.end(), ir::reduces);
    for (size_t at = 0; at + 1 < classes_.size(); ++at)
      inCubes_ |= outerLines_ && !reduces_ && all && hasLines(at);
    loops_ = all && classes_.size() > 1 && !inCubes_ ? classes_.size() - 1 : classes_.size();
    keepsLines_ = keepsLines();
  }

  // Whether there are neighbours along outer loops, for each.
  std::vector<Test> many() const {
    std::vector<Test> result;
    for (size_t at = 0; at + 1 < loops_; ++at)
      if (fewestOf(at) > 1 && !areFew(at))
        result.push_back(
            {Test::Kind::LessEqual, constant(fewestOf(at)), extentOf(classes_[at][0])});
    return result;
  }

  // With threads, when each op is done by itself.
  std::vector<Test> few() const {
    Expr positions = constant(1);
    for (size_t at = 0; at < loops_; ++at) positions = positions * extentOf(classes_[at][0]);
    return {{Test::Kind::Less, positions, constant(options_.threads)},
            {Test::Kind::Less, constant(numbers().largePosition),
             elementsPerPosition(/*parts=*/false)}};
  }

  Steps steps() const {
    Steps result;
    std::vector<Expr> rows;
    for (const auto& shared : classes_) rows.push_back(extentOf(shared[0]));
    for (size_t at = loops_; at-- > 0;) {
      if (at + 1 < loops_ && (reduces_ || (!outerLines_ && hasLines(at)))) {
        rows[at] = constant(fewestOf(at));
        continue;
      }
      if (areFew(at)) {  // at once, whatever the others are
        rows[at] = constant(std::max<int64_t>(*knownExtent(at), 1));
        continue;
      }
      const std::string name =
          freeName(kernel_, ops_[0], at + 1 == loops_ ? "rows" : classes_[at][0] + "_rows");
      result.push_back(
          Step(LetStep{name, rowsOf(at, rows)}, "what ops leave for each other stays in cache"));
      rows[at] = extentOf(name);
    }
    for (size_t at = 0; at < loops_; ++at) {
      TileStep step{classes_[at][0], rows[at]};
      if (options_.threads > 1)
        step.threads = Threads{numbers().elementsPerThread, /*outer=*/at + 1 < loops_};
      result.push_back(Step(std::move(step), "all ops, block by block"));
    }
    for (unsigned tensor : kept_) {
      KeepStep keep{{}, kernel_.tensors[tensor].name};
      for (size_t at = 0; at < classes_.size(); ++at)
        if (rows[at] != constant(1) && isAlong(tensor, at))
          keep.memory.push_back({classes_[at][0], rows[at]});
      result.push_back(Step(std::move(keep), "it is read where it was just written"));
    }
    return result;
  }

 private:
  const target::Numbers& numbers() const { return options_.target->numbers; }

  std::optional<int64_t> knownExtent(size_t at) const {
    return ir::extentOf(kernel_, ops_[0], classes_[at][0])->extent.asConstant();
  }
  bool areFew(size_t at) const {
    const auto known = knownExtent(at);
    return known && *known <= fewestOf(at);
  }

  // The positions of a block along one of the loops: as many as fit with those of the loops inside of it, which
  // are in `inside` (and are few, where extents could overflow), and the fewest that those outside of it take.
  std::vector<Expr> rowsOf(size_t at, const std::vector<Expr>& inside) const {
    const Expr all = extentOf(classes_[at][0]), fewest = constant(fewestOf(at));
    Expr others = constant(1);
    for (size_t other = 0; other < loops_; ++other)
      if (other < at)
        others = others * constant(fewestOf(other));
      else if (other > at)
        others = others * inside[other];
    // Of whole vectors, and those aligned where the first is.
    const Expr elements = elementsPerPosition(/*parts=*/true) * others * fewest + constant(1);
    std::vector<Expr> rows = {
        all, constant(numbers().blockElements).floorDiv(elements) * fewest + constant(leastOf(at))};
    // As many as are summed side by side, or twice as many, ...
    const Expr lines = constant(numbers().lines);
    if (const int64_t near = numbers().nearElements; near > 0 && reduces_ && fewestOf(at) == 1)
      rows.push_back(constant(near).floorDiv(elements * lines) * lines + lines);
    if (options_.threads > 1)  // so that each gets some
      rows.push_back(all.ceilDiv(constant(options_.threads) * fewest) * fewest);
    return rows;
  }

  size_t classOf(size_t op, const std::string& iterator) const {
    size_t found = 0;
    while (found < classes_.size() && classes_[found][op] != iterator) ++found;
    return found;
  }

  // Whether a kept tensor has a dimension along a shared iterator.
  bool isAlong(unsigned tensor, size_t shared) const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i)
        if (ops_[op].operand(i).tensor == tensor)
          for (const std::string& name : transforms::iteratorsOf(ops_[op].operand(i)))
            if (name == classes_[shared][op]) return true;
    return false;
  }

  // Neighbours in memory are done together, so that each line of the cache comes once.
  int64_t fewestOf(size_t at) const {
    if (!hasLines(at)) return isReadAgain(at) ? numbers().rowsOfLines : 1;
    if (inCubes_) return cubeSide();
    if (at + 1 == loops_) return keepsLines_ ? numbers().fewestKept : numbers().fewestNeighbours;
    if (!outerLines_ || (reduces_ && !hasLinesAcross(at))) return 1;
    return lanes();
  }
  // Fewer along each of more loops.
  int64_t cubeSide() const {
    int64_t side = numbers().cubeSide;
    auto elements = [&] {
      int64_t all = 1;
      for (size_t at = 0; at < loops_ && all <= numbers().cubeElements; ++at)
        if (hasLines(at)) all *= side;
      return all;
    };
    while (side > 2 && elements() > numbers().cubeElements) side /= 2;
    return side;
  }
  int64_t lanes() const {
    return std::max<int64_t>(1, options_.target->lanes(transforms::registerBytes(ops_[0])));
  }
  // The positions of a block however much is summed for each.
  int64_t leastOf(size_t at) const {
    const bool isSummed = reduces_ && hasLines(at) && at + 1 == loops_ && !keepsLines_;
    return isSummed ? numbers().fewestSummed : fewestOf(at);
  }
  // Whether any number of elements is carried from op to op at each position.
  bool keepsLines() const {
    for (unsigned tensor : kept_)
      for (size_t op = 0; op < ops_.size(); ++op)
        for (size_t i = 0; i < ops_[op].operandCount(); ++i)
          if (ops_[op].operand(i).tensor == tensor && !knownAtPosition(op, ops_[op].operand(i)))
            return true;
    return false;
  }
  bool hasLines(size_t at) const {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const std::vector<Expr>& map = ops_[op].operand(i).map;
        if (map.size() > 1 && map.back().asIterator() == classes_[at][op]) return true;
      }
    return false;
  }

  // Whether a product, which is done in lines (streams/lines.h), reads an input again at each position of a loop.
  bool isReadAgain(size_t at) const {
    if (options_.target->vectorBytes > 0) return false;
    for (size_t op = 0; op < ops_.size(); ++op)
      if (hasTiles(kernel_, ops_[op]) && llvm::any_of(ops_[op].inputs, [&](const auto& input) {
            return !input.shapeOnly &&
                   !llvm::is_contained(transforms::iteratorsOf(input), classes_[at][op]);
          }))
        return true;
    return false;
  }

  // Whether an op writes neighbours along an outer loop of what lies along the innermost one: in squares.
  bool hasLinesAcross(size_t at) const {
    for (size_t op = 0; op < ops_.size(); ++op) {
      if (ir::reduces(ops_[op])) continue;
      auto lies = [&](const ir::Operand& operand, size_t along) {
        return operand.map.size() > 1 && operand.map.back().asIterator() == classes_[along][op];
      };
      if (llvm::any_of(ops_[op].outputs, [&](const auto& o) { return lies(o, at); }) &&
          llvm::any_of(ops_[op].inputs, [&](const auto& i) { return lies(i, loops_ - 1); }))
        return true;
    }
    return false;
  }

  // What is read and written for each position of the loops: of a tensor all, or with `parts` each part of it
  // that is at a place of its own, unless it is known how much all of them are.
  Expr elementsPerPosition(bool parts) const {
    Expr sum;
    std::set<unsigned> seen;
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t i = 0; i < ops_[op].operandCount(); ++i) {
        const ir::Operand& operand = ops_[op].operand(i);
        const bool isPart = !std::all_of(operand.map.begin(), operand.map.end(),
                                         [](const Expr& index) { return index.asIterator(); });
        const std::optional<int64_t> most =
            isPart && parts ? knownAtPosition(op, operand) : std::nullopt;
        if ((!(parts && isPart) || most) && !seen.insert(operand.tensor).second) continue;
        Expr elements = constant(most.value_or(1));
        if (!most)
          for (const std::string& iterator : transforms::iteratorsOf(operand))
            if (classOf(op, iterator) >= loops_) elements = elements * sizeOf(op, iterator);
        sum = sum + elements;
      }
    return sum;
  }

  // Positions of an iterator, for a sum that is to be positive: N / s, of which the sign is not known, counts as one.
  Expr sizeOf(size_t op, const std::string& iterator) const {
    Expr extent = ir::extentOf(kernel_, ops_[op], iterator)->extent;
    return facts::Signs(kernel_).isNonNegative(extent) ? extent : constant(1);
  }

  // The elements that a tensor has at a position of the loops, where that is a number.
  std::optional<int64_t> knownAtPosition(size_t op, const ir::Operand& operand) const {
    std::vector<std::string> names = namesIn(classes_, op);
    names.resize(loops_);
    if (operand.pad || !standAlone(operand.map, names)) return std::nullopt;
    Expr elements = constant(1);
    for (size_t d = 0; d < operand.map.size(); ++d) {
      const auto name = operand.map[d].asIterator();
      if (!name || std::find(names.begin(), names.end(), *name) == names.end())
        elements = elements * kernel_.tensors[operand.tensor].shape[d];
    }
    return elements.asConstant();
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const ScheduleOptions& options_;
  const std::vector<std::vector<std::string>> classes_;
  const std::vector<unsigned> kept_;
  size_t loops_ = 0;
  bool reduces_ = false;  // one of the ops does: it has much to read at each position
  bool keepsLines_ = false;
  bool inCubes_ =
      false;  // no op reduces, and operands lie along outer loops, too: all loops are cut
  bool outerLines_;
};

}  // namespace

std::vector<unsigned> keptAmong(const ir::Kernel& kernel, const Ops& ops,
                                const std::vector<std::vector<std::string>>& classes) {
  const std::set<unsigned> viewed = ir::viewedIn(kernel.body);
  std::map<unsigned, size_t> users;
  auto count = [&](const ir::StructuredOp& op, size_t by) {
    std::set<unsigned> own;
    for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
    for (unsigned tensor : own) users[tensor] += by;
  };
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) { count(op, 1); });
  for (const ir::StructuredOp& op : ops) count(op, static_cast<size_t>(-1));
  std::vector<unsigned> result;
  for (const auto& [tensor, others] : users)
    if (others == 0 && viewed.count(tensor) == 0 &&
        kernel.tensors[tensor].role == ir::Role::Local && isAtPositions(ops, classes, tensor))
      result.push_back(tensor);
  return result;
}

SharedLoops sharedLoops(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options) {
  const Blocks one(kernel, ops, options, /*outerLines=*/false);
  const Blocks several(kernel, ops, options, /*outerLines=*/true);
  if (!llvm::any_of(ops, ir::reduces)) {  // neighbours cost nothing that is not done
    SharedLoops result{{}, several.steps(), {}, {}};
    if (options.threads > 1) result.few = several.few();
    return result;
  }
  SharedLoops result{{}, one.steps(), several.many(), {}};
  if (options.threads > 1) result.few = one.few();
  if (!result.many.empty()) result.lines = several.steps();
  return result;
}

}  // namespace einc::strategy
