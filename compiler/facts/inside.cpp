// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/inside.h"

#include <algorithm>

namespace einc::facts {

using affine::Expr;

namespace {

using Visit = std::function<void(const Expr& index, const Expr& size)>;

void forEachTested(const Facts& facts, unsigned tensor, const Index& index, Dims dims,
                   const Visit& visit) {
  auto visitAll = [&](const Index& at) {
    for (size_t d = 0; d < at.size(); ++d) visit(at[d], facts.tensor(tensor).shape[d]);
  };
  if (dims != Dims::Padded) visitAll(index);
  Index at = index;
  for (const ir::View* view = facts.viewOf(tensor); view && dims != Dims::Own;
       view = facts.viewOf(tensor)) {
    at = facts.mapped(*view, at);
    tensor = view->base;
    if (view->pad) visitAll(at);
  }
}

void addOnce(const Comparisons& more, Comparisons& to) {
  for (const Comparison& c : more)
    if (std::find(to.begin(), to.end(), c) == to.end()) to.push_back(c);
}

Comparison isNotNegative(const Expr& index) { return {index, Comparison::Sign::AtLeast, Expr()}; }
Comparison isBelow(const Expr& index, const Expr& size) {
  return {index, Comparison::Sign::Less, size};
}

}  // namespace

bool everywhere(const Expr& e, const std::vector<ir::Axis>& axes,
                const std::function<bool(const Expr&)>& holds) {
  for (const ir::Axis& axis : axes) {
    if (!e.mentions(axis.name)) continue;
    for (int64_t i = 0; i < axis.size; ++i)
      if (!everywhere(substituted(e, axis.name, Expr::constant(i)), axes, holds)) return false;
    return true;
  }
  return holds(e);
}

Comparisons insideTests(const Facts& facts, unsigned tensor, const Index& index, Dims dims,
                        const std::vector<ir::Axis>& axes) {
  Comparisons tests;
  forEachTested(facts, tensor, index, dims, [&](const Expr& at, const Expr& size) {
    if (!everywhere(at, axes, [&](const Expr& e) { return facts.isNonNegative(e); }))
      tests.push_back(isNotNegative(at));
    if (!everywhere(at, axes, [&](const Expr& e) { return facts.isBelow(e, size); }))
      tests.push_back(isBelow(at, size));
  });
  return tests;
}

std::string axisIn(const Index& index, const std::map<std::string, int64_t>& widths) {
  for (const Expr& e : index)
    for (const std::string& name : e.iterators())
      if (widths.count(name) != 0) return name;
  return "";
}

bool LaneTest::areAbove() const {
  return std::find(above.begin(), above.end(), false) == above.end();
}
bool LaneTest::areBelow() const {
  return std::find(below.begin(), below.end(), false) == below.end();
}

std::vector<LaneTest> laneTests(const Facts& facts, unsigned tensor, const Index& index,
                                const ir::Axis& lanes, Dims dims,
                                const std::vector<ir::Axis>& axes) {
  std::vector<LaneTest> tests;
  forEachTested(facts, tensor, index, dims, [&](const Expr& at, const Expr& size) {
    auto ofLanes = [&](const std::function<bool(const Expr&)>& holds) {
      std::vector<bool> known;
      for (int64_t i = 0; i < lanes.size; ++i)
        known.push_back(
            i > 0 && !at.mentions(lanes.name)
                ? known[0]
                : everywhere(substituted(at, lanes.name, Expr::constant(i)), axes, holds));
      return known;
    };
    LaneTest test{at, size, at.mentions(lanes.name),
                  ofLanes([&](const Expr& e) { return facts.isNonNegative(e); }),
                  ofLanes([&](const Expr& e) { return facts.isBelow(e, size); })};
    if (!test.areAbove() || !test.areBelow()) tests.push_back(std::move(test));
  });
  return tests;
}

ByLane byLane(const std::vector<LaneTest>& tests, const ir::Axis& lanes, bool rises) {
  ByLane result;
  const auto count = static_cast<size_t>(lanes.size);
  auto indexOf = [&](const LaneTest& test, size_t lane) {
    return substituted(test.index, lanes.name, Expr::constant(static_cast<int64_t>(lane)));
  };
  for (size_t i = 0; i < count; ++i) {
    Comparisons own;
    for (const LaneTest& test : tests) {
      if (!test.above[i]) own.push_back(isNotNegative(indexOf(test, i)));
      if (!test.below[i]) own.push_back(isBelow(indexOf(test, i), test.size));
    }
    result.each.push_back(std::move(own));
  }
  if (std::equal(result.each.begin() + 1, result.each.end(), result.each.begin())) {
    result.all = result.each[0];
    result.each.clear();
    return result;
  }
  auto isIn = [](const Comparisons& in, const Comparison& c) {
    return std::find(in.begin(), in.end(), c) != in.end();
  };
  result.common = result.each[0];
  for (const Comparisons& own : result.each)
    std::erase_if(result.common, [&](const Comparison& c) { return !isIn(own, c); });
  for (Comparisons& own : result.each)
    std::erase_if(own, [&](const Comparison& c) { return isIn(result.common, c); });
  if (!rises) {
    addOnce(result.common, result.all);
    for (const Comparisons& own : result.each) addOnce(own, result.all);
    return result;
  }
  // The first lane is the last to be at 0 or above, the last lane to be below the size.
  for (const LaneTest& test : tests) {
    if (!test.above.front()) addOnce({isNotNegative(indexOf(test, 0))}, result.all);
    if (!test.below.back()) addOnce({isBelow(indexOf(test, count - 1), test.size)}, result.all);
  }
  return result;
}

bool rises(const Index& index, const std::string& axis) {
  return std::all_of(index.begin(), index.end(), [&](const Expr& e) {
    auto step = (e - substituted(e, axis, Expr())).asLinear();
    return step && step->rest.isZero() &&
           (step->parts.empty() || step->parts[0].coefficient.asConstant().value_or(-1) > 0);
  });
}

}  // namespace einc::facts
