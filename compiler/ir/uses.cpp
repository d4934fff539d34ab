// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/uses.h"

#include "llvm/ADT/STLExtras.h"

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

std::set<std::string> boundsOf(const Block& block) {
  std::set<std::string> names;
  for (const Stmt& stmt : block)
    if (auto* bound = std::get_if<Bound>(&stmt.node)) names.insert(bound->name);
  return names;
}

const Bound* lastBoundOf(const Kernel& kernel, unsigned local) {
  const Bound* last = nullptr;
  for (const Stmt& stmt : kernel.body)
    if (auto* bound = std::get_if<Bound>(&stmt.node))
      for (const affine::Expr& size : kernel.tensors[local].shape)
        if (llvm::is_contained(size.symbols(), bound->name)) last = bound;
  return last;
}

}  // namespace einc::ir
