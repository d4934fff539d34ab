// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: where elements are, and whether they are inside.
#include <algorithm>

#include "compiler/emit/c/body.h"

namespace einc::emit {

using affine::Expr;
using facts::mentions;
using facts::substituted;

std::string BodyWriter::address(unsigned tensor, const Index& index) const {
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (const ir::View* view = facts_.viewOf(tensor)) {
    for (unsigned d = 0; d < index.size(); ++d)
      if (facts_.isRun(tensor, d) && !index[d].isZero()) {
        Index first = index;
        first[d] = Expr();
        return wrapped(address(tensor, first)) + " + " + wrapped(printer_.index(index[d]));
      }
    // What is looked up counts as 0.
    Index computed = index;
    for (unsigned d = 0; d < index.size(); ++d)
      if (facts_.tableOf(tensor, d)) computed[d] = Expr();
    std::string text = address(view->base, facts_.mapped(*view, computed));
    for (unsigned d = 0; d < index.size(); ++d)
      if (auto table = facts_.tableOf(tensor, d))
        text += " + " + scope_.data(*table) + "[" + printer_.index(index[d]) + "]";
    return text;
  }
  std::string position;
  const bool isLocal = t.role == ir::Role::Local, isCall = once_ && once_->isCall;
  if (isLocal && !isCall) {
    for (size_t d = 0; d < index.size(); ++d) {
      std::string next = wrapped(printer_.index(index[d]));
      position =
          d == 0 ? next
                 : wrapped(position) + " * " + wrapped(printer_.index(t.shape[d])) + " + " + next;
    }
    return position.empty() ? "0" : position;
  }
  if (!isLocal && plant_ != "wrong-offset") position = scope_.offset(tensor);
  auto [same, moving] = partsOf(index);
  if (isPlaceTested_) return strided(tensor, index, std::move(position));
  if (!isCall && std::all_of(same.begin(), same.end(), [](const Expr& e) { return e.isZero(); }))
    return strided(tensor, moving, std::move(position));
  return strided(tensor, moving, place(tensor, same, position));
}

// How far neighbours along the dimension are from each other; "" for one.
std::string BodyWriter::stride(unsigned tensor, unsigned dim) const {
  const bool isAny = once_ && once_->isForAnyStrides;
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (t.role != ir::Role::Local)
    return facts_.isUnit(tensor, dim) && !isAny ? "" : scope_.stride(tensor, dim);
  Expr product = Expr::constant(1);
  for (size_t d = dim + 1; d < t.shape.size(); ++d) product = product * t.shape[d];
  return product.asConstant() == 1 ? "" : wrapped(printer_.index(product));
}

// A tensor's element, from a position on.
std::string BodyWriter::strided(unsigned tensor, const Index& index, std::string position) const {
  for (unsigned d = 0; d < index.size(); ++d) {
    bool swap = plant_ == "swap-strides" && kernel_.tensors[tensor].role == ir::Role::Input &&
                index.size() > 1 && d < 2;
    unsigned along = swap ? 1 - d : d;
    if (index[d].isZero()) continue;
    const std::string at = printer_.index(index[d]), by = stride(tensor, along);
    std::string next = by.empty() ? at : index[d].asConstant() == 1 ? by : wrapped(at) + " * " + by;
    position += position.empty() ? next : " + " + next;
  }
  return position.empty() ? "0" : position;
}

BodyWriter::Place BodyWriter::placeOf(unsigned tensor, const Index& index) const {
  Place place{scope_.data(facts_.rootOf(tensor)), ""};
  base_ = &place.base;
  place.position = address(tensor, index);
  base_ = nullptr;
  return place;
}

std::string BodyWriter::element(unsigned tensor, const Index& index, bool checked) const {
  isPlaceTested_ = isTested(tensor, index, checked);
  const Place place = placeOf(tensor, index);
  std::string lvalue = place.base + "[" + place.position + "]";
  isPlaceTested_ = false;
  // A view with a pad has no element where its base has none.
  const ir::ValueRef pad = facts_.padOf(tensor);
  if (!pad) return lvalue;
  std::vector<std::string> tests = insideTests(tensor, index);
  if (tests.empty()) return lvalue;
  ir::ScalarType type = kernel_.tensors[tensor].type;
  return "(" + joined(tests, " && ") + " ? " + lvalue + " : " +
         printer_.toStorage(type, printer_.value(pad)) + ")";
}

// ---- Inside -------------------------------------------------------------------------------------

// At each position of registers that are repeated.
bool BodyWriter::isAlwaysBelow(const Expr& index, const Expr& size) const {
  auto below = [&](const Expr& e) { return facts_.isBelow(e, size); };
  return registers_ ? registers_->everywhere(index, below) : below(index);
}
bool BodyWriter::isNeverNegative(const Expr& index) const {
  auto isNonNegative = [&](const Expr& e) { return facts_.isNonNegative(e); };
  return registers_ ? registers_->everywhere(index, isNonNegative) : isNonNegative(index);
}

std::vector<std::string> BodyWriter::insideTests(unsigned tensor, const Index& index) const {
  std::vector<std::string> tests;
  auto testDims = [&](const std::vector<Expr>& shape, const Index& at) {
    for (size_t d = 0; d < at.size(); ++d) {
      std::string position = wrapped(printer_.index(at[d]));
      if (!isNeverNegative(at[d])) tests.push_back(position + " >= 0");
      if (!isAlwaysBelow(at[d], shape[d]))
        tests.push_back(position + " < " + wrapped(printer_.index(shape[d])));
    }
  };
  Index at = index;
  while (const ir::View* view = facts_.viewOf(tensor)) {
    at = facts_.mapped(*view, at);
    tensor = view->base;
    if (view->pad) testDims(kernel_.tensors[tensor].shape, at);
  }
  return tests;
}

Test BodyWriter::inside(unsigned tensor, const Index& index) const {
  std::vector<std::string> tests;
  const std::vector<Expr>& shape = kernel_.tensors[tensor].shape;
  for (size_t d = 0; d < index.size(); ++d) {
    std::string position = wrapped(printer_.index(index[d]));
    if (!isNeverNegative(index[d])) tests.push_back(position + " >= 0");
    if (!isAlwaysBelow(index[d], shape[d]))
      tests.push_back(position + " < " + wrapped(printer_.index(shape[d])));
  }
  return Test::allOf(tests);
}

// ---- Vectors ------------------------------------------------------------------------------------

// The constant, and what moves with registers that are repeated.
Expr BodyWriter::furtherPart(const Expr& index) const {
  Expr result;
  for (const affine::Term& term : index.terms()) {
    bool isPart = std::all_of(
        term.factors.begin(), term.factors.end(),
        [&](const affine::Atom& atom) { return registers_ && registers_->hasAxis(atom.name); });
    if (isPart) result = result + Expr::term(term);
  }
  return result;
}

std::string BodyWriter::axisIn(const Index& index) const {
  for (const Expr& e : index)
    for (const std::string& name : e.iterators())
      if (widths_.count(name)) return name;
  return "";
}

// Where the axis's positions are tested: in a dimension that it moves in, or all of them alike.
struct BodyWriter::LaneTest {
  Expr index, size;
  bool along, below, above;  // the axis moves in it; no lane is beyond the size, or negative
};

// What has to be tested of a vector's lanes on the way to memory.
std::vector<BodyWriter::LaneTest> BodyWriter::laneTests(unsigned tensor, const Index& index,
                                                        const std::string& axis,
                                                        bool checked) const {
  std::vector<LaneTest> result;
  const int64_t width = widths_.at(axis);
  auto onAllLanes = [&](const Expr& e, const auto& holds) {
    bool all = true;
    for (int64_t i = 0; i < (mentions(e, axis) ? width : 1); ++i)
      all = all && holds(substituted(e, axis, Expr::constant(i)));
    return all;
  };
  auto testDims = [&](const std::vector<Expr>& shape, const Index& of) {
    for (size_t d = 0; d < of.size(); ++d) {
      bool below = onAllLanes(of[d], [&](const Expr& e) { return isAlwaysBelow(e, shape[d]); });
      bool above = onAllLanes(of[d], [&](const Expr& e) { return isNeverNegative(e); });
      if (!below || !above)
        result.push_back({of[d], shape[d], mentions(of[d], axis), below, above});
    }
  };
  Index where = index;
  if (checked) testDims(kernel_.tensors[tensor].shape, where);
  while (const ir::View* view = facts_.viewOf(tensor)) {
    where = facts_.mapped(*view, where);
    tensor = view->base;
    if (view->pad) testDims(kernel_.tensors[tensor].shape, where);
  }
  return result;
}

VectorAccess BodyWriter::access(unsigned tensor, const Index& index, bool checked, bool unit,
                                bool mayBegin) {
  const std::string axis = axisIn(index);
  const bool linear = facts_.isLinear(tensor, index, axis);
  VectorAccess result;
  result.isLocal = names_.isLocal(tensor);
  std::vector<LaneTest> tests = laneTests(tensor, index, axis, checked);
  result.pad = facts_.padOf(tensor);

  // Lanes are counted where they end together, and where one dimension says where they begin.
  bool counted = unit, begins = false, ends = false;
  for (const LaneTest& test : tests) {
    if (!test.along) continue;
    ends = true;
    bool byOne = test.index - substituted(test.index, axis, Expr()) == Expr::iterator(axis);
    counted &= byOne && (test.above || (mayBegin && !begins));
    begins |= !test.above;
  }
  const bool oneByOne = (!unit && !linear) || (ends && !counted);
  if (!unit) isWrittenOut_ = false;
  isPlaceTested_ = isTested(tensor, index, checked);
  if (oneByOne)
    placeLanes(tensor, index, axis, result);
  else
    placeVector(tensor, index, axis, unit, linear, result);
  isPlaceTested_ = false;

  std::vector<std::string> inside;
  for (const LaneTest& test : tests) {
    const std::string size = wrapped(printer_.index(test.size));
    const Expr zero = substituted(test.index, axis, Expr());
    if (test.along && !oneByOne) {
      const std::string first = wrapped(printer_.index(zero));
      std::string count = zero.isZero() ? size : size + " - " + first;
      if (!test.above) {
        result.low = wrapped(printer_.index(Expr() - zero));
        // Elsewhere the place may not even be a number.
        result.conditions.push_back(first + " > -" + std::to_string(widths_.at(axis)));
        result.conditions.push_back(first + " < " + size);
      }
      result.count = result.count.empty()
                         ? count
                         : prelude_.need("least") + "(" + result.count + ", " + count + ")";
      continue;
    }
    const std::string position =
        wrapped(printer_.index(substituted(test.index, axis, Expr::iterator(kLane))));
    std::vector<std::string>& own = test.along ? inside : result.conditions;
    if (!test.above) own.push_back(position + " >= 0");
    if (!test.below) own.push_back(position + " < " + size);
  }
  result.inside = joined(inside, " && ");
  return result;
}

// The lvalue of each lane.
void BodyWriter::placeLanes(unsigned tensor, const Index& index, const std::string& axis,
                            VectorAccess& result) {
  Index lane;
  for (const Expr& e : index) lane.push_back(substituted(e, axis, Expr::iterator(kLane)));
  result.lane = scope_.local(kLane);
  const Place place = placeOf(tensor, lane);
  result.element = place.base + "[" + place.position + "]";
}

// The lvalue of the first lane, and how far it is from there to the next.
void BodyWriter::placeVector(unsigned tensor, const Index& index, const std::string& axis,
                             bool unit, bool linear, VectorAccess& result) {
  auto at = [&](const Expr& lane) {
    Index place;
    for (const Expr& e : index) place.push_back(substituted(e, axis, lane));
    return place;
  };
  // A table has places for positions that exist; further parts of a vector may have none.
  bool lookUpOnce = unit && !linear;
  Index first = at(Expr());
  Expr ahead;
  for (size_t d = 0; d < index.size() && lookUpOnce; ++d)
    if (mentions(index[d], axis)) {
      Expr part = furtherPart(index[d]);
      first[d] = first[d] - part;
      ahead = ahead + part;
    }
  const Place place = placeOf(tensor, first);
  result.first = place.base + "[" + place.position +
                 (ahead.isZero() ? "" : " + " + wrapped(printer_.index(ahead))) + "]";
  result.unit = unit;
  if (!unit)
    result.stride = wrapped(address(tensor, at(Expr::constant(1)))) + " - " +
                    wrapped(address(tensor, at(Expr())));
}

}  // namespace einc::emit
