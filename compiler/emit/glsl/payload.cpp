// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// GlslBody: values.
#include <algorithm>
#include <cmath>

#include "compiler/emit/glsl/body.h"
#include "compiler/emit/text/expressions.h"

namespace einc::emit {

using affine::Expr;
using facts::substituted;

namespace {

// Whether it may be asked for its components: a name.
bool isName(const std::string& text) {
  return isReference(text) || std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

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

std::string GlslBody::axisIn(const Index& index) const {
  for (const Expr& e : index)
    for (const std::string& name : e.iterators())
      if (auto width = widths_.find(name); width != widths_.end() && width->second > 1) return name;
  return "";
}

std::string GlslBody::lane(const Text& text, int64_t i) {
  static const char* const names[] = {".x", ".y", ".z", ".w"};
  return text.type.lanes == 1 ? text.text : text.text + names[i];
}

std::string GlslBody::vector(const Text& text, int64_t lanes) const {
  return text.type.lanes == lanes ? text.text : values_.splat({text.type.type, lanes}, text.text);
}

std::string GlslBody::named(const Text& text, const std::string& wanted) {
  if (isName(text.text)) return text.text;
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
    return {scope_.attribute(*node), {v->type}};
  }
  if (auto* node = std::get_if<ir::Variable>(&v->node))
    return {scope_.local(node->name), variables_.at(node->name)};
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
  std::string axis = axisIn({e});
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
  for (unsigned i : shuffle.lanes) {
    auto n = static_cast<unsigned>(type.lanes);
    lanes.push_back(i < n ? lane(a, i) : lane(b, i - n));
  }
  prelude_.needType(v.type, /*inMemory=*/false);
  bool same = std::all_of(lanes.begin(), lanes.end(),
                          [&](const std::string& text) { return text == lanes[0]; });
  return {registerType(type) + "(" + (same ? lanes[0] : joined(lanes)) + ")", type};
}

GlslBody::Text GlslBody::load(ir::ScalarType type, const ir::Load& load) {
  unsigned root = facts_.rootOf(load.tensor);
  if (!spaces_.count(root)) reads_[root] = true;
  std::string axis = axisIn(load.index);
  if (axis.empty()) return {read(load.tensor, load.index, load.pad), {type}};
  return readVector(type, load, axis);
}

// A place outside is never accessed: GLSL evaluates one side of a choice alone.
std::string GlslBody::read(unsigned tensor, const Index& index, const ir::ValueRef& pad) {
  std::string text = fromElement(tensor, 1, element(tensor, index));
  auto choose = [&](const Tests& tests, const ir::ValueRef& otherwise) {
    if (tests.empty()) return;
    text = "(" + joined(tests, " && ") + " ? " + text + " : " + value(otherwise).text + ")";
  };
  if (ir::ValueRef own = facts_.padOf(tensor)) choose(insideViews(tensor, index), own);
  if (pad) choose(inside(tensor, index), pad);
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
  if (pad) testLanes(load.tensor, load.index, axis, viewsPad, places);
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
  if (store.clip) testLanes(store.tensor, store.index, axis, /*ofViews=*/false, places);
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
