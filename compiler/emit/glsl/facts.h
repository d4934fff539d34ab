// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is known of positions and of places in memory where a statement of a kernel for a device
// stands: from the loops, conditions and views around it. No text.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

using Index = std::vector<affine::Expr>;

// The expression with `by` in place of an iterator.
affine::Expr substituted(const affine::Expr& e, const std::string& iterator,
                         const affine::Expr& by);
Index substituted(const Index& index, const std::string& iterator, const affine::Expr& by);
bool mentions(const affine::Expr& e, const std::string& iterator);

class DeviceFacts {
 public:
  explicit DeviceFacts(const ir::Kernel& kernel) : kernel_(&kernel), signs_(kernel) {}

  // What holds behind, or inside, these statements.
  void enter(const ir::View& view) { views_[view.view] = &view; }
  void enter(const ir::Bound& bound);
  void enter(const ir::For& loop);
  void enter(const ir::TileLoop& loop);
  void enter(const ir::Axis& axis);
  void assume(const ir::Condition& condition);

  // Views: down to what has memory.
  const ir::View* viewOf(unsigned tensor) const;
  unsigned rootOf(unsigned tensor) const;
  Index mapped(const ir::View& view, const Index& index) const;
  Index rootIndex(unsigned tensor, Index index) const;
  // The dimension of what has memory that alone moves with this one, by one.
  std::optional<std::pair<unsigned, unsigned>> rootDim(unsigned tensor, unsigned dim) const;
  // Whether a dimension stands for several of the base: in divisions and remainders alone.
  static bool divides(const ir::View& view, unsigned dim);
  // Whether a condition says that a dimension is unit, though the view's map does not.
  bool isRun(unsigned tensor, unsigned dim) const { return runs_.count({tensor, dim}) != 0; }
  // Whether a condition says that neighbours along an argument's dimension are so in memory.
  bool isUnit(unsigned tensor, unsigned dim) const { return units_.count({tensor, dim}) != 0; }
  // Whether element `index` is at a multiple of so many elements: in memory that is row-major by
  // its place, in arguments by what a condition says. It is linear in `axis` by one, if that is
  // not empty.
  bool isAligned(unsigned tensor, const Index& index, int64_t elements,
                 const std::string& axis) const;

  // Positions.
  bool isBelow(const affine::Expr& index, const affine::Expr& size) const;
  bool isNonNegative(const affine::Expr& index) const { return signs_.isNonNegative(index); }
  // What every value of the expression is a multiple of: a power of two, at most 64.
  int64_t factorOf(const affine::Expr& e) const;
  // A symbol's value, where it is known.
  std::optional<int64_t> valueOf(const affine::Expr& size) const;

 private:
  int64_t factorOf(const affine::Atom& atom) const;
  std::optional<int64_t> mostOf(const affine::Expr& e) const;
  std::optional<int64_t> mostOf(const affine::Atom& atom) const;
  void assumeRun(unsigned tensor, unsigned dim);

  const ir::Kernel* kernel_;
  facts::Signs signs_;
  std::map<unsigned, const ir::View*> views_;
  std::map<std::string, affine::Expr> extents_;  // of loops by one
  struct Tile {
    affine::Expr extent;
    std::string size;
    std::optional<int64_t> step;
  };
  std::map<std::string, Tile> tiles_;
  std::map<std::string, int64_t> sizes_;
  std::set<std::pair<unsigned, unsigned>> units_;
  std::map<std::pair<unsigned, unsigned>, int64_t> lines_;  // what lines begin at, in elements
  std::set<std::pair<unsigned, unsigned>> runs_;
  std::map<std::string, std::vector<affine::Expr>> bounds_;
};

}  // namespace einc::emit
