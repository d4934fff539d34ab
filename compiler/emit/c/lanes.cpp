// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Values that know their lanes: positions, masks of the first lanes, and what is combined across.
#include <optional>

#include "compiler/emit/c/vectors.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

using ir::ScalarType;

namespace {

// How far each lane's position is from the one before it, where that is known.
std::optional<int64_t> stepOf(const affine::Expr& index, const std::string& axis, int64_t lanes) {
  auto linear = index.asLinear();
  if (!linear) return std::nullopt;
  for (const auto& part : linear->parts) {
    auto step = part.coefficient.asConstant();
    int64_t last = 0;
    if (part.iterator == axis && step && !__builtin_mul_overflow(*step, lanes, &last)) return step;
  }
  return std::nullopt;
}

// 0, step, 2 * step, ...
std::string stepsText(int64_t step, int64_t lanes) {
  std::vector<std::string> steps;
  for (int64_t i = 0; i < lanes; ++i) steps.push_back(std::to_string(i * step));
  return joined(steps);
}

// Whether the first lane is at position 0.
bool beginsAtZero(const affine::Expr& index, const std::string& axis) {
  return index
      .substitute([&](const affine::Atom& atom) {
        return atom.name == axis ? std::optional(affine::Expr()) : std::nullopt;
      })
      .isZero();
}

}  // namespace

// One position in all lanes, and how far each is from it.
std::string VectorPrinter::positions(const affine::Expr& index, const std::string& axis,
                                     const VectorType& type) {
  const std::string cast = "(" + cType(type) + ")", first = names_.index(index, axis, 0);
  const auto step = stepOf(index, axis, type.lanes);
  if (step && !beginsAtZero(index, axis))
    return splat(first, type) + " + " + cast + "{" + stepsText(*step, type.lanes) + "}";
  std::vector<std::string> lanes;
  for (int64_t i = 0; i < type.lanes; ++i) lanes.push_back(names_.index(index, axis, i));
  return cast + "{" + joined(lanes) + "}";
}

// A mask of the lanes whose positions are below one number; in small integers, as there are few.
std::optional<VectorPrinter::Text> VectorPrinter::firstLanes(const ir::Value& test) {
  if (!ir::comparesPositions(test)) return std::nullopt;
  const ir::Call& call = std::get<ir::Call>(test.node);
  const std::string axis = axisOf(call.args[0]);
  if (axis.empty() || !axisOf(call.args[1]).empty()) return std::nullopt;
  const affine::Expr& index = std::get<ir::IndexRef>(call.args[0]->node).index;
  const int64_t lanes = names_.width(axis);
  if (stepOf(index, axis, lanes) != 1) return std::nullopt;
  ScalarType type = lanes >= 16  ? ScalarType::I8
                    : lanes == 8 ? ScalarType::I16
                    : lanes == 4 ? ScalarType::I32
                                 : ScalarType::I64;
  const VectorType plain{type, lanes, false}, mask{type, lanes, true};
  const std::string first = names_.index(index, axis, 0), end = scalars_.value(call.args[1]);
  const std::string count = scalars_.castText(
      type, ScalarType::I64,
      scalars_.function("lanes") + "(" +
          (beginsAtZero(index, axis) ? end : wrapped(end) + " - " + wrapped(first)) + ", " +
          std::to_string(lanes) + ")");
  return Text{"(" + cType(mask) + ")((" + cType(plain) + "){" + stepsText(1, lanes) + "} < " +
                  splat(count, plain) + ")",
              mask};
}

// Halves are combined until one lane is left.
VectorPrinter::Text VectorPrinter::reduce(ScalarType type, const ir::Reduce& reduce) {
  Text arg = value(reduce.arg);
  if (arg.type.lanes == 1) return arg;
  const int64_t lanes = arg.type.lanes;
  const std::string function = std::string(ir::info(reduce.function).name);
  // Truth values are masks, or bytes.
  const std::string vectors = arg.type.mask
                                  ? "mask_" + vectorName(arg.type.type, lanes)
                                  : std::string(ir::info(type).name) + "x" + std::to_string(lanes);
  const std::string name = "reduce_" + function + "_" + vectors,
                    full = "einc_" + vectors_.suffix() + name, vector = cType(arg.type);
  const ir::ValueRef zero = ir::makeLiteral(type, ir::Number{});
  std::string body;
  for (int64_t n = lanes / 2; n > 0; n /= 2) {
    std::string order;
    for (int64_t i = 0; i < lanes; ++i) order += ", " + std::to_string((i + n) % lanes);
    std::vector<Text> halves = {{"v", arg.type}, {"w", arg.type}};
    body += "  w = __builtin_shufflevector(v, v" + order + ");\n  v = " +
            applied(type, {reduce.function, {zero, zero}}, std::move(halves), lanes).text + ";\n";
  }
  vectors_.add(name, {"inline", vectorName(type, lanes)},
               "EINC_INLINE " + valueType(type) + " " + full + "(" + vector + " v) {\n  " + vector +
                   " w;\n" + body + "  return " +
                   (type == ScalarType::Bool ? "v[0] != 0" : "v[0]") + ";\n}\n");
  return {full + "(" + arg.text + ")", {registerType(type), 1}};
}

}  // namespace einc::emit
