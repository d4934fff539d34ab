// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Payload values and index expressions as GLSL expressions, of 1, 2 or 4 lanes.
//
// In registers, an f16 or bf16 value is a float that such a type can hold; i8 and i16 are an int,
// u8 and u16 a uint, in the type's range; all other types are themselves. Shared and private arrays
// hold what registers hold. Storage buffers hold the element type, for bf16 and bool an unsigned
// integer: nothing is computed in 8 and 16 bits, so that a device needs no more than storage of
// them.
//
// Variables that hold floats must be declared `precise`: otherwise spirv-opt and drivers rewrite
// what computes them, as if rounding, infinity and NaN were not there (x - x is 0). The prelude's
// functions are precise already. Three things are the device's own: division and square root, which
// Vulkan lets be 2.5 ulps off in f32; fma, which may be a product and a sum; and subnormal numbers,
// which may be zero.
//
// Expressions come without parentheses around them; `wrapped` (text/expressions.h) puts them where needed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/emit/glsl/prelude.h"
#include "compiler/ir/types.h"

namespace einc::emit {

struct GlslType {
  ir::ScalarType type;
  int64_t lanes = 1;
};

// "float", "ivec4", "i64vec2", "bool", ...
std::string registerType(const GlslType& type);
// "float16_t", "u16vec4", "uint8_t", ...
std::string storageType(const GlslType& type);

struct GlslNames {
  std::function<std::string(const affine::Atom&)> index;  // iterators, sizes, attributes: an int
  // Whether it is known that an expression is at least 0; none: of no expression.
  std::function<bool(const affine::Expr&)> isNonNegative = nullptr;
};

class GlslValues {
 public:
  GlslValues(const GlslNames& names, GlslPrelude& prelude) : names_(names), prelude_(prelude) {}

  // A call whose result has type `type` and so many lanes. The arguments are GLSL expressions of
  // the types given, each of `lanes` lanes or of one, which is then splat.
  std::string call(ir::ScalarType type, int64_t lanes, ir::Function function,
                   const std::vector<GlslType>& types, std::vector<std::string> args) const;
  std::string cast(ir::ScalarType to, ir::ScalarType from, int64_t lanes,
                   const std::string& value) const;
  std::string literal(ir::ScalarType type, const ir::Number& number) const;
  // The scalar in all lanes of the type; itself if there is one.
  std::string splat(const GlslType& type, const std::string& scalar) const;
  // The expression that a stored element (or a vector of them) gets from a value, and the other
  // way.
  std::string toStorage(ir::ScalarType type, int64_t lanes, const std::string& value) const;
  std::string fromStorage(ir::ScalarType type, int64_t lanes, const std::string& element) const;
  // In int, for addresses.
  std::string index(const affine::Expr& expr) const;
  // In int64_t, for values, which may be beyond 32 bits.
  std::string longIndex(const affine::Expr& expr) const;

 private:
  std::string floatCall(const GlslType& type, ir::Function function,
                        const std::vector<std::string>& args) const;
  std::string integerCall(const GlslType& type, ir::Function function,
                          const std::vector<std::string>& args) const;
  std::string compare(const GlslType& type, ir::Function function,
                      const std::vector<std::string>& args) const;
  std::string logic(const GlslType& type, ir::Function function,
                    const std::vector<std::string>& args) const;
  std::string indexText(const affine::Expr& expr, bool isLong) const;
  std::string quotient(const std::string& function, const affine::Expr& what,
                       const affine::Expr& by, bool isLong) const;

  const GlslNames& names_;
  GlslPrelude& prelude_;
};

}  // namespace einc::emit
