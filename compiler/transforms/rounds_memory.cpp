// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/transforms/reuse.h"
#include "compiler/transforms/rounds.h"

namespace einc::transforms {
namespace {

// A tile that is made anew in each round.
bool isOfRound(const Rounds& rounds, unsigned tensor) {
  if (rounds.kept.count(tensor) == 0 || !isOverwritten(rounds.ops, tensor)) return false;
  auto user = std::find_if(rounds.ops.begin(), rounds.ops.end(),
                           [&](const ir::StructuredOp& op) { return ir::uses(op, tensor); });
  const auto number = static_cast<size_t>(user - rounds.ops.begin());
  const std::vector<affine::Expr>& map = user->outputs[0].map;
  return rounds.when[number] == Rounds::When::In &&
         std::find(map.begin(), map.end(), at(rounds.along.names[number])) != map.end();
}

}  // namespace

void reuseTiles(const ir::Kernel& kernel, Rounds& rounds) {
  reuse(kernel, rounds.ops,
        {[&](unsigned tensor) { return isOfRound(rounds, tensor); },
         [&](size_t op) {
           const bool hasCentre =  // and operands that it knows
               rounds.moments.count(rounds.ops[op].outputs[0].tensor) != 0;
           return rounds.when[op] == Rounds::When::In && !hasCentre;
         },
         [&](unsigned tensor) {
           rounds.kept.erase(tensor);
           rounds.moved.erase(tensor);
         }});
}

}  // namespace einc::transforms
