// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// BodyWriter: where the lanes of vectors are, and which are inside.
#include <algorithm>

#include "compiler/emit/c/body.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {

using affine::Expr;
using facts::substituted;

namespace {

// Where each term is a multiple.
std::optional<Expr> exactQuotient(const Expr& dividend, int64_t divisor) {
  Expr result;
  for (affine::Term term : dividend.terms()) {
    if (term.coefficient % divisor != 0) return std::nullopt;
    term.coefficient /= divisor;
    result = result + Expr::term(term);
  }
  return result;
}

}  // namespace

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

VectorAccess BodyWriter::access(unsigned tensor, const Index& index, bool checked, bool unit,
                                Access kind) {
  const bool mayBegin = kind == Access::Load;
  const std::string axis = facts::axisIn(index, widths_);
  const bool linear = facts_.isLinear(tensor, index, axis);
  VectorAccess result;
  result.isLocal = names_.isLocal(tensor);
  result.isOfWords = isOfWords(tensor);
  if (facts_.isPacked(tensor))
    result.packed = ir::info(kernel_.tensors[facts_.rootOf(tensor)].type).name;
  const bool isPacked = !result.packed.empty();
  const std::vector<facts::LaneTest> tests =
      facts::laneTests(facts_, tensor, index, {axis, widths_.at(axis)},
                       checked ? facts::Dims::All : facts::Dims::Padded, repeatedAxes());
  result.pad = facts_.padOf(tensor);
  if (result.pad && isOfWords(tensor))
    result.padElement = wordOfPad(kernel_.tensors[tensor].type, result.pad);

  if (isPacked && !unit && mayBegin && tests.empty() && placeWords(tensor, index, axis, result))
    return result;
  std::optional<Spread> spread;
  if (!unit && !linear && mayBegin && !isPacked) spread = spreadOf(tensor, index, axis);
  // Lanes are counted where they end together, and where one dimension says where they begin.
  bool counted = unit || linear || spread, begins = false, ends = false;
  for (const facts::LaneTest& test : tests) {
    if (!test.isAlong) continue;
    ends = true;
    bool byOne = test.index - substituted(test.index, axis, Expr()) == Expr::iterator(axis);
    // Of strided lanes the first has to exist: elsewhere its place may not even be a number.
    const bool isThere = unit || substituted(test.index, axis, Expr()).isZero();
    counted &=
        byOne && isThere && (test.areAbove() || (mayBegin && !begins && !spread && !isPacked));
    begins |= !test.areAbove();
  }
  const bool hasMasks = target_ && target_->hasMasks;
  const bool oneByOne = (!unit && !linear && !spread) ||
                        (isPacked && !unit && kind != Access::Lines) || (ends && !counted) ||
                        (result.isOfWords && mayBegin &&
                         (!unit || (ends && (!counted || begins || isPacked || !hasMasks))));
  if (!unit) isWrittenOut_ = false;
  isPlaceTested_ = isTested(tensor, index, checked);
  mayBeInRow_ =
      !oneByOne && llvm::all_of(tests, [](const facts::LaneTest& test) { return test.isAlong; });
  if (oneByOne)
    placeLanes(tensor, index, axis, result);
  else if (spread)
    placeSpread(tensor, index, axis, *spread, result);
  else
    placeVector(tensor, index, axis, unit, linear, result);
  isPlaceTested_ = false;
  mayBeInRow_ = true;

  std::vector<std::string> inside;
  for (const facts::LaneTest& test : tests) {
    const std::string size = wrapped(printer_.index(test.size));
    const Expr zero = substituted(test.index, axis, Expr());
    if (test.isAlong && !oneByOne) {
      if (isVariant_ && test.areAbove() && tests.size() == 1)
        result.whole = wholeWhere(zero, test.size, widths_.at(axis));
      const std::string first = wrapped(printer_.index(zero));
      std::string count = zero.isZero() ? size : size + " - " + first;
      if (!test.areAbove()) {
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
    const Expr at = substituted(test.index, axis, Expr::iterator(kLane));
    const std::string position = wrapped(printer_.index(at));
    std::vector<std::string>& own = test.isAlong ? inside : result.conditions;
    if (!test.areAbove()) own.push_back(position + " >= 0");
    if (!test.areBelow()) own.push_back(position + " < " + size);
    // What lanes are asked comes last.
    if (test.isAlong && !test.areBelow())
      tested_.push_back({at, facts::Comparison::Sign::Less, test.size});
  }
  tested_.clear();
  result.inside = joined(inside, " && ");
  return result;
}

// Of vectors that are repeated from the first position on all but the last are whole, where other code is for fewer.
std::string BodyWriter::wholeWhere(const Expr& first, const Expr& size, int64_t width) const {
  if (!registers_) return "";
  for (const ir::Axis& times : registers_->region().times)
    if (first == Expr::iterator(times.name) * Expr::constant(width) &&
        (times.size == 1 || facts_.isAbove(size, width * (times.size - 1))))
      return scope_.local(times.name) + " + 1 < " + count(times);
  return "";
}

// The lvalue of each lane.
void BodyWriter::placeLanes(unsigned tensor, const Index& index, const std::string& axis,
                            VectorAccess& result) {
  Index lane;
  for (const Expr& e : index) lane.push_back(substituted(e, axis, Expr::iterator(kLane)));
  result.lane = scope_.local(kLane);
  const Place place = placeOf(tensor, lane);
  if (result.isOfWords)
    result.element = wordAt(tensor, place);
  else
    result.element = result.packed.empty() ? place.base + "[" + place.position + "]"
                                           : place.base + ", " + place.position;
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
    if (index[d].mentions(axis)) {
      Expr part = furtherPart(index[d]);
      first[d] = first[d] - part;
      ahead = ahead + part;
    }
  const Place place = placeOf(tensor, first);
  const std::string position =
      place.position + (ahead.isZero() ? "" : " + " + wrapped(printer_.index(ahead)));
  result.first =
      result.packed.empty() ? place.base + "[" + position + "]" : place.base + ", " + position;
  result.unit = unit;
  if (!unit) result.stride = laneStride(tensor, index, axis);
}

// Parts of words: the first word, and which part it is.
bool BodyWriter::placeWords(unsigned tensor, const Index& index, const std::string& axis,
                            VectorAccess& result) {
  const auto found = facts_.partOfWords(tensor, index, axis);
  if (!found) return false;
  const Place place = placeOf(found->tensor, found->index);
  result.first = place.base + ", " + place.position;
  result.part = std::to_string(found->part);
  isWrittenOut_ = false;
  return true;
}

// One dimension moves with the axis, as a quotient by a number of what moves with it by one.
std::optional<BodyWriter::Spread> BodyWriter::spreadOf(unsigned tensor, const Index& index,
                                                       const std::string& axis) const {
  Index at = index;
  while (const ir::View* view = facts_.viewOf(tensor)) {
    for (unsigned d = 0; d < at.size(); ++d)
      if (facts_.tableOf(tensor, d) && at[d].mentions(axis)) return std::nullopt;
    at = facts_.mapped(*view, at);
    tensor = view->base;
  }
  std::optional<Spread> spread;
  for (unsigned d = 0; d < at.size(); ++d) {
    if (!at[d].mentions(axis)) continue;
    const auto quotient = at[d].quotientAlong(axis);
    if (spread || !quotient) return std::nullopt;
    spread = Spread{d, quotient->dividend, quotient->divisor};
  }
  if (!spread) return spread;
  const auto first = exactQuotient(substituted(spread->dividend, axis, Expr()), spread->times);
  if (!first) return spread;
  Expr others;
  for (const affine::Term& term : at[spread->dim].terms())
    if (const Expr e = Expr::term(term); !e.mentions(axis)) others = others + e;
  at[spread->dim] = others + *first;
  spread->whole = std::move(at);
  return spread;
}

void BodyWriter::placeSpread(unsigned tensor, const Index& index, const std::string& axis,
                             const Spread& spread, VectorAccess& result) {
  const Place place = spread.whole.empty() ? placeOf(tensor, substituted(index, axis, Expr()))
                                           : placeOf(facts_.rootOf(tensor), spread.whole);
  result.first = place.base + "[" + place.position + "]";
  const std::string by = stride(facts_.rootOf(tensor), spread.dim);
  result.stride = by.empty() ? "1" : by;
  result.times = spread.times;
  result.rest =
      !spread.whole.empty()
          ? "0"
          : wrapped(printer_.index(
                substituted(spread.dividend, axis, Expr()).mod(Expr::constant(spread.times))));
}

// How far lanes are from each other, by strides alone: a place further on need not exist.
std::string BodyWriter::laneStride(unsigned tensor, const Index& index,
                                   const std::string& axis) const {
  Index at = index;
  Expr run;
  while (const ir::View* view = facts_.viewOf(tensor)) {
    for (unsigned d = 0; d < at.size(); ++d) {
      const bool isRun = facts_.isRun(tensor, d);
      if (isRun) run = run + *at[d].stepAlong(axis);
      if (isRun || facts_.tableOf(tensor, d)) at[d] = Expr();
    }
    at = facts_.onward(*view, std::move(at));
    tensor = view->base;
  }
  for (Expr& e : at) e = *e.stepAlong(axis);
  const auto moves = std::count_if(at.begin(), at.end(), [](const Expr& e) { return !e.isZero(); });
  if (moves < 2 && run.isZero() &&
      llvm::all_of(at, [](const Expr& e) { return e.isZero() || e.asConstant() == 1; }))
    return strided(tensor, at, "");
  // Of one lane, strides may be any: their sum need not be a number.
  std::string sum = run.isZero() ? "" : "(uint64_t)" + wrapped(printer_.index(run));
  for (unsigned d = 0; d < at.size(); ++d) {
    if (at[d].isZero()) continue;
    const std::string by = stride(tensor, d), step = wrapped(printer_.index(at[d]));
    sum += (sum.empty() ? "(uint64_t)" : " + (uint64_t)") + (by.empty() ? step : by);
    if (!by.empty() && at[d].asConstant() != 1) sum += " * " + step;
  }
  return "(int64_t)" + wrapped(sum);
}

}  // namespace einc::emit
