// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/uses.h"

namespace einc::ir {

std::set<unsigned> tensorsIn(const Stmt& stmt) {
  std::set<unsigned> tensors;
  auto note = [&](const Stmt& one) {
    if (auto* view = std::get_if<View>(&one.node)) tensors.insert(view->base);
    if (auto* op = std::get_if<StructuredOp>(&one.node))
      for (size_t i = 0; i < op->operandCount(); ++i) tensors.insert(op->operand(i).tensor);
  };
  note(stmt);
  for (const Block* block : blocksOf(stmt)) forEachStatement(*block, note);
  return tensors;
}

std::set<unsigned> viewedIn(const Block& block) {
  std::set<unsigned> bases;
  forEachStatement(block, [&](const Stmt& stmt) {
    if (auto* view = std::get_if<View>(&stmt.node)) bases.insert(view->base);
  });
  return bases;
}

}  // namespace einc::ir
