// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What views say: which tensor has the memory, and where in it an element of a view is.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::facts {

using Index = std::vector<affine::Expr>;

// The expression with `by` in place of an iterator.
affine::Expr substituted(const affine::Expr& e, const std::string& iterator,
                         const affine::Expr& by);
Index substituted(const Index& index, const std::string& iterator, const affine::Expr& by);

class Views {
 public:
  explicit Views(const ir::Kernel& kernel) : kernel_(&kernel) {}

  void enter(const ir::View& view) { views_[view.view] = std::make_shared<ir::View>(view); }
  // Addresses of this dimension are looked up. Printers that compute all of them leave it out.
  void enter(const ir::Offsets& offsets) { tables_[{offsets.view, offsets.dim}] = offsets.table; }

  const ir::Tensor& tensor(unsigned number) const { return kernel_->tensors[number]; }
  // Null for what has memory.
  const ir::View* viewOf(unsigned tensor) const;
  unsigned rootOf(unsigned tensor) const;
  // Whether elements are parts of bytes: those of arguments alone.
  bool isPacked(unsigned tensor) const;
  std::optional<unsigned> tableOf(unsigned view, unsigned dim) const;

  // The element of the base that is the view's at `index`. Where a size is 0, no element is asked
  // for: quotients of 0 are 0.
  Index mapped(const ir::View& view, const Index& index) const;
  Index rootIndex(unsigned tensor, Index index) const;
  // What the view, or one that it is part of, reads as where its base ends; null: nowhere.
  ir::ValueRef padOf(unsigned tensor) const;

  // An element of a view as one of the tensor that has its memory; nothing if a pad is on the way.
  struct Place {
    unsigned tensor;
    Index index;
  };
  // With `inside` it is one all the same, if what that gets is so: no pad is read if each of these
  // indices is at least 0 and less than its size.
  struct Within {
    affine::Expr index, size;
  };
  std::optional<Place> resolve(unsigned tensor, Index index,
                               std::vector<Within>* inside = nullptr) const;

  // The dimension of the base that alone moves with this one, by one, and where it is when the view
  // is at 0.
  struct Moved {
    unsigned dim;
    affine::Expr first;
  };
  static std::optional<Moved> movedBy(const ir::View& view, unsigned dim);
  // The dimension of what has memory that alone moves with this one, by one; nothing where a table
  // is on the way.
  using RootDim = std::pair<unsigned, unsigned>;
  std::optional<RootDim> rootDim(unsigned tensor, unsigned dim) const;

  // Whether a dimension stands for several of the base: in divisions and remainders alone.
  static bool divides(const ir::View& view, unsigned dim);
  // Those that it stands for, the innermost first, and how many positions each has, the outermost none: i mod N, i floordiv N.
  // Empty: they are not all of them, one inside the other.
  struct Joined {
    unsigned dim;
    affine::Expr size;
  };
  static std::vector<Joined> joined(const ir::View& view, unsigned dim);
  // Where such a dimension goes from one of these to the next: 1, and each divisor.
  static std::vector<affine::Expr> seams(const ir::View& view);

 private:
  const ir::Kernel* kernel_;
  std::map<unsigned, std::shared_ptr<const ir::View>> views_;
  std::map<std::pair<unsigned, unsigned>, unsigned> tables_;
};

// All views that a kernel has, wherever they stand.
Views viewsIn(const ir::Kernel& kernel);

}  // namespace einc::facts
