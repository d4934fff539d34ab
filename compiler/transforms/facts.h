// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the statements around an op say about its operands: conditions that hold, and what views are
// views of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

class Facts {
 public:
  explicit Facts(const ir::Kernel& kernel) : kernel_(kernel) {}

  void assume(const std::vector<ir::Condition>& conditions) {
    known_.insert(known_.end(), conditions.begin(), conditions.end());
  }
  void define(const ir::View& view) { views_[view.view] = view; }

  // The number is `size`, for certain.
  bool equals(const affine::Expr& number, int64_t size) const;
  // Neighbours along dimension `dim` are neighbours in memory, for certain.
  bool isUnit(unsigned tensor, unsigned dim) const;

  // The tensor that has the memory.
  unsigned rootOf(unsigned tensor) const;
  // What the view, or one that it is part of, reads as where its base ends; null: nowhere.
  ir::ValueRef padOf(unsigned tensor) const;

  // An element of a view as one of the tensor that has its memory; nothing if a pad is on the way.
  struct Place {
    unsigned tensor;
    std::vector<affine::Expr> index;
  };
  // With `inside` it is one all the same, if what that gets is so: no pad is read if each of these
  // indices is at least 0 and less than its size.
  struct Within {
    affine::Expr index, size;
  };
  std::optional<Place> resolve(unsigned tensor, std::vector<affine::Expr> index,
                               std::vector<Within>* inside = nullptr) const;

 private:
  const ir::Kernel& kernel_;
  std::vector<ir::Condition> known_;
  std::map<unsigned, ir::View> views_;
};

}  // namespace einc::transforms
