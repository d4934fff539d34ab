// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Along which axis of a vector region the lanes of registers lie, and in which parts; what follows
// from that for its statements. With registers of 16 lanes:
//
//   before  vector (m: 2, n: 24) {                            lanes along n, as what is read is,
//             let a: f32 over (m, n) = %A[m, n] unit n        in parts from 0 of 16 and from 16 of 8
//             %C[m, n] unit n = neg(a)
//           }
//   after   vector (n16: 16, n8: 8) {                         (unroll.h)
//             let a_0_0: f32 over (n16) = %A[0, n16] unit n16
//             let a_0_1: f32 over (n8) = %A[0, n8 + 16] unit n8
//             %C[0, n16] unit n16 = neg(a_0_0)
//             %C[0, n8 + 16] unit n8 = neg(a_0_1)
//             ...                                             and row 1
//           }
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/facts/views.h"
#include "compiler/transforms/transfers.h"
#include "compiler/transforms/unroll.h"

namespace einc::transforms {

class Lanes {
 public:
  // A part of the lanes' axis: a vector.
  struct Chunk {
    int64_t offset, width;
  };

  // Keeps a reference to the region. `turnsLoads`: what is read along another axis may be turned by the load (repeat.h).
  Lanes(const ir::Vector& region, const VectorShape& shape, bool turnsLoads = false);

  int64_t sizeOf(const std::string& axis) const;  // 1 of what is no axis
  bool isAxis(const std::string& name) const;
  // Those of the region, in its order, but for the lanes'.
  std::vector<std::string> otherAxes(const std::vector<std::string>& axes) const;
  std::vector<std::string> axesOf(const ir::Stmt& stmt) const;

  // Needs what other positions have computed.
  bool isBarrier(const ir::Stmt& stmt) const;
  // Whether all positions of `earlier` come before any of `later`, which stands behind it in its block: one
  // writes elements that the other uses at another position, or `later` assigns what `earlier` reads
  // along more axes.
  bool waitsFor(const ir::Stmt& later, const ir::Stmt& earlier, const facts::Views& views) const;
  // Its lanes are neighbours in memory along another axis. A value that was reduced has no lanes.
  bool transposes(const ir::Store& store) const;
  bool transposes(const ir::Let& let) const;
  // It reads along another axis, and turns what it reads.
  bool turns(const ir::Let& let) const;

 private:
  void findTurned(const Transfers& survey, const VectorShape& shape, int64_t& width);
  bool areApart(const affine::Expr& a, const affine::Expr& b) const;

 protected:
  const ir::Vector& region_;
  std::string lanesAxis_;
  int64_t width_ = 1;
  bool transposesLoads_ = false;
  struct Turned {
    std::string axis;  // along which loads are that turn what they read
    int64_t side = 0;  // at so many positions of it at once
  };
  Turned turned_;
  std::vector<Chunk> chunks_;
  std::vector<int64_t> widths_;                                // distinct, above 1
  std::map<std::string, std::vector<std::string>> variables_;  // of the region: their axes
};

}  // namespace einc::transforms
