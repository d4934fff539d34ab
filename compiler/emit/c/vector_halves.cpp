// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// VectorPrinter: integers of 4 bits, two of which are in a byte of an argument (prelude/vectors_small.h).
#include "compiler/emit/c/vectors.h"

namespace einc::emit {

using ir::ScalarType;

// The function that reads words of the bytes that parts of bytes become.
std::string VectorPrinter::wordsOfHalves(ScalarType type, int64_t lanes,
                                         const std::string& packed) {
  const int64_t all = lanes * ir::info(type).bytes();
  const std::string vector = vectorName(type, lanes), from = "einc_" + vectors_.suffix(),
                    load = "load_halves_" + packed + "x" + std::to_string(all),
                    name = "load_words_" + vector + "_of_halves_" + packed;
  return vectors_.add(name, {"inline", vector, load},
                      "EINC_INLINE " + from + vector + " " + from + name +
                          "(const uint8_t *from, int64_t at) {\n  return (" + from + vector + ")" +
                          from + load + "(from, at);\n}\n");
}

namespace {

// Neighbours, or parts of words, all of which are there.
bool areWhole(const VectorAccess& access) {
  const bool areNear = access.unit || !access.part.empty();
  return !access.packed.empty() && areNear && access.conditions.empty() && access.count.empty() &&
         access.lane.empty();
}

}  // namespace

// One of each word.
std::string VectorPrinter::partOfWords(ScalarType type, int64_t lanes, const VectorAccess& access) {
  return vectors_.need("part_" + access.packed + "_" + vectorName(type, lanes)) + "(" +
         access.first + ", " + access.part + ")";
}

// Each in the lowest bits of a lane, behind which there is more.
std::string VectorPrinter::shifted(const VectorAccess& access) {
  if (access.part.empty()) return vectors_.need("shifted_halves_of_16") + "(" + access.first + ")";
  return vectors_.need("shifted_words_i32x16") + "(" + access.first + ", " + access.part + ")";
}

// Neighbours that are parts of bytes, in lanes of 32 bits at once.
std::optional<VectorPrinter::Text> VectorPrinter::widened(ScalarType type, const ir::Cast& cast) {
  const auto* load = std::get_if<ir::Load>(&cast.arg->node);
  const bool isWide = type == ScalarType::F32 || type == ScalarType::I32;
  if (!load || !isWide || !ir::info(cast.arg->type).isPacked()) return std::nullopt;
  const VectorAccess access = names_.access(*load);
  const int64_t lanes = names_.width(axisOf(cast.arg));
  if (!access.part.empty()) return Text{partOfWords(type, lanes, access), {type, lanes, false}};
  if (!areWhole(access) || (lanes != 8 && lanes != 16) ||
      !vectors_.has("shifted_halves_of_" + std::to_string(lanes)))
    return std::nullopt;
  return Text{vectors_.need("wide_" + access.packed + "_" + std::string(ir::info(type).name) +
                            "_of_" + std::to_string(lanes)) +
                  "(" + access.first + ")",
              {type, lanes, false}};
}

// The one element of 4 bits, as an f32, on which the lanes of a value depend; null where there are others.
const ir::Value* VectorPrinter::elementIn(const ir::ValueRef& value) const {
  if (value->type != ScalarType::F32) return nullptr;
  if (auto* cast = std::get_if<ir::Cast>(&value->node))
    return ir::info(cast->arg->type).isPacked() ? value.get() : nullptr;
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call) return nullptr;
  const ir::Value* found = nullptr;
  for (const ir::ValueRef& arg : call->args) {
    if (axisOf(arg).empty()) continue;
    const ir::Value* own = elementIn(arg);
    if (!own || found) return nullptr;
    found = own;
  }
  return found;
}

// The value for each of the 16 numbers that the element may be.
VectorPrinter::Text VectorPrinter::ofNumbers(const ir::ValueRef& value, const ir::Value* element) {
  if (value.get() == element) {
    const ScalarType from = std::get<ir::Cast>(value->node).arg->type;
    return {vectors_.need("numbers_of_16_" + std::string(ir::info(from).name)) + "()",
            {ScalarType::F32, 16, false}};
  }
  if (axisOf(value).empty()) {
    const VectorType type{registerType(value->type), 16, false};
    return {splat(scalars_.value(value), type), type};
  }
  const auto& call = std::get<ir::Call>(value->node);
  std::vector<Text> args;
  for (const ir::ValueRef& arg : call.args) args.push_back(ofNumbers(arg, element));
  return applied(value->type, call, std::move(args), 16);
}

// What is computed of an element of 4 bits, and of what is the same for all lanes, is looked up among 16 results: they
// are the same for other vectors.
std::optional<VectorPrinter::Text> VectorPrinter::lookedUp(const ir::ValueRef& value) {
  const ir::Value* element = elementIn(value);
  if (!element || element == value.get()) return std::nullopt;
  const auto* load = std::get_if<ir::Load>(&std::get<ir::Cast>(element->node).arg->node);
  if (!load || !vectors_.has("shifted_halves_of_16")) return std::nullopt;
  const VectorAccess access = names_.access(*load);
  if (!areWhole(access) || names_.width(axisOf(value)) != 16) return std::nullopt;
  return Text{vectors_.need("of_16_f32x16") + "(" + ofNumbers(value, element).text + ", " +
                  shifted(access) + ")",
              {ScalarType::F32, 16, false}};
}

// Of neighbours, at the place of the first.
std::vector<std::string> VectorPrinter::storeHalves(int64_t lanes, const VectorAccess& to,
                                                    const std::string& stored) {
  const std::string function = std::string(to.count.empty() ? "store_" : "store_some_") +
                               "halves_" + to.packed + "x" + std::to_string(lanes);
  return {vectors_.need(function) + "(" + to.first + ", " +
          (to.count.empty() ? "" : to.count + ", ") + stored + ");"};
}

}  // namespace einc::emit
