// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is known of positions from the loops, bounds and conditions around: the values of sizes,
// which index is below which size, and what an index is a multiple of.
//
// A name means what was entered for it last. Who leaves a condition, or a block whose names others
// have again, goes back to a copy from before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/ir/ir.h"

namespace einc::facts {

// The size of all tiles, if it is one number.
std::optional<int64_t> tileSize(const ir::TileLoop& loop);

class Positions {
 public:
  explicit Positions(const ir::Kernel& kernel) : signs_(kernel) {}

  // What holds behind, or inside, these statements.
  void enter(const ir::Bound& bound) { signs_.enter(bound); }
  void enter(const ir::For& loop);
  void enter(const ir::TileLoop& loop);
  void enter(const ir::Axis& axis);
  void assume(const ir::Condition& condition);
  // That not all of them hold, where one is a size that is not above a number.
  void assumeNot(const std::vector<ir::Condition>& conditions);

  // Of a constant, and of what a condition or a loop says has one value.
  std::optional<int64_t> valueOf(const affine::Expr& size) const;
  bool isAbove(const affine::Expr& size, int64_t number) const;
  bool isNonNegative(const affine::Expr& index) const { return signs_.isNonNegative(index); }
  bool isBelow(const affine::Expr& index, const affine::Expr& size) const;
  void assumeBelow(const affine::Expr& index, const affine::Expr& size) {
    below_.emplace_back(index, size);
  }
  // What every value of the expression is a multiple of: a power of two, at most 64.
  int64_t factorOf(const affine::Expr& e) const;
  // Of a condition on sizes, if it is known.
  std::optional<bool> holds(const ir::Condition& condition) const;

 private:
  bool isQuotientBelow(const affine::Expr& index, const affine::Expr& size) const;
  int64_t factorOf(const affine::Atom& atom) const;
  std::optional<int64_t> mostOf(const affine::Expr& e) const;
  std::optional<int64_t> mostOf(const affine::Atom& atom) const;
  std::optional<int64_t> valueOf(const std::string& symbol) const;

  Signs signs_;
  std::map<std::string, affine::Expr> extents_;  // of loops by one
  struct Tile {
    affine::Expr extent;
    std::string size;
    std::optional<int64_t> step;
  };
  std::map<std::string, Tile> tiles_;
  std::map<std::string, int64_t> values_;                  // of symbols
  std::vector<std::pair<affine::Expr, int64_t>> numbers_;  // of expressions
  std::vector<std::pair<affine::Expr, affine::Expr>> below_;
  std::vector<std::pair<affine::Expr, int64_t>> above_;  // what is larger than a number
};

}  // namespace einc::facts
