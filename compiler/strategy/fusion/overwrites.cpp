// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/overwrites.h"

#include "compiler/facts/aliasing.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

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

}  // namespace einc::strategy
