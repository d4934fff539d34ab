// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Rounds that are made of others, op by op: in the same loops, with other ops.
#pragma once

#include <string>
#include <utility>

#include "compiler/transforms/rounds.h"

namespace einc::transforms {

struct OpsInRounds {
  explicit OpsInRounds(const Rounds& from) : from(from), rounds(from) {
    rounds.ops.clear();
    rounds.when.clear();
    rounds.along.names.clear();
    for (Rounds::Loop& loop : rounds.outer) loop.names.clear();
  }

  // Its iterators are called as those of an op that was there are.
  void add(ir::StructuredOp op, Rounds::When when, size_t like) {
    for (size_t i = 0; i < from.outer.size(); ++i)
      rounds.outer[i].names.push_back(from.outer[i].names[like]);
    rounds.along.names.push_back(when == Rounds::When::In ? from.along.names[like] : "");
    rounds.ops.push_back(std::move(op));
    rounds.when.push_back(when);
  }

  const Rounds& from;
  Rounds rounds;
};

}  // namespace einc::transforms
