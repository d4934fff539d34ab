// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/block.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "compiler/ir/literal.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::emit::mlir {
namespace {

using ir::ScalarType;

// The encoding of infinity or NaN, which MLIR spells in hexadecimal.
std::string encoding(ScalarType type, double value) {
  uint64_t infinity = type == ScalarType::F16    ? 0x7C00
                      : type == ScalarType::BF16 ? 0x7F80
                      : type == ScalarType::F32  ? 0x7F800000
                                                 : 0x7FF0000000000000;
  unsigned digits = ir::precision(type) - 1;
  uint64_t sign = value < 0 ? uint64_t{1} << (ir::info(type).bits - 1) : 0;
  uint64_t quiet = std::isnan(value) ? uint64_t{1} << (digits - 1) : 0;
  return "0x" + llvm::utohexstr(sign | infinity | quiet, false, ir::info(type).bits / 4);
}

// MLIR wants a point in every float, "1.0e-05".
std::string realText(ScalarType type, double value) {
  if (!std::isfinite(value)) return encoding(type, value);
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find('.') != std::string::npos) return text;
  size_t exponent = text.find('e');
  return exponent == std::string::npos ? text + ".0" : text.insert(exponent, ".0");
}

}  // namespace

std::string typeName(ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  if (t.cls == ir::TypeClass::Bool) return "i1";
  return t.isInteger() ? "i" + std::to_string(t.bits) : std::string(t.name);
}

std::string storageType(ScalarType type) {
  return type == ScalarType::Bool ? "i8" : typeName(type);
}

std::string ValueNames::make(const std::string& wanted) {
  std::string candidate = wanted;
  while (!taken_.insert(candidate).second)
    candidate = wanted + "_" + std::to_string(++last_[wanted]);
  return "%" + candidate;
}

Block::Block(ValueNames& names, unsigned depth, const Block* outer) : names_(names), outer_(outer) {
  for (unsigned i = 0; i < depth; ++i) text_.indent();
}

std::string Block::value(const std::string& wanted, const std::string& op) {
  for (const Block* block = this; block; block = block->outer_)
    if (auto it = block->known_.find(op); it != block->known_.end()) return it->second;
  std::string name = names_.make(wanted);
  text_.line(name + " = " + op);
  known_.emplace(op, name);
  return name;
}

std::string Block::open(const std::string& wanted, const std::string& op) {
  std::string name = names_.make(wanted);
  text_.open(name + " = " + op);
  return name;
}

std::string Block::constant(ScalarType type, const ir::Number& number) {
  if (ir::info(type).isFloat()) return real(type, number.asFloat);
  if (type == ScalarType::Bool)
    return number.asBits != 0 ? value("true", "arith.constant true")
                              : value("false", "arith.constant false");
  unsigned unused = 64 - ir::info(type).bits;
  return integer(type, static_cast<int64_t>(number.asBits << unused) >> unused);
}

std::string Block::integer(ScalarType type, int64_t number) {
  std::string text = std::to_string(number);
  return value("c" + text + "_" + typeName(type),
               "arith.constant " + text + " : " + typeName(type));
}

std::string Block::real(ScalarType type, double number) {
  return value("cst", "arith.constant " + realText(type, number) + " : " + typeName(type));
}

std::string Block::index(int64_t number) {
  std::string text = std::to_string(number);
  return value("c" + text, "arith.constant " + text + " : index");
}

}  // namespace einc::emit::mlir
