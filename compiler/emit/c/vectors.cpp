// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/vectors.h"

#include <algorithm>

#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using ir::Function;
using ir::ScalarType;

std::string typeName(ScalarType type) { return std::string(ir::info(type).name); }

}  // namespace

std::string eachLane(const VectorAccess& access, int64_t lanes) {
  const std::string& lane = access.lane;
  return "for (int64_t " + lane + " = 0; " + lane + " < " + std::to_string(lanes) + "; ++" + lane +
         ") ";
}

ScalarType registerType(ScalarType type) {
  return ir::info(type).isShortFloat() ? ScalarType::F32 : ir::inBytes(type);
}

std::string vectorName(ScalarType type, int64_t lanes, bool storage) {
  const ir::TypeInfo& t = ir::info(type);
  const bool isBits = type == ScalarType::Bool || (storage && t.isShortFloat());
  std::string name = isBits ? "u" + std::to_string(t.bits) : typeName(registerType(type));
  return name + "x" + std::to_string(lanes);
}

std::string VectorPrinter::cType(const VectorType& type) {
  if (type.lanes == 1) return valueType(type.type);
  std::string name = vectorName(type.type, type.lanes);
  return vectors_.need(type.mask ? "mask_" + name : name);
}

std::string VectorPrinter::axisOf(const ir::ValueRef& value) const {
  std::string found;
  auto indices = [&](const std::vector<affine::Expr>& exprs) {
    for (const affine::Expr& e : exprs)
      for (const std::string& name : e.iterators())
        if (names_.width(name) > 1) found = name;
  };
  ir::forEach(value, [&](const ir::Value& v) {
    if (auto* load = std::get_if<ir::Load>(&v.node)) indices(load->index);
    if (auto* index = std::get_if<ir::IndexRef>(&v.node)) indices({index->index});
    if (auto* shuffle = std::get_if<ir::Shuffle>(&v.node)) found = shuffle->axis;
    if (auto* variable = std::get_if<ir::Variable>(&v.node))
      if (names_.variable(variable->name).lanes > 1) found = "?";
  });
  if (std::holds_alternative<ir::Reduce>(value->node)) return "";
  return found;
}

std::string VectorPrinter::splat(const std::string& text, const VectorType& type) {
  if (type.lanes == 1) return text;
  // Positions may take vectors that are wider than the target's: no function can give one back.
  if (type.type == ir::ScalarType::I64 && type.lanes > 4)
    return "((" + cType(type) + "){0} + " + wrapped(text) + ")";
  return vectors_.need("splat_" + vectorName(type.type, type.lanes)) + "(" + text + ")";
}

std::string VectorPrinter::vector(const ir::ValueRef& v, int64_t lanes, VectorType* type) {
  Text text = value(v);
  if (text.type.lanes == 1) {
    text.type = {registerType(v->type), lanes, false};
    text.text = splat(text.text, text.type);
  }
  if (type) *type = text.type;
  return text.text;
}

int64_t VectorPrinter::lanesOf(const std::vector<ir::ValueRef>& values) {
  int64_t lanes = 1;
  for (const ir::ValueRef& v : values) lanes = std::max(lanes, value(v).type.lanes);
  return lanes;
}

std::string VectorPrinter::vectorOf(const ir::ValueRef& v, const VectorType& type) {
  Text text;
  text.text = vector(v, type.lanes, &text.type);
  if (v->type != ScalarType::Bool) return text.text;
  return type.mask ? asMask(text, type) : asBits(text);
}

VectorPrinter::Text VectorPrinter::value(const ir::ValueRef& v) {
  if (auto* r = std::get_if<ir::Reduce>(&v->node)) return reduce(v->type, *r);
  if (auto lanes = firstLanes(*v)) return *lanes;
  if (auto* called = std::get_if<ir::Call>(&v->node)) {
    bool reduces = false;
    ir::forEach(v,
                [&](const ir::Value& n) { reduces |= std::holds_alternative<ir::Reduce>(n.node); });
    if (auto found = lookedUp(v)) return *found;
    if (!axisOf(v).empty() || reduces) return call(v->type, *called);
  }
  if (axisOf(v).empty()) return {scalars_.value(v), {registerType(v->type), 1, false}};
  if (auto* instructed = std::get_if<ir::Instruct>(&v->node)) return instruct(*instructed);
  if (auto* loaded = std::get_if<ir::Load>(&v->node)) return load(v->type, *loaded);
  if (auto* to = std::get_if<ir::Cast>(&v->node)) return cast(v->type, *to);
  if (auto* variable = std::get_if<ir::Variable>(&v->node))
    return {names_.name(variable->name), names_.variable(variable->name)};
  if (auto* index = std::get_if<ir::IndexRef>(&v->node)) {
    std::string axis = axisOf(v);
    VectorType type{ScalarType::I64, names_.width(axis), false};
    return {positions(index->index, axis, type), type};
  }
  const auto& shuffle = std::get<ir::Shuffle>(v->node);
  VectorType type;
  std::string a = vector(shuffle.a, static_cast<int64_t>(shuffle.lanes.size()), &type);
  std::string b = vector(shuffle.b, type.lanes);
  return {"__builtin_shufflevector(" + a + ", " + b + ", " +
              joined(shuffle.lanes, ", ", [](unsigned lane) { return std::to_string(lane); }) + ")",
          type};
}

// ---- Memory -------------------------------------------------------------------------------------

std::string VectorPrinter::fromStorage(ScalarType type, int64_t lanes, const std::string& text) {
  if (ir::info(type).isShortFloat()) {
    if (const std::string own = converter(type, registerType(type), lanes); !own.empty())
      return own + "(" + text + ")";
    std::string name = "widen_" + typeName(type) + "x" + std::to_string(lanes);
    if (!vectors_.has(name))
      makeLanewise(name, {registerType(type), lanes}, vectorName(type, lanes, true), lanes,
                   scalars_.fromStorage(type, "a[i]"));
    return vectors_.need(name) + "(" + text + ")";
  }
  if (type == ScalarType::Bool)
    return "(" + vectors_.need(vectorName(type, lanes)) + ")((" + text + " != 0) & 1)";
  return text;
}

std::string VectorPrinter::rounded(ScalarType type, int64_t lanes, const std::string& text) {
  const ScalarType held = registerType(type);
  if (const std::string narrow = converter(held, type, lanes), wide = converter(type, held, lanes);
      !narrow.empty() && !wide.empty())
    return wide + "(" + narrow + "(" + text + "))";
  std::string name = "round_" + typeName(type) + "x" + std::to_string(lanes);
  if (!vectors_.has(name))
    makeLanewise(name, {ScalarType::F32, lanes}, vectorName(type, lanes), lanes,
                 scalars_.castText(type, ScalarType::F32, "a[i]"));
  return vectors_.need(name) + "(" + text + ")";
}

std::string VectorPrinter::toStorage(ScalarType type, int64_t lanes, const Text& value) {
  if (ir::info(type).isShortFloat()) {
    if (const std::string own = converter(registerType(type), type, lanes); !own.empty())
      return own + "(" + value.text + ")";
    std::string name = "narrow_" + typeName(type) + "x" + std::to_string(lanes);
    if (!vectors_.has(name)) {
      std::string from = vectorName(type, lanes), to = vectorName(type, lanes, true);
      std::string vector = vectors_.need(to);
      vectors_.add(name, {"inline", from, to},
                   "EINC_INLINE " + vector + " einc_" + vectors_.suffix() + name + "(" +
                       vectors_.need(from) + " a) {\n  " + vector +
                       " v = {0};\n  int i;\n  for (i = 0; i < " + std::to_string(lanes) +
                       "; ++i) v[i] = " + scalars_.toStorage(type, "a[i]") + ";\n  return v;\n}\n");
    }
    return vectors_.need(name) + "(" + value.text + ")";
  }
  return type == ScalarType::Bool ? asBits(value) : value.text;
}

// A function of one vector, which computes each lane with scalars.
void VectorPrinter::makeLanewise(const std::string& name, const VectorType& result,
                                 const std::string& from, int64_t lanes, const std::string& body) {
  std::string vector = cType(result);
  vectors_.add(name, {"inline", vectorName(result.type, lanes), from},
               "EINC_INLINE " + vector + " einc_" + vectors_.suffix() + name + "(" +
                   vectors_.need(from) + " a) {\n  " + vector +
                   " v = {0};\n  int i;\n  for (i = 0; i < " + std::to_string(lanes) +
                   "; ++i) v[i] = " + body + ";\n  return v;\n}\n");
}

std::vector<std::string> VectorPrinter::store(ScalarType type, const VectorAccess& to,
                                              const Text& value, bool nonTemporal) {
  int64_t lanes = value.type.lanes;
  std::string storage = vectorName(type, lanes, /*storage=*/true);
  std::string stored = toStorage(type, lanes, value);
  if (!to.packed.empty() && to.lane.empty()) return storeHalves(lanes, to, stored);
  if (to.lane.empty()) {
    std::string pointer = "&" + to.first;
    const bool most = to.mayBeWhole && vectors_.has("store_most_" + storage);
    if (to.unit && !to.count.empty()) {
      std::string line = vectors_.need((most ? "store_most_" : "store_some_") + storage) + "(" +
                         pointer + ", " + to.count + ", " + stored + ");";
      if (to.whole.empty()) return {line};
      return {"if (" + to.whole + ")",
              "  " + vectors_.need("store_" + storage) + "(" + pointer + ", " + stored + ");",
              "else", "  " + line};
    }
    if (to.unit)
      return {vectors_.need((nonTemporal ? "non_temporal_" : "store_") + storage) + "(" + pointer +
              ", " + stored + ");"};
    if (!to.count.empty())
      return {vectors_.need("scatter_some_" + storage) + "(" + pointer + ", " + to.stride + ", " +
              to.count + ", " + stored + ");"};
    return {vectors_.need("scatter_" + storage) + "(" + pointer + ", " + to.stride + ", " + stored +
            ");"};
  }
  std::string name = names_.variableName();
  return {"const " + vectors_.need(storage) + " " + name + " = " + stored + ";",
          eachLane(to, lanes) + (to.inside.empty() ? "" : "if (" + to.inside + ") ") +
              (!to.packed.empty() ? scalars_.function("put_" + to.packed) + "(" + to.element +
                                        ", " + name + "[" + to.lane + "])"
                                  : to.element + " = " + name + "[" + to.lane + "]") +
              ";"};
}

// ---- Calls --------------------------------------------------------------------------------------

// A mask for lanes that are as wide as those of `like`.
std::string VectorPrinter::asMask(const Text& value, const VectorType& like) {
  bool same =
      ir::info(registerType(value.type.type)).bits == ir::info(registerType(like.type)).bits;
  VectorType wanted{like.type, like.lanes, true};
  std::string text = value.type.mask ? value.text : "(" + wrapped(value.text) + " != 0)";
  if (same) return "(" + cType(wanted) + ")" + wrapped(text);
  return "__builtin_convertvector(" + text + ", " + cType(wanted) + ")";
}

// 0 or 1 in a byte a lane.
std::string VectorPrinter::asBits(const Text& value) {
  if (!value.type.mask) return value.text;
  return "__builtin_convertvector(" + wrapped(value.text) + " & 1, " +
         vectors_.need(vectorName(ScalarType::Bool, value.type.lanes)) + ")";
}

// Bools that meet are bytes, or masks as wide as the first of them that is one.
void VectorPrinter::unite(std::vector<Text>& bools) {
  auto mask = std::find_if(bools.begin(), bools.end(), [](const Text& t) { return t.type.mask; });
  if (mask == bools.end()) return;
  VectorType like = mask->type;
  for (Text& value : bools) value = {asMask(value, like), like};
}

VectorPrinter::Text VectorPrinter::call(ScalarType type, const ir::Call& call) {
  std::vector<Text> args;
  int64_t lanes = 1;
  for (const ir::ValueRef& arg : call.args) {
    args.push_back(value(arg));
    lanes = std::max(lanes, args.back().type.lanes);
  }
  if (lanes == 1) {
    std::vector<std::string> texts;
    for (const Text& arg : args) texts.push_back(arg.text);
    return {scalars_.callText(type, call.function, call.args, texts), {registerType(type), 1}};
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].type.lanes == 1) {
      args[i].type = {registerType(call.args[i]->type), lanes, false};
      args[i].text = splat(args[i].text, args[i].type);
    }
  return applied(type, call, std::move(args), lanes);
}

// `args` in place of the call's own: as many lanes each.
VectorPrinter::Text VectorPrinter::applied(ScalarType type, const ir::Call& call,
                                           std::vector<Text> args, int64_t lanes) {
  Function f = call.function;
  ScalarType operands = call.args.back()->type;
  bool compares = ir::info(f).signature == ir::Signature::Compare;
  bool isFloat = ir::info(operands).isFloat(), isBool = operands == ScalarType::Bool;
  VectorType result{registerType(operands), lanes, compares};
  std::string name = vectorName(operands, lanes);
  auto text = [&](size_t i) { return wrapped(args[i].text); };

  if (f == Function::Select) {
    std::vector<Text> values = {args[1], args[2]};
    if (isBool) unite(values);
    result = values[0].type;
    std::string mask = asMask(args[0], result);
    if (!result.mask)
      return {vectors_.need("select_" + name) + "(" + mask + ", " + values[0].text + ", " +
                  values[1].text + ")",
              result};
    mask = wrapped(mask);
    return {"(" + mask + " & " + wrapped(values[0].text) + ") | (~" + mask + " & " +
                wrapped(values[1].text) + ")",
            result};
  }
  if (isBool) {
    unite(args);
    result = args[0].type;
    if (f == Function::Not) return {result.mask ? "~" + text(0) : text(0) + " ^ 1", result};
    if (f == Function::Eq)
      return {text(0) + " ^ " + (result.mask ? "~" + text(1) : "(" + text(1) + " ^ 1)"), result};
    const char* sign = f == Function::Ne ? " ^ " : infix(f);
    if (sign && !(compares && f != Function::Ne)) return {text(0) + sign + text(1), result};
  }
  bool half = ir::info(operands).isShortFloat();
  if (compares) return {"(" + cType(result) + ")(" + text(0) + infix(f) + text(1) + ")", result};
  if (isFloat && f == Function::Neg) return {"-" + text(0), result};
  if (isFloat && !half && f == Function::Fma)
    return {vectors_.need("fma_" + name) + "(" + args[0].text + ", " + args[1].text + ", " +
                args[2].text + ")",
            result};
  bool logic = f == Function::And || f == Function::Or || f == Function::Xor;
  if (!isFloat && logic) return {text(0) + infix(f) + text(1), result};
  if (!isFloat && f == Function::Not) return {"~" + text(0), result};
  bool wraps = f == Function::Add || f == Function::Sub || f == Function::Mul;
  if (!isFloat && wraps && !ir::info(operands).isSigned())
    return {text(0) + infix(f) + text(1), result};
  std::string chunk = std::string(ir::info(f).name) + "_" + name, quick = "quick_" + chunk;
  if (!isFloat && (f == Function::Div || f == Function::Rem))
    chunk = quotient(f, operands, lanes).value_or(chunk);
  const bool isExact = f == Function::Max || f == Function::Min || f == Function::Abs ||
                       f == Function::Sign;  // of what f16 and bf16 hold, they give the like
  if ((!isFloat || isExact) && vectors_.has(chunk)) {
    bool isQuick = numbersAlone_ && isFloat && vectors_.has(quick);
    std::string function = vectors_.need(isQuick ? quick : chunk);
    std::string list = args[0].text + (args.size() > 1 ? ", " + args[1].text : "");
    return {function + "(" + list + ")", result};
  }
  std::string once = isFloat ? floatText(f, registerType(operands), lanes, args) : "";
  if (!once.empty()) return {half ? rounded(operands, lanes, once) : once, result};
  return lanewise(type, call, args, lanes);
}

// A function of floats, as they are in registers; nothing, if there is none for vectors.
std::string VectorPrinter::floatText(Function f, ScalarType type, int64_t lanes,
                                     const std::vector<Text>& args) {
  std::string function = std::string(ir::info(f).name), name = vectorName(type, lanes);
  std::string one = type == ScalarType::F32 ? "1.0f / " : "1.0 / ";
  auto called = [&](const std::string& chunk) {
    return vectors_.need(chunk + "_" + name) + "(" + args[0].text +
           (args.size() > 1 ? ", " + args[1].text : "") + ")";
  };
  if (infix(f)) return wrapped(args[0].text) + infix(f) + wrapped(args[1].text);
  if (isInFunctions(function + "_" + typeName(type))) return called(function);
  switch (f) {
    case Function::Reciprocal:
      return one + wrapped(args[0].text);
    case Function::Rsqrt:
      return one + called("sqrt");
    case Function::Square:
    case Function::Sqrt:
    case Function::Floor:
    case Function::Ceil:
    case Function::Trunc:
    case Function::RoundEven:
      return called(function);
    case Function::Round:  // "round_" is what rounds to a type of 16 bits
      return called("half_away");
    default:
      return "";
  }
}

// A function that computes each lane with scalars.
VectorPrinter::Text VectorPrinter::lanewise(ScalarType type, const ir::Call& call,
                                            const std::vector<Text>& args, int64_t lanes) {
  VectorType result{registerType(type), lanes, false};
  std::string name = std::string(ir::info(call.function).name) + "_" +
                     typeName(call.args.back()->type) + "x" + std::to_string(lanes);
  std::vector<std::string> elements, parameters, texts;
  const char* const names[] = {"a", "b", "c"};
  for (size_t i = 0; i < args.size(); ++i) {
    elements.push_back(std::string(names[i]) + "[i]");
    parameters.push_back(cType(args[i].type) + " " + names[i]);
    texts.push_back(args[i].text);
  }
  std::string vector = cType(result);
  std::string body = scalars_.callText(type, call.function, call.args, elements);
  std::string function = "einc_" + vectors_.suffix() + name;
  vectors_.add(name, {"inline", vectorName(type, lanes)},
               "EINC_INLINE " + vector + " " + function + "(" + joined(parameters) + ") {\n  " +
                   vector + " v = {0};\n  int i;\n  for (i = 0; i < " + std::to_string(lanes) +
                   "; ++i) v[i] = " + body + ";\n  return v;\n}\n");
  return {function + "(" + joined(texts) + ")", result};
}

VectorPrinter::Text VectorPrinter::cast(ScalarType type, const ir::Cast& cast) {
  if (auto text = widened(type, cast)) return *text;
  Text arg = value(cast.arg);
  ScalarType from = cast.arg->type;
  int64_t lanes = arg.type.lanes;
  const ir::TypeInfo &t = ir::info(type), &f = ir::info(from);
  if (lanes == 1) return {scalars_.castText(type, from, arg.text), {registerType(type), 1}};
  VectorType result{registerType(type), lanes, false};
  const std::string direct = t.isShortFloat() ? "" : converter(registerType(from), type, lanes);
  if (!direct.empty()) return {direct + "(" + arg.text + ")", result};
  if (type == ScalarType::Bool) {
    if (from == ScalarType::Bool) return arg;
    result = {registerType(from), lanes, true};
    return {"(" + cType(result) + ")(" + wrapped(arg.text) +
                " != " + splat("0", {arg.type.type, lanes, false}) + ")",
            result};
  }
  bool toShort = ir::info(type).isShortFloat();
  if (toShort && registerType(from) == ScalarType::F32)
    return {from == type ? arg.text : rounded(type, lanes, arg.text), result};
  if (from == ScalarType::Bool || (toShort && f.isInteger() && f.bits <= 16)) {
    std::string ones = arg.type.mask ? wrapped(arg.text) + " & 1" : arg.text;
    std::string exact = "__builtin_convertvector(" + ones + ", " + cType(result) + ")";
    return {toShort ? rounded(type, lanes, exact) : exact, result};
  }
  if (toShort && f.isInteger()) {
    std::string odd = vectors_.need("odd_" + vectorName(from, lanes)) + "(" + arg.text + ")";
    return {rounded(type, lanes, odd), result};
  }
  const bool isHeldAlike = !toShort && registerType(from) == registerType(type);
  bool converts = !toShort && (t.isInteger() ? f.isInteger() : true);
  if (isHeldAlike || converts) {
    const std::string own =
        isHeldAlike ? arg.text : "__builtin_convertvector(" + arg.text + ", " + cType(result) + ")";
    const bool wraps = t.isPacked() && !ir::widensTo(from, type);
    const std::string wrap =
        wraps ? vectors_.need("wrap_" + typeName(type) + "x" + std::to_string(lanes)) : "";
    return {wraps ? wrap + "(" + own + ")" : own, result};
  }
  if (t.isInteger() && f.isFloat())
    return {saturated(type, from, lanes) + "(" + arg.text + ")", result};
  std::string name =
      "to_" + typeName(type) + "_from_" + typeName(from) + "x" + std::to_string(lanes);
  std::string element = from == ScalarType::Bool ? "(a[i] != 0)" : "a[i]";
  std::string function = "einc_" + vectors_.suffix() + name, vector = cType(result);
  vectors_.add(name, {"inline", vectorName(type, lanes)},
               "EINC_INLINE " + vector + " " + function + "(" + cType(arg.type) + " a) {\n  " +
                   vector + " v = {0};\n  int i;\n  for (i = 0; i < " + std::to_string(lanes) +
                   "; ++i) v[i] = " + scalars_.castText(type, from, element) +
                   ";\n  return v;\n}\n");
  return {function + "(" + arg.text + ")", result};
}

}  // namespace einc::emit
