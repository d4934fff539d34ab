// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The scalar functions of ir/functions.def and casts as operations of MLIR's arith and math. Both
// dialects leave cases open (division by zero, shifts past the width, casts out of range): those
// are taken out before the operation, and their value is selected behind it.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/mlir/block.h"
#include "compiler/ir/types.h"

namespace einc::emit::mlir {

// Writes operations on named values into a block; each function returns the name of the result.
class Scalars {
 public:
  explicit Scalars(Block& block) : block_(block) {}

  // A function whose operands have this type (for Select: the second and third).
  std::string call(ir::Function function, ir::ScalarType type,
                   const std::vector<std::string>& args);
  std::string cast(ir::ScalarType to, ir::ScalarType from, const std::string& x);

  // A bool as it is in memory, and back; other types stay what they are.
  std::string toStorage(ir::ScalarType type, const std::string& x);
  std::string fromStorage(ir::ScalarType type, const std::string& x);

 private:
  using Args = std::vector<std::string>;

  std::string compare(ir::Function function, ir::ScalarType type, const Args& args);
  std::string logic(ir::Function function, ir::ScalarType type, const Args& args);
  std::string real(ir::Function function, ir::ScalarType type, const Args& args);
  std::string integer(ir::Function function, ir::ScalarType type, const Args& args);
  std::string divide(bool remainder, ir::ScalarType type, const std::string& x,
                     const std::string& y);
  std::string shift(bool left, ir::ScalarType type, const std::string& x, const std::string& y);
  std::string power(ir::ScalarType type, const std::string& x, const std::string& n);
  std::string powerOfNegative(ir::ScalarType type, const std::string& x, const std::string& n);
  std::string realToInteger(ir::ScalarType to, ir::ScalarType from, const std::string& x);
  std::string integerToReal(ir::ScalarType to, ir::ScalarType from, const std::string& x);
  std::string roundedToOdd(ir::ScalarType from, const std::string& x);

  // "arith.NAME x, y : type" and the like, called `wanted`.
  std::string binary(const std::string& wanted, const std::string& op, ir::ScalarType type,
                     const std::string& x, const std::string& y);
  std::string unary(const std::string& wanted, const std::string& op, ir::ScalarType type,
                    const std::string& x);
  std::string select(const std::string& wanted, ir::ScalarType type, const std::string& condition,
                     const std::string& x, const std::string& y);
  // cmpi or cmpf.
  std::string is(const std::string& wanted, const std::string& predicate, ir::ScalarType type,
                 const std::string& x, const std::string& y);
  std::string convert(const std::string& op, ir::ScalarType to, ir::ScalarType from,
                      const std::string& x);

  Block& block_;
};

}  // namespace einc::emit::mlir
