// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/rows_again.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/ir/shape.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

// Bytes at a position along the rounds of all that ops in them read again there.
class Rows {
 public:
  Rows(const ir::Kernel& kernel, const Rounds& rounds) : kernel_(kernel), rounds_(rounds) {
    for (size_t op = 0; op < rounds.ops.size(); ++op) {
      if (rounds.when[op] == Rounds::When::In)
        for (const ir::Operand& input : rounds.ops[op].inputs) add(op, input);
      for (const ir::Operand& input : rounds.ops[op].inputs) areLines_ &= isLine(op, input);
      for (const ir::Operand& output : rounds.ops[op].outputs) areLines_ &= isLine(op, output);
    }
  }

  affine::Expr bytesAt() const { return bytes_; }
  bool areLines() const { return areLines_; }

 private:
  void add(size_t op, const ir::Operand& input) {
    const std::string& along = rounds_.along.names[op];
    if (!llvm::is_contained(input.map, affine::Expr::iterator(along))) return;
    if (readers_[input.tensor]++ != 1) return;  // the second one
    affine::Expr bytes = transforms::constant(ir::info(kernel_.tensors[input.tensor].type).bytes());
    for (const affine::Expr& index : input.map)
      for (const std::string& name : index.iterators())
        if (name != along && !isOuter(op, name))
          bytes = bytes * ir::extentOf(kernel_, rounds_.ops[op], name)->extent;
    bytes_ = bytes_ + bytes;
  }
  // Whether neighbours of an operand are not those of another row, as far as it has more than one element of a row.
  bool isLine(size_t op, const ir::Operand& operand) const {
    auto isOfRow = [&](const std::string& name) { return !isOuter(op, name); };
    return operand.shapeOnly || operand.map.empty() ||
           llvm::all_of(operand.map.back().iterators(), isOfRow) ||
           llvm::none_of(transforms::iteratorsOf(operand), isOfRow);
  }
  bool isOuter(size_t op, const std::string& name) const {
    return llvm::any_of(rounds_.outer,
                        [&](const Rounds::Loop& loop) { return loop.names[op] == name; });
  }

  const ir::Kernel& kernel_;
  const Rounds& rounds_;
  std::map<unsigned, int> readers_;
  affine::Expr bytes_;
  bool areLines_ = true;
};

// Where it is not known how much is at a position, rounds have a few of these, which are neither little nor much.
constexpr int64_t kPositions = 16;

// Products, and what has several results for each row: these do much more with a row than to read it.
bool hasMoreThanRows(const Rounds& rounds) {
  for (size_t op = 0; op < rounds.ops.size(); ++op)
    for (const ir::Iterator& iterator : rounds.ops[op].iterators) {
      if (rounds.when[op] != Rounds::When::In || iterator.kind != ir::IteratorKind::Parallel)
        continue;
      const bool isLoop = llvm::any_of(
          rounds.outer, [&](const Rounds::Loop& loop) { return loop.names[op] == iterator.name; });
      if (!isLoop && iterator.name != rounds.along.names[op]) return true;
    }
  return false;
}

}  // namespace

std::optional<Reason> readOnce(const ir::Kernel& kernel, Rounds& rounds,
                               const target::Target& target, bool isWanted,
                               std::vector<ir::Condition>& where) {
  const Rows rows(kernel, rounds);
  const affine::Expr at = rows.bytesAt(), all = rounds.along.extent * at;
  const int64_t round = target.numbers.roundBytes,
                cache = target.l2.bytes * target.numbers.rowAgain / 8;
  const auto known = at.asConstant();
  if (known == 0) return Reason{"nothing is read again along the rounds"};
  if (!rows.areLines()) return Reason{"an operand does not lie in lines along the rounds"};
  rounds.along.tile = known ? std::max<int64_t>(1, round / *known) : kPositions;
  if (isWanted) return std::nullopt;
  if (hasMoreThanRows(rounds))
    return Reason{"what reads rows again has several results for each, or is a product"};
  auto require = [&](const affine::Expr& least, const affine::Expr& most) {
    where.push_back({ir::Condition::Kind::LessEqual, least, most});
  };
  if (known.value_or(0) > cache || all.asConstant().value_or(cache) < cache)
    return Reason{"what is read again is read from the caches"};
  if (!all.asConstant()) require(transforms::constant(cache), all);
  if (known) return std::nullopt;
  require(transforms::constant(round / (16 * kPositions)), at);
  require(at, transforms::constant(cache / kPositions));
  return std::nullopt;
}

}  // namespace einc::strategy
