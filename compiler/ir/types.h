// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Element types and scalar functions: two closed sets, each one table (types.def, functions.def).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace einc::ir {

enum class ScalarType : uint8_t {
#define EINC_TYPE(name, spelling, cls, bits, c, numpy) name,
#include "compiler/ir/types.def"
};

enum class TypeClass : uint8_t { Bool, Signed, Unsigned, Float };

struct TypeInfo {
  ScalarType type;
  std::string_view name;  // in specs and IR text
  TypeClass cls;
  unsigned bits;           // of storage in arguments; a bool is one byte
  std::string_view cType;  // in the C ABI
  char numpyKind;
  bool isInteger() const { return cls == TypeClass::Signed || cls == TypeClass::Unsigned; }
  bool isFloat() const { return cls == TypeClass::Float; }
  bool isSigned() const { return cls == TypeClass::Signed; }
  // Of one element by itself.
  unsigned bytes() const { return (bits + 7) / 8; }
  // Several elements are in a byte of an argument.
  bool isPacked() const { return bits < 8; }
  // Floats that are computed with as f32.
  bool isShortFloat() const { return isFloat() && bits < 32; }
  // What an argument's pointer points to.
  std::string_view cElement() const { return isPacked() ? "uint8_t" : cType; }
  // Numbers are stored, copied and cast, and nothing else is done with them.
  bool onlyStores() const { return bits < 8 || (isFloat() && bits == 8); }
};

const TypeInfo& info(ScalarType type);
const std::vector<TypeInfo>& allTypes();
// Without those that only store numbers: what shaders have.
const std::vector<TypeInfo>& computedTypes();
std::optional<ScalarType> parseType(std::string_view name);

// The type of whole bytes that holds the same numbers: i8 for i4, u8 for u4, otherwise itself.
ScalarType inBytes(ScalarType type);
// How many elements are a word of 32 bits, if they are parts of bytes; else 0.
int64_t partsOfWord(ScalarType type);

// Digits of a float's significand, the hidden one included: 4 (f8e4m3), 3, 11 (f16), 8, 24, 53.
unsigned precision(ScalarType type);

// Every value of `from` is a value of `to`. What an implicit promotion may do (never bool to
// number, never signed to unsigned).
bool widensTo(ScalarType from, ScalarType to);

enum class Function : uint8_t {
#define EINC_FUNCTION(name, spelling, arity, signature, time, gives) name,
#include "compiler/ir/functions.def"
};

enum class Signature : uint8_t { Number, Float, Integer, Logic, Compare, Select };

enum class Time : uint8_t { Quick, Slow };

struct FunctionInfo {
  Function function;
  std::string_view name;
  unsigned arity;
  Signature signature;
  Time time;

  bool isQuick() const { return time == Time::Quick; }
};

const FunctionInfo& info(Function function);
const std::vector<FunctionInfo>& allFunctions();
std::optional<Function> parseFunction(std::string_view name);

// Whether a function takes operands of this type (for Select: its second and third).
bool accepts(Function function, ScalarType type);

// A constant of some element type. Floats: `asFloat`, already rounded to the type. Bool and
// integers: `asBits`, the two's complement bits of the type, zero-extended. The other field is
// zero.
struct Number {
  double asFloat = 0.0;
  uint64_t asBits = 0;
};
bool sameBits(const Number& a, const Number& b);

// The lowest or the highest value of a type: infinities for floats (of f8e4m3 -448 and 448), false and
// true for bool.
Number endOf(ScalarType type, bool highest);

// The neutral element e of a combiner: f(e, x) = x. Nothing for functions without one (sub, ...).
std::optional<Number> neutralElement(Function function, ScalarType type);

}  // namespace einc::ir
