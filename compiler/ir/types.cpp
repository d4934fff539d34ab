// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/types.h"

#include <bit>
#include <limits>

namespace einc::ir {

const std::vector<TypeInfo>& allTypes() {
  static const std::vector<TypeInfo> table = {
#define EINC_TYPE(name, spelling, cls, bits, c, numpy) \
  {ScalarType::name, spelling, TypeClass::cls, bits, c, numpy},
#include "compiler/ir/types.def"
  };
  return table;
}

const std::vector<TypeInfo>& computedTypes() {
  static const std::vector<TypeInfo> table = [] {
    std::vector<TypeInfo> types = allTypes();
    std::erase_if(types, [](const TypeInfo& type) { return type.onlyStores(); });
    return types;
  }();
  return table;
}

const TypeInfo& info(ScalarType type) { return allTypes()[static_cast<size_t>(type)]; }

std::optional<ScalarType> parseType(std::string_view name) {
  for (const TypeInfo& t : allTypes())
    if (t.name == name) return t.type;
  return std::nullopt;
}

int64_t partsOfWord(ScalarType type) {
  return info(type).isPacked() ? int64_t{32} / info(type).bits : 0;
}

ScalarType inBytes(ScalarType type) {
  if (!info(type).isPacked()) return type;
  return info(type).isSigned() ? ScalarType::I8 : ScalarType::U8;
}

unsigned precision(ScalarType type) {
  switch (type) {
    case ScalarType::F8E4M3:
      return 4;
    case ScalarType::F8E5M2:
      return 3;
    case ScalarType::F16:
      return 11;
    case ScalarType::BF16:
      return 8;
    case ScalarType::F32:
      return 24;
    case ScalarType::F64:
      return 53;
    default:
      return 0;
  }
}

bool widensTo(ScalarType from, ScalarType to) {
  if (from == to) return true;
  const TypeInfo &f = info(from), &t = info(to);
  if (f.cls == TypeClass::Bool || t.cls == TypeClass::Bool) return false;
  if (f.isFloat()) {
    // Neither of f16 (more digits) and bf16 (more range) holds the other, nor of the two f8.
    return t.isFloat() && t.bits > f.bits;
  }
  unsigned valueBits = f.bits - (f.isSigned() ? 1 : 0);
  if (t.isFloat()) return valueBits <= precision(to);
  if (f.isSigned() && !t.isSigned()) return false;
  return t.bits - (t.isSigned() ? 1 : 0) >= valueBits;
}

const std::vector<FunctionInfo>& allFunctions() {
  static const std::vector<FunctionInfo> table = {
#define EINC_FUNCTION(name, spelling, arity, signature, time, gives) \
  {Function::name, spelling, arity, Signature::signature, Time::time},
#include "compiler/ir/functions.def"
  };
  return table;
}

const FunctionInfo& info(Function function) {
  return allFunctions()[static_cast<size_t>(function)];
}

std::optional<Function> parseFunction(std::string_view name) {
  for (const FunctionInfo& f : allFunctions())
    if (f.name == name) return f.function;
  return std::nullopt;
}

bool accepts(Function function, ScalarType type) {
  const TypeInfo& t = info(type);
  if (t.onlyStores()) return function == Function::Select;
  switch (info(function).signature) {
    case Signature::Number:
      return t.isFloat() || t.isInteger();
    case Signature::Float:
      return t.isFloat();
    case Signature::Integer:
      return t.isInteger();
    case Signature::Logic:
      return !t.isFloat();
    case Signature::Compare:
      return t.cls != TypeClass::Bool || function == Function::Eq || function == Function::Ne;
    case Signature::Select:
      return true;
  }
  return false;
}

bool sameBits(const Number& a, const Number& b) {
  return std::bit_cast<uint64_t>(a.asFloat) == std::bit_cast<uint64_t>(b.asFloat) &&
         a.asBits == b.asBits;
}

Number endOf(ScalarType type, bool highest) {
  const TypeInfo& t = info(type);
  if (type == ScalarType::F8E4M3) return {highest ? 448.0 : -448.0, 0};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (t.isFloat()) return {highest ? infinity : -infinity, 0};
  uint64_t ones = t.cls == TypeClass::Bool ? 1 : ~uint64_t{0} >> (64 - t.bits);
  uint64_t signBit = t.isSigned() ? uint64_t{1} << (t.bits - 1) : 0;
  return {0.0, highest ? ones - signBit : signBit};
}

static std::optional<Number> neutralOf(Function function, ScalarType type) {
  switch (function) {
    case Function::Add:
      // -0 + x is x for every x, but a sum is expected to begin at +0.
      return Number{0.0, 0};
    case Function::Or:
    case Function::Xor:
      return Number{0.0, 0};
    case Function::Mul:
      return Number{1.0, 1};
    case Function::And:
      return Number{0.0, ~uint64_t{0} >> (type == ScalarType::Bool ? 63 : 64 - info(type).bits)};
    case Function::Max:
      return endOf(type, /*highest=*/false);
    case Function::Min:
      return endOf(type, /*highest=*/true);
    default:
      return std::nullopt;
  }
}

std::optional<Number> neutralElement(Function function, ScalarType type) {
  if (!accepts(function, type)) return std::nullopt;
  auto number = neutralOf(function, type);
  if (!number) return std::nullopt;
  return info(type).isFloat() ? Number{number->asFloat, 0} : Number{0.0, number->asBits};
}

}  // namespace einc::ir
