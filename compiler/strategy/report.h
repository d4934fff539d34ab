// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a schedule does and why, in sentences: what `einc explain` prints, and what stands above a
// kernel in generated C.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/target/target.h"

namespace einc::strategy {

struct OpReport {
  SourceRange source;    // the statement in the spec
  std::string op;        // the op, as IR text
  std::string strategy;  // "contraction", "windows", "stream", "loops", "external", "steps"
  std::vector<std::pair<std::string, std::string>> settings;  // what can be set, as it is
  std::vector<std::string> lines;                             // a sentence each
  std::vector<std::string> own = {};                          // those that say how it is done
  std::string together = {};  // with the ops beside it: how; or empty
  std::string apart = {};     // why not with the ops beside it; or empty
};

// Operations of the payload, for all iterations.
affine::Expr operationsOf(const ir::Kernel& kernel, const ir::StructuredOp& op);

// Operations that the target has for each byte that comes from memory, of values as wide as the widest of these ops.
double balanceOf(const target::Target& target, const std::vector<ir::StructuredOp>& ops);

// Operations of the payload and bytes of the operands, each counted once, and what follows from
// them.
std::vector<std::string> limitsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const target::Target& target);

// Three digits: "0.0156".
std::string shortNumber(double value);

// "M = {n, oh, ow}"
std::string groupText(const std::string& name, const std::vector<std::string>& iterators);

}  // namespace einc::strategy
