// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The region of a linalg.generic: the payload of a StructuredOp on elements, and the reads that
// Linalg's maps cannot express.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/mlir/block.h"
#include "compiler/emit/mlir/linalg.h"
#include "compiler/emit/mlir/scalars.h"
#include "compiler/emit/mlir/scope.h"

namespace einc::emit::mlir {

class Payload {
 public:
  Payload(FunctionScope& scope, const ir::StructuredOp& op, const LinalgOp& linalg);

  // From "^bb0(...):" to "linalg.yield ...".
  std::string run();

 private:
  std::string value(const ir::ValueRef& value);
  std::string operand(unsigned operand);
  std::string read(const ir::Operand& operand, const std::string& name);
  std::string element(const ir::Operand& operand, const std::string& name, Block& block,
                      const std::vector<std::string>& index);
  std::string inside(const ir::Operand& operand, const std::vector<std::string>& index);
  std::string iterator(const std::string& name);

  FunctionScope& scope_;
  const ir::StructuredOp& op_;
  Block block_;
  Scalars scalars_;
  std::string head_, storage_;                // "%a: f32, ..."; the types that are yielded
  std::vector<std::string> names_;            // of the op's operands
  std::map<unsigned, std::string> args_;      // operand -> its block argument, as it is in memory
  std::map<unsigned, std::string> elements_;  // operand -> its value, once known
};

}  // namespace einc::emit::mlir
