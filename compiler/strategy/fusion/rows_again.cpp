// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/rows_again.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

// Bytes at a position along the rounds of all that ops in them read again there.
class Rows {
 public:
  Rows(const ir::Kernel& kernel, const Rounds& rounds) : kernel_(kernel), rounds_(rounds) {
    for (size_t op = 0; op < rounds.ops.size(); ++op)
      if (rounds.when[op] == Rounds::When::In)
        for (const ir::Operand& input : rounds.ops[op].inputs) add(op, input);
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
    areLines_ &= llvm::none_of(input.map.back().iterators(),
                               [&](const std::string& name) { return isOuter(op, name); });
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

bool isInRounds(Rounds::When when) {
  return when == Rounds::When::In || when == Rounds::When::Each;
}

// Whether one op has read what the other writes: before it, at the same place of all loops.
bool readsBefore(const Rounds& rounds, size_t reader, const ir::Operand& read, size_t writer,
                 const ir::Operand& write) {
  const auto from = rounds.when[reader], to = rounds.when[writer];
  if (reader == writer && read.map == write.map) return true;
  if (isInRounds(from) && isInRounds(to))
    return reader < writer && rounds.along.names[reader] == rounds.along.names[writer] &&
           read.map == write.map &&
           llvm::is_contained(read.map, affine::Expr::iterator(rounds.along.names[reader]));
  if (isInRounds(from)) return to == Rounds::When::After;
  return reader < writer && (from == to || from == Rounds::When::Before);
}

// Along a row products do more than to read it; and each result of several reads it again.
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

bool overwritesInput(const ir::Kernel& contract, const Rounds& rounds) {
  for (size_t writer = 0; writer < rounds.ops.size(); ++writer)
    for (const ir::Operand& write : rounds.ops[writer].outputs)
      for (size_t reader = 0; reader < rounds.ops.size(); ++reader)
        for (const ir::Operand& read : rounds.ops[reader].inputs)
          if (facts::mayShareMemory(contract, write.tensor, read.tensor) &&
              !readsBefore(rounds, reader, read, writer, write))
            return true;
  return false;
}

std::optional<Reason> readOnce(const ir::Kernel& kernel, Rounds& rounds,
                               const target::Target& target, bool isWanted,
                               std::vector<ir::Condition>& where) {
  const Rows rows(kernel, rounds);
  const affine::Expr at = rows.bytesAt(), all = rounds.along.extent * at;
  const int64_t round = target.numbers.roundBytes,
                cache = target.l2.bytes * target.numbers.rowAgain / 8;
  const auto known = at.asConstant();
  if (known == 0) return Reason{"nothing is read again along the rounds"};
  if (!rows.areLines()) return Reason{"what is read again does not lie in lines along the rounds"};
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
