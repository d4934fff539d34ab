// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The names that can be seen from where a walk over a kernel is: each block adds its own, and forgets them at its
// end.
//
//   size_t outer = names.mark();
//   names.insert("m");
//   ... the block ...
//   names.forget(outer);  // "m" is unknown again, if it was unknown before
//
// A walk has few of them at a time, so they are a list that is searched from its end: copying a set for each
// block, as one would, takes longer than all the rest of the walk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace einc::ir {

template <typename T>
class InScope {
 public:
  bool contains(const T& item) const {
    return std::find(items_.rbegin(), items_.rend(), item) != items_.rend();
  }

  // How many were there when it was inserted; 0 of what is not there.
  size_t positionOf(const T& item) const {
    auto found = std::find(items_.begin(), items_.end(), item);
    return found == items_.end() ? 0 : static_cast<size_t>(found - items_.begin());
  }

  // Whether it was not there before.
  bool insert(T item) {
    if (contains(item)) return false;
    items_.push_back(std::move(item));
    return true;
  }

  size_t mark() const { return items_.size(); }
  // All that were inserted since the mark was taken.
  void forget(size_t mark) {
    items_.erase(items_.begin() + static_cast<ptrdiff_t>(mark), items_.end());
  }

  const std::vector<T>& all() const { return items_; }  // in the order of insertion

 private:
  std::vector<T> items_;
};

}  // namespace einc::ir
