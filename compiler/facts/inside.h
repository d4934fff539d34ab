// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What has to be tested before an element is there: of one element, and of the lanes of a vector.
//
//   index m - 1 of a tensor of M, m a tile's   m - 1 >= 0, m - 1 < M
//   lanes v of 4, index n + v                  the first is known to be at least 0, none to be below N
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/facts/asked.h"
#include "compiler/facts/facts.h"

namespace einc::facts {

// Which dimensions are meant: the tensor's own, those of what views with pads are of, down to what has
// memory, or both.
enum class Dims : uint8_t { Own, Padded, All };

// Whether something holds for an expression at each position of the axes.
bool everywhere(const affine::Expr& e, const std::vector<ir::Axis>& axes,
                const std::function<bool(const affine::Expr&)>& holds);

// Of an element, at each position of the axes.
Comparisons insideTests(const Facts& facts, unsigned tensor, const Index& index, Dims dims,
                        const std::vector<ir::Axis>& axes = {});

// The axis, one of these, in which the elements at this index are lanes; "": they are one element.
std::string axisIn(const Index& index, const std::map<std::string, int64_t>& widths);

// A dimension of which some lane has to be tested.
struct LaneTest {
  affine::Expr index, size;
  bool isAlong;  // the lanes are not all at one position of it
  std::vector<bool> above,
      below;  // which lanes are known not to be negative, and to be below the size

  bool areAbove() const;  // all of them
  bool areBelow() const;
};
// `axes`: of the lanes at each position of these.
std::vector<LaneTest> laneTests(const Facts& facts, unsigned tensor, const Index& index,
                                const ir::Axis& lanes, Dims dims,
                                const std::vector<ir::Axis>& axes = {});

// The same where each lane is tested for itself. Where all have the same tests, `each` is empty.
struct ByLane {
  Comparisons all;                // all lanes are inside
  Comparisons common;             // what holds where any is
  std::vector<Comparisons> each;  // and what has to hold besides, of each
};
// With `rises`, every index does from lane to lane, or stays: then the first and the last tell of all.
ByLane byLane(const std::vector<LaneTest>& tests, const ir::Axis& lanes, bool rises);
bool rises(const Index& index, const std::string& axis);

}  // namespace einc::facts
