// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/uses.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/STLExtras.h"

namespace einc::ir {

std::set<unsigned> tensorsIn(const Stmt& stmt) {
  std::set<unsigned> tensors;
  auto note = [&](const Stmt& one) {
    if (auto* view = std::get_if<View>(&one.node)) tensors.insert(view->base);
    if (auto* read = std::get_if<Read>(&one.node)) tensors.insert(read->tensor);
    if (auto* op = std::get_if<StructuredOp>(&one.node))
      for (size_t i = 0; i < op->operandCount(); ++i) tensors.insert(op->operand(i).tensor);
  };
  note(stmt);
  for (const Block* block : blocksOf(stmt)) forEachStatement(*block, note);
  return tensors;
}

void replaceTensor(Block& block, unsigned tensor, unsigned by) {
  auto change = [&](unsigned& one) {
    if (one == tensor) one = by;
  };
  auto changeIn = [&](StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i) change(op.operand(i).tensor);
    if (op.copied) change(op.copied->to.tensor);
  };
  for (Stmt& stmt : block) {
    for (Block* inner : blocksOf(stmt)) replaceTensor(*inner, tensor, by);
    if (auto* op = std::get_if<StructuredOp>(&stmt.node)) changeIn(*op);
    if (auto* call = std::get_if<LibraryCall>(&stmt.node)) changeIn(call->op);
    if (auto* call = std::get_if<ExternalCall>(&stmt.node))
      for (Argument& argument : call->arguments)
        if (argument.isTensor) change(argument.index);
    if (auto* test = std::get_if<If>(&stmt.node))
      for (Condition& condition : test->conditions)
        if (condition.isOfMemory()) change(condition.tensor);
    if (auto* lead = std::get_if<Lead>(&stmt.node)) change(lead->tensor);
    if (auto* soon = std::get_if<Prefetch>(&stmt.node)) change(soon->tensor);
    if (auto* region = std::get_if<NonTemporal>(&stmt.node)) change(region->tensor);
    if (auto* read = std::get_if<Read>(&stmt.node)) change(read->tensor);
    if (auto* view = std::get_if<View>(&stmt.node)) change(view->base);
    if (auto* offsets = std::get_if<Offsets>(&stmt.node)) {
      change(offsets->view);
      change(offsets->table);
      if (offsets->quotients) change(*offsets->quotients);
    }
  }
}

std::set<unsigned> viewedIn(const Block& block) {
  std::set<unsigned> bases;
  forEachStatement(block, [&](const Stmt& stmt) {
    if (auto* view = std::get_if<View>(&stmt.node)) bases.insert(view->base);
  });
  return bases;
}

bool isLocalAlone(const Kernel& kernel, unsigned tensor) {
  std::vector<View> views;
  bool isViewed = false;
  forEachStatement(kernel.body, [&](const Stmt& stmt) {
    auto* view = std::get_if<View>(&stmt.node);
    if (!view) return;
    views.push_back(*view);
    isViewed |= view->base == tensor;
  });
  if (isViewed || kernel.tensors[tensor].role != Role::View)
    return !isViewed && kernel.tensors[tensor].role == Role::Local;
  const auto own = std::find_if(views.begin(), views.end(),
                                [&](const View& view) { return view.view == tensor; });
  if (own == views.end() || kernel.tensors[own->base].role != Role::Local) return false;
  bool isAlone = std::count_if(views.begin(), views.end(),
                               [&](const View& view) { return view.base == own->base; }) == 1;
  forEachOp(kernel.body, [&](const StructuredOp& op) { isAlone &= !uses(op, own->base); });
  return isAlone;
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
