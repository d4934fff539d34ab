// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Words of an instruction, made of vectors of their elements, as one function where a target has a good one
// (prelude/vectors_avx512.h): cast<i32>(a) | cast<i32>(b) << 8 | cast<i32>(c) << 16 | cast<i32>(d) << 24.
#include <utility>
#include <vector>

#include "compiler/emit/c/vectors.h"

namespace einc::emit {

using ir::Function;
using ir::ScalarType;

namespace {

// Integers without a sign, moved left and put together.
struct Part {
  ir::ValueRef element;
  uint64_t shift;
};

bool addParts(const ir::ValueRef& word, std::vector<Part>& parts) {
  auto* call = std::get_if<ir::Call>(&word->node);
  if (call && call->function == Function::Or)
    return addParts(call->args[0], parts) && addParts(call->args[1], parts);
  Part part{word, 0};
  if (call && call->function == Function::Shl) {
    auto* by = std::get_if<ir::Literal>(&call->args[1]->node);
    if (!by) return false;
    part = {call->args[0], by->number.asBits};
  }
  auto* cast = std::get_if<ir::Cast>(&part.element->node);
  const ScalarType type = cast ? cast->arg->type : ScalarType::I32;
  if (type != ScalarType::U8 && type != ScalarType::U16) return false;
  part.element = cast->arg;
  parts.push_back(std::move(part));
  return true;
}

}  // namespace

std::optional<VectorPrinter::Text> VectorPrinter::word(const ir::ValueRef& value) {
  std::vector<Part> parts;
  if (value->type != ScalarType::I32 || !addParts(value, parts) || parts.size() < 2)
    return std::nullopt;
  const ScalarType type = parts[0].element->type;
  const unsigned bits = ir::info(type).bits;
  std::vector<ir::ValueRef> elements;
  for (const Part& part : parts) {
    if (part.element->type != type || part.shift != bits * elements.size()) return std::nullopt;
    elements.push_back(part.element);
  }
  const int64_t lanes = lanesOf(elements);
  const std::string function =
      "words_of_" + std::to_string(lanes) + "_" + std::string(ir::info(type).name);
  if (bits * elements.size() != 32 || lanes == 1 || !vectors_.has(function)) return std::nullopt;
  std::string args;
  for (const ir::ValueRef& element : elements)
    args += (args.empty() ? "" : ", ") + vector(element, lanes);
  return Text{vectors_.need(function) + "(" + args + ")", {ScalarType::I32, lanes, false}};
}

}  // namespace einc::emit
