// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is known of numbers that are the least of others, from what these are made of:
//
//   let kc = min(k, 512)                   kc is at most 512, and positive where k is
//   let rows = min(m, 4096 floordiv kc)    rows * kc is at most 4096
//
// and of products and quotients of such numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/facts/signs.h"

namespace einc::facts {

class Minima {
 public:
  // `number`, which a name stands for, is the least of these. `isPositive`: it is known to be, whatever
  // they are.
  void enter(const affine::Expr& number, std::vector<affine::Expr> of, bool isPositive);
  void assumePositive(const affine::Expr& number) { positive_.push_back(number); }

  // It is so much or more.
  void assumeAtLeast(const affine::Expr& number, int64_t least) {
    atLeast_.emplace_back(number, least);
  }

  // Whether that is known.
  bool isAtLeast(const affine::Expr& number, int64_t least) const;
  // What it is the least of; null where it was not entered, or is a constant.
  const std::vector<affine::Expr>* of(const affine::Expr& number) const;
  bool isAssumedPositive(const affine::Expr& number) const;

  // The most that a number is, where constants say it.
  std::optional<int64_t> mostOf(const affine::Expr& number) const {
    return mostOfProduct({number});
  }
  // The same of a product of numbers, none of which is negative.
  std::optional<int64_t> mostOfProduct(const std::vector<affine::Expr>& factors) const;
  // 1 or more, where `extent` is.
  bool isPositive(const Signs& signs, const affine::Expr& number, const affine::Expr& extent) const;
  // Whether one tile of `by` of `extent` positions holds all of them, or else tiles of `outer` positions of
  // something else hold one each, as in by = min(extent, 512), outer = min(J, 512 floordiv by).
  bool isAllOrOuterOne(const affine::Expr& outer, const affine::Expr& by,
                       const affine::Expr& extent) const;

 private:
  class Positive;
  struct Least {
    affine::Expr number;
    std::vector<affine::Expr> of;
    bool isPositive;
  };
  const Least* find(const affine::Expr& number) const;
  std::vector<affine::Expr> above(const affine::Expr& number) const;
  std::optional<int64_t> leastOf(const affine::Expr& number) const;
  bool isAtMost(const affine::Expr& number, const affine::Expr& most) const;
  bool isPartOf(const affine::Expr& number, const affine::Expr& whole) const;
  std::optional<std::vector<affine::Expr>> factorsOf(const affine::Expr& number) const;
  std::optional<int64_t> mostOfOne(const affine::Expr& factor) const;

  std::vector<Least> least_;
  std::vector<affine::Expr> positive_;
  std::vector<std::pair<affine::Expr, int64_t>> atLeast_;
};

}  // namespace einc::facts
