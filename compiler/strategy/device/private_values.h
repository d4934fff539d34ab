// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What ops that share positions keep between them at each position: tensors that they write, and
// that are small without the dimensions of the shared iterators. They need no memory of the device,
// or are stored there once, at the end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/strategy/fusion/shared_loops.h"

namespace einc::strategy {

struct PrivateValue {
  struct Use {
    size_t op, access;              // the operand's number among those that are accessed
    std::vector<affine::Expr> map;  // without the shared dimensions
    ir::Operand& in(Ops& ops) const;
  };
  unsigned tensor;
  std::vector<affine::Expr> shape;  // of what is kept: constants
  std::vector<Use> uses;
  bool readsFirst, isStored;  // what was there is needed; and the last value, elsewhere
};

// `shared` as sharedPositions gives it; `others` are tensors that ops beside these use; at most so
// many elements each.
std::vector<PrivateValue> privateValues(const ir::Kernel& kernel, const Ops& ops,
                                        const std::vector<std::vector<std::string>>& shared,
                                        const std::set<unsigned>& others, int64_t most);

}  // namespace einc::strategy
