// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What an index expression is at most, in names that are known outside of the statements entered:
//
//   enter(k0_size = least of 256, K - k0)
//   enter(for k = 0 .. k0_size)
//   most(k * N)                             255 * N
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/ir/ir.h"

namespace einc::facts {

class Ends {
 public:
  explicit Ends(const ir::Kernel& kernel) : signs_(kernel) {}

  void enter(const ir::Bound& bound) {
    signs_.enter(bound);
    bounds_[bound.name] = bound.of;
  }
  void enter(const ir::For& loop) { extents_[loop.var] = loop.extent; }
  void enter(const ir::TileLoop& loop) {
    extents_[loop.var] = loop.extent;
    bounds_[loop.size] = {loop.step, loop.extent};
  }

  std::optional<affine::Expr> most(const affine::Expr& e) const { return end(e, true); }

 private:
  bool isOutside(const affine::Expr& e) const;
  bool isOutside(const affine::Atom& atom) const;
  // The most if `up`, else the least.
  std::optional<affine::Expr> end(const affine::Expr& e, bool up) const;
  std::optional<affine::Expr> end(const affine::Term& term, bool up) const;
  std::optional<affine::Expr> end(const affine::Atom& atom, bool up) const;
  std::optional<affine::Expr> end(const std::vector<affine::Expr>& least, bool up) const;

  Signs signs_;  // sizes of tiles are never negative, whatever they are the least of
  std::map<std::string, std::vector<affine::Expr>> bounds_;
  std::map<std::string, affine::Expr> extents_;
};

}  // namespace einc::facts
