// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a region of n-D vectors loads and stores, and along which axis its lanes had best lie.
//
//   before  vector (m: 16, n: 16) {
//             let a: f32 over (m, n) = %A[m, n] unit n      a load along n
//             let b: f32 over (n) = %B[n] unit n            another one
//             %C[n, m] unit m = add(a, b)                   a store along m
//           }
//   after   lanes along n, as most loads are: the store is a transpose; so would be the load of %A, with
//           lanes along m
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// A load or a store whose elements are neighbours in memory along `unit`.
struct Transfer {
  std::string unit;
  const std::vector<affine::Expr>* index;  // of the region
  bool isStore;
  int64_t elements = 1;  // at all positions of axes

  // With lanes along `axis` it is a transpose.
  bool isTransposed(const std::string& axis) const;
};

struct Transfers {
  explicit Transfers(const ir::Vector& region);

  // The axis along which loads of the most elements are unit, or stores where no load is; another one, if it
  // takes fewer transposes. "" where nothing is unit along any.
  std::string lanesAxis() const;

  std::vector<Transfer> all;
  int bytes = 1;                  // of the widest type in registers
  std::set<std::string> reduced;  // axes whose positions become one
  bool reduces() const { return !reduced.empty(); }
};

}  // namespace einc::transforms
