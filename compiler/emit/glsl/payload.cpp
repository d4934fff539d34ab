// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// GlslBody: values.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "compiler/emit/glsl/body.h"
#include "compiler/emit/text/expressions.h"

namespace einc::emit {

using affine::Expr;
using facts::substituted;

namespace {

// A division by a constant 0, which SPIR-V leaves undefined (Mesa drops what is stored of it), as
// what it is: an infinity, or NaN for 0 and NaN. Not as a product alone: Mesa takes 0 * inf for 0.
// Null for all other calls.
ir::ValueRef definedQuotient(ir::ScalarType type, const ir::Call& call) {
  if (call.function != ir::Function::Div || !ir::info(type).isFloat()) return nullptr;
  auto* divisor = std::get_if<ir::Literal>(&call.args[1]->node);
  if (!divisor || divisor->number.asFloat != 0.0) return nullptr;
  const ir::ValueRef& dividend = call.args[0];
  double infinity = std::copysign(HUGE_VAL, divisor->number.asFloat);
  ir::ValueRef isZero = ir::makeCall(ir::Function::Eq, {dividend, ir::makeLiteral(type, {})});
  ir::ValueRef product =
      ir::makeCall(ir::Function::Mul, {dividend, ir::makeLiteral(type, {infinity, 0})});
  return ir::makeCall(ir::Function::Select, {isZero, ir::makeLiteral(type, {NAN, 0}), product});
}

}  // namespace

std::string GlslBody::lane(const Text& text, int64_t i) {
  static const char* const names[] = {".x", ".y", ".z", ".w"};
  return text.type.lanes == 1 ? text.text : text.text + names[i];
}

std::string GlslBody::vector(const Text& text, int64_t lanes) const {
  return text.type.lanes == lanes ? text.text : values_.splat({text.type.type, lanes}, text.text);
}

std::string GlslBody::named(const Text& text, const std::string& wanted) {
  if (text.isName) return text.text;
  std::string name = scope_.fresh(wanted);
  out_.line(qualifier(text.type.type) + registerType(text.type) + " " + name + " = " + text.text +
            ";");
  return name;
}

GlslBody::Text GlslBody::value(const ir::ValueRef& v) {
  if (auto* node = std::get_if<ir::Literal>(&v->node))
    return {values_.literal(v->type, node->number), {v->type}};
  if (auto* node = std::get_if<ir::IndexRef>(&v->node)) return position(node->index);
  if (auto* node = std::get_if<ir::AttributeRef>(&v->node)) {
    prelude_.needType(v->type, /*inMemory=*/false);
    return {scope_.attribute(*node), {v->type}, /*isName=*/true};
  }
  if (auto* node = std::get_if<ir::Variable>(&v->node))
    return {scope_.local(node->name), variables_.at(node->name), /*isName=*/true};
  if (auto* node = std::get_if<ir::Load>(&v->node)) return load(v->type, *node);
  if (auto* node = std::get_if<ir::Call>(&v->node)) return call(v->type, *node);
  if (auto* node = std::get_if<ir::Cast>(&v->node)) {
    Text arg = value(node->arg);
    GlslType type{v->type, arg.type.lanes};
    return {values_.cast(v->type, node->arg->type, type.lanes, arg.text), type};
  }
  if (auto* node = std::get_if<ir::Reduce>(&v->node)) return reduce(*v, *node);
  return shuffle(*v, std::get<ir::Shuffle>(v->node));
}

GlslBody::Text GlslBody::call(ir::ScalarType type, const ir::Call& call) {
  if (ir::ValueRef quotient = definedQuotient(type, call)) return value(quotient);
  GlslType result{type};
  std::vector<GlslType> types;
  std::vector<std::string> args;
  for (const ir::ValueRef& v : call.args) {
    Text arg = value(v);
    result.lanes = std::max(result.lanes, arg.type.lanes);
    types.push_back(arg.type);
    args.push_back(arg.text);
  }
  return {values_.call(type, result.lanes, call.function, types, args), result};
}

GlslBody::Text GlslBody::position(const Expr& e) {
  std::string axis = facts::axisIn({e}, widths_);
  GlslType type{ir::ScalarType::I64};
  if (axis.empty()) return {values_.longIndex(e), type};
  type.lanes = widths_.at(axis);
  std::vector<std::string> lanes;
  for (int64_t i = 0; i < type.lanes; ++i)
    lanes.push_back(values_.longIndex(substituted(e, axis, Expr::constant(i))));
  return {registerType(type) + "(" + joined(lanes) + ")", type};
}

// Halves together: ((x, z), (y, w)).
GlslBody::Text GlslBody::reduce(const ir::Value& v, const ir::Reduce& reduce) {
  Text arg = value(reduce.arg);
  int64_t lanes = widths_.at(reduce.axis);
  arg.text = named(arg, "parts");
  std::vector<std::string> parts;
  for (int64_t i = 0; i < lanes; ++i) parts.push_back(lane(arg, i));
  for (size_t half = parts.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i)
      parts[i] = values_.call(v.type, 1, reduce.function, {{v.type}, {v.type}},
                              {parts[i], parts[i + half]});
    parts.resize(half);
  }
  return {parts[0], {v.type}};
}

GlslBody::Text GlslBody::shuffle(const ir::Value& v, const ir::Shuffle& shuffle) {
  GlslType type{v.type, static_cast<int64_t>(shuffle.lanes.size())};
  Text a = value(shuffle.a), b = value(shuffle.b);
  a.text = named(a, "first");
  b.text = named(b, "second");
  std::vector<std::string> lanes;
  const bool isOne = ir::equal(shuffle.a, shuffle.b);
  std::set<std::pair<bool, unsigned>> places;  // what they are lanes of, and which
  for (unsigned i : shuffle.lanes) {
    const auto n = static_cast<unsigned>(type.lanes);
    const Text& from = i < n ? a : b;
    lanes.push_back(lane(from, i % n));
    places.emplace(i >= n && !isOne, from.type.lanes == 1 ? 0 : i % n);
  }
  prelude_.needType(v.type, /*inMemory=*/false);
  const bool same = places.size() == 1;
  return {registerType(type) + "(" + (same ? lanes[0] : joined(lanes)) + ")", type};
}

GlslBody::Text GlslBody::load(ir::ScalarType type, const ir::Load& load) {
  unsigned root = facts_.rootOf(load.tensor);
  if (!spaces_.count(root)) reads_[root] = true;
  std::string axis = facts::axisIn(load.index, widths_);
  if (axis.empty()) return {read(load.tensor, load.index, load.pad), {type}};
  return readVector(type, load, axis);
}

// A place outside is never accessed: GLSL evaluates one side of a choice alone.
std::string GlslBody::read(unsigned tensor, const Index& index, const ir::ValueRef& pad) {
  std::string text = fromElement(tensor, 1, element(tensor, index));
  auto choose = [&](facts::Dims dims, const ir::ValueRef& otherwise) {
    const Test test = inside(tensor, index, dims);
    if (test.always()) return;
    text = "(" + test.text() + " ? " + text + " : " + value(otherwise).text + ")";
  };
  if (ir::ValueRef own = facts_.padOf(tensor)) choose(facts::Dims::Padded, own);
  if (pad) choose(facts::Dims::Own, pad);
  return text;
}

GlslBody::Text GlslBody::readVector(ir::ScalarType type, const ir::Load& load,
                                    const std::string& axis) {
  GlslType result{type, widths_.at(axis)};
  prelude_.needType(type, /*inMemory=*/false);
  bool viewsPad = facts_.padOf(load.tensor) != nullptr;
  // Of two pads each lane has its own choice of them.
  if (viewsPad && load.pad) {
    std::vector<std::string> lanes;
    for (int64_t i = 0; i < result.lanes; ++i)
      lanes.push_back(
          read(load.tensor, substituted(load.index, axis, Expr::constant(i)), load.pad));
    return {registerType(result) + "(" + joined(lanes) + ")", result};
  }
  ir::ValueRef pad = viewsPad ? facts_.padOf(load.tensor) : load.pad;
  Places places = placesOf(load.tensor, load.index, axis, !load.unit.empty());
  if (pad)
    testLanes(load.tensor, load.index, axis, viewsPad ? facts::Dims::Padded : facts::Dims::Own,
              places);
  std::string padding = pad ? value(pad).text : "";
  std::vector<std::string> lanes;
  for (int64_t i = 0; i < result.lanes; ++i) {
    auto at = static_cast<size_t>(i);
    std::string text = fromElement(load.tensor, 1, places.lanes[at]);
    if (!places.each.empty() && !places.each[at].empty())
      text = "(" + joined(places.each[at], " && ") + " ? " + text + " : " + padding + ")";
    lanes.push_back(text);
  }
  std::string byLanes = registerType(result) + "(" + joined(lanes) + ")";
  auto choose = [&](const Tests& tests, const std::string& yes, const std::string& no) {
    return tests.empty() ? yes : "(" + joined(tests, " && ") + " ? " + yes + " : " + no + ")";
  };
  std::string none = pad ? values_.splat(result, padding) : "";
  std::string some = places.each.empty() ? none : choose(places.common, byLanes, none);
  if (places.whole.empty())
    return {places.each.empty() ? choose(places.all, byLanes, none) : some, result};
  // Where not all are inside, some may be.
  return {choose(places.all, fromElement(load.tensor, result.lanes, places.whole), some), result};
}

void GlslBody::writeVector(const ir::Store& store, const std::string& axis) {
  Text stored = value(store.value);
  int64_t lanes = widths_.at(axis);
  unsigned root = facts_.rootOf(store.tensor);
  if (!spaces_.count(root)) writes_[root] = true;
  Places places = placesOf(store.tensor, store.index, axis, !store.unit.empty());
  if (store.clip) testLanes(store.tensor, store.index, axis, facts::Dims::Own, places);
  bool hasLanes = places.whole.empty() || !places.each.empty();
  if (hasLanes && stored.type.lanes > 1) stored.text = named(stored, "value");
  auto asWhole = [&] {
    out_.line(places.whole + " = " + toElement(store.tensor, lanes, vector(stored, lanes)) + ";");
  };
  auto byLanes = [&] {
    for (size_t i = 0; i < static_cast<size_t>(lanes); ++i) {
      std::string line = places.lanes[i] + " = " +
                         toElement(store.tensor, 1, lane(stored, static_cast<int64_t>(i))) + ";";
      bool tested = !places.each.empty() && !places.each[i].empty();
      out_.line(tested ? "if (" + joined(places.each[i], " && ") + ") " + line : line);
    }
  };
  auto under = [&](const Tests& tests, const std::function<void()>& statements) {
    if (!tests.empty()) out_.open("if (" + joined(tests, " && ") + ") {");
    statements();
    if (!tests.empty()) out_.close();
  };
  if (places.whole.empty()) return under(places.each.empty() ? places.all : places.common, byLanes);
  if (places.each.empty()) return under(places.all, asWhole);
  out_.open("if (" + joined(places.all, " && ") + ") {");
  asWhole();
  out_.dedent().line("} else {").indent();
  under(places.common, byLanes);
  out_.close();
}

}  // namespace einc::emit
