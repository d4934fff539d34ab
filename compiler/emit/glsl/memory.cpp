// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// GlslBody: where elements are, and whether they are inside.
#include <algorithm>

#include "compiler/emit/glsl/body.h"
#include "compiler/emit/text/expressions.h"

namespace einc::emit {

using affine::Atom;
using affine::Expr;
using facts::substituted;

namespace {

// d * (x floordiv d) + x mod d is x: positions that a loop over all elements was split into.
Expr rejoined(const Expr& e) {
  for (const affine::Term& quotient : e.terms())
    for (const affine::Term& remainder : e.terms()) {
      if (quotient.factors.size() != 1 || remainder.factors.size() != 1) continue;
      const Atom &q = quotient.factors[0], &r = remainder.factors[0];
      if (q.kind != Atom::Kind::FloorDiv || r.kind != Atom::Kind::Mod) continue;
      auto by = q.div->divisor.asConstant();
      bool matches = by && q.div->dividend == r.div->dividend && q.div->divisor == r.div->divisor &&
                     quotient.coefficient == remainder.coefficient * *by;
      if (!matches) continue;
      Expr whole = q.div->dividend;
      Expr parts = whole.floorDiv(q.div->divisor) * Expr::constant(*by) + whole.mod(q.div->divisor);
      return rejoined(e - (parts - whole) * Expr::constant(remainder.coefficient));
    }
  return e;
}

// e / by, if that is an integer term by term.
std::optional<Expr> divided(const Expr& e, int64_t by) {
  Expr result;
  for (const affine::Term& term : e.terms()) {
    if (term.coefficient % by != 0) return std::nullopt;
    Expr factor = Expr::constant(term.coefficient / by);
    for (const Atom& atom : term.factors) {
      Expr part = atom.kind == Atom::Kind::Iterator ? Expr::iterator(atom.name)
                  : atom.kind == Atom::Kind::Symbol ? Expr::symbol(atom.name)
                  : atom.kind == Atom::Kind::FloorDiv
                      ? atom.div->dividend.floorDiv(atom.div->divisor)
                      : atom.div->dividend.mod(atom.div->divisor);
      factor = factor * part;
    }
    result = result + factor;
  }
  return result;
}

}  // namespace

size_t GlslBody::ownDims() const {
  const auto& n = dispatch_.invocations;
  return static_cast<size_t>(std::count_if(n.begin(), n.end(), [](int64_t i) { return i > 1; }));
}

bool GlslBody::isOwn(unsigned root) const {
  auto space = spaces_.find(root);
  return space != spaces_.end() && space->second == ir::Space::Registers;
}

// The place of an element of row-major memory.
Expr GlslBody::flat(unsigned root, const Index& index) const {
  const std::vector<Expr>& shape = kernel_.tensors[root].shape;
  Expr place;
  for (size_t d = isOwn(root) ? ownDims() : 0; d < index.size(); ++d)
    place = place * shape[d] + index[d];
  return rejoined(place);
}

std::string GlslBody::address(unsigned tensor, const Index& index) {
  const facts::Address at = facts_.addressOf(tensor, index);
  std::string text = rootAddress(at.root, at.index);
  for (const facts::Address::Part& part : at.parts)  // there are no tables
    text += " + " + wrapped(values_.index(part.at));
  return text;
}

std::string GlslBody::rootAddress(unsigned tensor, const Index& index) {
  if (kernel_.tensors[tensor].role == ir::Role::Local) return values_.index(flat(tensor, index));
  std::string text = scope_.offset(tensor);
  for (unsigned d = 0; d < index.size(); ++d) {
    if (index[d].isZero()) continue;
    if (facts_.isUnit(tensor, d)) {
      std::string along = values_.index(index[d]);
      text += along.starts_with("-") ? " + (" + along + ")" : " + " + along;
      continue;
    }
    bool swap = options_.plant == "swap-strides" && index.size() > 1 && d < 2 &&
                kernel_.tensors[tensor].role == ir::Role::Input;
    std::string stride = scope_.stride(tensor, swap ? 1 - d : d);
    bool isOne = index[d].asConstant() == 1;
    text += " + " + (isOne ? stride : wrapped(values_.index(index[d])) + " * " + stride);
  }
  return text;
}

// An element of an array of vectors, by a component that is a constant if possible.
std::string GlslBody::component(unsigned root, const Expr& place, int64_t lanes) {
  const std::string& data = scope_.data(root);
  int64_t constant = 0;
  for (const affine::Term& term : place.terms())
    if (term.factors.empty()) constant = term.coefficient;
  int64_t rest = constant & (lanes - 1);
  if (auto number = divided(place - Expr::constant(rest), lanes))
    return lane({data + "[" + values_.index(*number) + "]", {ir::ScalarType::F32, lanes}}, rest);
  std::string text = wrapped(values_.index(place));
  return data + "[" + text + " >> " + (lanes == 2 ? "1" : "2") + "][" + text + " & " +
         std::to_string(lanes - 1) + "]";
}

std::string GlslBody::element(unsigned tensor, const Index& index) {
  unsigned root = facts_.rootOf(tensor);
  auto wide = vectorArrays_.find(root);
  if (wide != vectorArrays_.end() && wide->second)
    return component(root, flat(root, facts_.rootIndex(tensor, index)), wide->second);
  if (variablesOfOne_.count(root)) return scope_.data(root);
  return scope_.data(root) + "[" + address(tensor, index) + "]";
}

// Memory of the dispatch's own holds what registers hold.
std::string GlslBody::fromElement(unsigned tensor, int64_t lanes,
                                  const std::string& element) const {
  if (spaces_.count(facts_.rootOf(tensor))) return element;
  return values_.fromStorage(kernel_.tensors[tensor].type, lanes, element);
}

std::string GlslBody::toElement(unsigned tensor, int64_t lanes, const std::string& value) const {
  if (spaces_.count(facts_.rootOf(tensor))) return value;
  return values_.toStorage(kernel_.tensors[tensor].type, lanes, value);
}

// ---- Vectors ------------------------------------------------------------------------------------

// The vector as one element of an array of such; empty if that cannot be said.
std::string GlslBody::whole(unsigned tensor, const Index& index, const std::string& axis,
                            bool unit) {
  unsigned root = facts_.rootOf(tensor);
  int64_t lanes = widths_.at(axis);
  Index first = substituted(index, axis, Expr());
  if (!spaces_.count(root)) {
    bool known = unit && !options_.oneBlockEach && facts_.isAligned(tensor, index, lanes, axis);
    if (!known) return "";
    return scope_.data(root, lanes) + "[" + wrapped(address(tensor, first)) + " >> " +
           (lanes == 2 ? "1" : "2") + "]";
  }
  Expr place = flat(root, facts_.rootIndex(tensor, index));
  Expr start = flat(root, facts_.rootIndex(tensor, first));
  Expr size = Expr::constant(1);
  const std::vector<Expr>& shape = kernel_.tensors[root].shape;
  for (size_t d = isOwn(root) ? ownDims() : 0; d < shape.size(); ++d) size = size * shape[d];
  bool fits = place - start == Expr::iterator(axis) && facts_.factorOf(start) % lanes == 0 &&
              size.asConstant().value_or(1) % lanes == 0;
  // All vectors must be such, and of one size.
  int64_t& known = vectorAccesses_.try_emplace(root, lanes).first->second;
  if (!fits || known != lanes) known = 0;
  auto wide = vectorArrays_.find(root);
  if (wide == vectorArrays_.end() || wide->second != lanes || !fits) return "";
  if (auto number = divided(start, lanes))
    return scope_.data(root) + "[" + values_.index(*number) + "]";
  return scope_.data(root) + "[" + wrapped(values_.index(start)) + " >> " +
         (lanes == 2 ? "1" : "2") + "]";
}

// How far neighbours along the axis are apart in an argument's memory, if it is the same everywhere.
std::optional<GlslBody::Distance> GlslBody::strideAlong(unsigned tensor, const Index& index,
                                                        const std::string& axis) {
  unsigned root = facts_.rootOf(tensor);
  std::optional<unsigned> along = facts_.dimAlong(tensor, index, axis);
  if (!along || kernel_.tensors[root].role == ir::Role::Local) return std::nullopt;
  if (facts_.isUnit(root, *along)) return Distance{1, "1"};
  return Distance{std::nullopt, scope_.stride(root, *along)};
}

// Elements in storage buffers: the first, and from there on.
GlslBody::Places GlslBody::placesOf(unsigned tensor, const Index& index, const std::string& axis,
                                    bool unit) {
  Places places;
  places.whole = whole(tensor, index, axis, unit);
  unsigned root = facts_.rootOf(tensor);
  int64_t lanes = widths_.at(axis);
  auto laneIndex = [&](int64_t i) { return substituted(index, axis, Expr::constant(i)); };
  std::optional<Distance> step;
  if (!spaces_.count(root)) step = unit ? Distance{1, "1"} : strideAlong(tensor, index, axis);
  if (!step) {
    for (int64_t i = 0; i < lanes; ++i) places.lanes.push_back(element(tensor, laneIndex(i)));
    return places;
  }
  std::string first = address(tensor, laneIndex(0));
  if (places.whole.empty()) {
    std::string name = scope_.fresh(scope_.data(root) + "_at");
    out_.line("const int " + name + " = " + first + ";");
    first = name;
  }
  for (int64_t i = 0; i < lanes; ++i) {
    std::string far = step->known == 1 ? std::to_string(i)
                      : i == 1         ? step->text
                                       : std::to_string(i) + " * " + step->text;
    places.lanes.push_back(scope_.data(root) + "[" + first + (i ? " + " + far : "") + "]");
  }
  return places;
}

// ---- Inside -------------------------------------------------------------------------------------

Test GlslBody::inside(unsigned tensor, const Index& index, facts::Dims dims) const {
  return questions_.test(facts::insideTests(facts_, tensor, index, dims));
}

// The tests of each lane; those of all together are each said once.
void GlslBody::testLanes(unsigned tensor, const Index& index, const std::string& axis,
                         facts::Dims dims, Places& places) const {
  const ir::Axis lanes{axis, widths_.at(axis)};
  const facts::ByLane tests =
      facts::byLane(facts::laneTests(facts_, tensor, index, lanes, dims), lanes,
                    dims == facts::Dims::Own && facts::rises(index, axis));
  places.all = questions_.texts(tests.all);
  places.common = questions_.texts(tests.common);
  for (const facts::Comparisons& own : tests.each) places.each.push_back(questions_.texts(own));
}

}  // namespace einc::emit
