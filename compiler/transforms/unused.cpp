// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/unused.h"

#include <set>
#include <utility>
#include <vector>

#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

class Uses {
 public:
  explicit Uses(const ir::Kernel& kernel) {
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) { note(stmt); });
    // What a used view is a view of is used, too.
    for (size_t before = 0; before != used_.size();) {
      before = used_.size();
      for (const auto& [of, what] : from_)
        if (used_.count(of) != 0) used_.insert(what);
    }
  }

  void dropFrom(ir::Block& block) const {
    std::erase_if(block, [&](const ir::Stmt& stmt) {
      if (auto* view = std::get_if<ir::View>(&stmt.node)) return used_.count(view->view) == 0;
      if (auto* table = std::get_if<ir::Offsets>(&stmt.node)) return used_.count(table->view) == 0;
      if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) return used_.count(alloc->tensor) == 0;
      return false;
    });
    for (ir::Stmt& stmt : block)
      for (ir::Block* inner : ir::blocksOf(stmt)) dropFrom(*inner);
  }

 private:
  void note(const ir::Stmt& stmt) {
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
      for (size_t i = 0; i < op->operandCount(); ++i) used_.insert(op->operand(i).tensor);
      if (op->copied) used_.insert(op->copied->to.tensor);
    }
    if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node))
      for (size_t i = 0; i < call->op.operandCount(); ++i) used_.insert(call->op.operand(i).tensor);
    if (auto* test = std::get_if<ir::If>(&stmt.node))
      for (const ir::Condition& condition : test->conditions)
        if (condition.isOfMemory()) used_.insert(condition.tensor);
    if (auto* read = std::get_if<ir::Read>(&stmt.node)) used_.insert(read->tensor);
    if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) used_.insert(lead->tensor);
    if (auto* soon = std::get_if<ir::Prefetch>(&stmt.node)) used_.insert(soon->tensor);
    if (auto* region = std::get_if<ir::NonTemporal>(&stmt.node)) used_.insert(region->tensor);
    if (auto* view = std::get_if<ir::View>(&stmt.node)) from_.emplace_back(view->view, view->base);
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node); alloc && alloc->over)
      from_.emplace_back(alloc->tensor, *alloc->over);
    if (auto* table = std::get_if<ir::Offsets>(&stmt.node)) {
      from_.emplace_back(table->view, table->table);
      if (table->quotients) from_.emplace_back(table->view, *table->quotients);
    }
  }

  std::set<unsigned> used_;
  std::vector<std::pair<unsigned, unsigned>> from_;
};

// Symbols that sizes and indices mention.
std::set<std::string> mentioned(ir::Kernel& kernel) {
  std::set<std::string> names;
  auto note = [&](const affine::Expr& expr) {
    for (std::string& name : expr.symbols()) names.insert(std::move(name));
    return expr;
  };
  rewriteBlock(kernel.body, note, [](const ir::ValueRef& value) { return value; });
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    unsigned tensor = 0;
    if (auto* view = std::get_if<ir::View>(&stmt.node))
      tensor = view->view;
    else if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node))
      tensor = alloc->tensor;
    else
      return;
    for (const affine::Expr& size : kernel.tensors[tensor].shape) note(size);
  });
  return names;
}

// Whether there were any.
bool dropBounds(ir::Block& block, const std::set<std::string>& used) {
  size_t dropped = std::erase_if(block, [&](const ir::Stmt& stmt) {
    auto* bound = std::get_if<ir::Bound>(&stmt.node);
    auto* read = std::get_if<ir::Read>(&stmt.node);
    return (bound && used.count(bound->name) == 0) || (read && used.count(read->name) == 0);
  });
  for (ir::Stmt& stmt : block)
    for (ir::Block* inner : ir::blocksOf(stmt)) dropped += dropBounds(*inner, used) ? 1 : 0;
  return dropped > 0;
}

}  // namespace

void dropUnused(ir::Kernel& kernel) {
  Uses(kernel).dropFrom(kernel.body);
  dropUnusedBounds(kernel);
}

void dropUnusedBounds(ir::Kernel& kernel) {
  // One may be of use to another only.
  while (dropBounds(kernel.body, mentioned(kernel))) {
  }
}

}  // namespace einc::transforms
