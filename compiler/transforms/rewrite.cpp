// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

class Rewriter {
 public:
  Rewriter(const IndexRewrite& index, const ValueRewrite& value) : index_(index), value_(value) {}

  void block(ir::Block& statements) {
    for (ir::Stmt& stmt : statements) {
      std::visit(*this, stmt.node);
      for (ir::Block* inner : ir::blocksOf(stmt)) block(*inner);
    }
  }

  void operator()(ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i) {
      indices(op.operand(i).map);
      value(op.operand(i).pad);
    }
    if (op.copied) indices(op.copied->to.map);
    for (ir::ValueRef& result : op.results) value(result);
  }
  void operator()(ir::LibraryCall& call) {
    (*this)(call.op);
    value(call.alpha);
    value(call.beta);
  }
  void operator()(ir::ExternalCall&) {}
  void operator()(ir::Dispatch&) {}
  void operator()(ir::Barrier&) {}
  void operator()(ir::Fused&) {}
  void operator()(ir::Alloc&) {}
  void operator()(ir::Bound& bound) { indices(bound.of); }
  void operator()(ir::Read& read) {
    indices(read.index);
    read.plus = index_(read.plus);
  }
  void operator()(ir::View& view) {
    indices(view.map);
    value(view.pad);
  }
  void operator()(ir::Offsets&) {}
  void operator()(ir::Lead&) {}
  void operator()(ir::NonTemporal&) {}
  void operator()(ir::For& loop) { loop.extent = index_(loop.extent); }
  void operator()(ir::TileLoop& loop) {
    loop.extent = index_(loop.extent);
    loop.step = index_(loop.step);
    if (loop.grain) *loop.grain = {index_(loop.grain->least), index_(loop.grain->inside)};
  }
  void operator()(ir::If& test) {
    for (ir::Condition& condition : test.conditions) {
      condition.left = index_(condition.left);
      condition.right = index_(condition.right);
    }
  }
  void operator()(ir::Outline&) {}
  void operator()(ir::Vector&) {}
  void operator()(ir::Let& let) { value(let.value); }
  void operator()(ir::Assign& assign) { value(assign.value); }
  void operator()(ir::Store& store) {
    indices(store.index);
    value(store.value);
  }
  void operator()(ir::Prefetch& prefetch) { indices(prefetch.index); }
  void operator()(ir::Transpose&) {}
  void operator()(ir::AssumeNumbers&) {}
  void operator()(ir::CheckNumbers& check) {
    for (ir::ValueRef& checked : check.values) value(checked);
  }

 private:
  void indices(std::vector<affine::Expr>& exprs) {
    for (affine::Expr& e : exprs) e = index_(e);
  }

  void value(ir::ValueRef& root) {
    if (!root) return;
    root = ir::rewrite(root, [&](const ir::ValueRef& node) -> ir::ValueRef {
      if (auto* reference = std::get_if<ir::IndexRef>(&node->node))
        return valueOf(ir::makeValue(node->type, ir::IndexRef{index_(reference->index)}));
      if (auto* load = std::get_if<ir::Load>(&node->node)) {
        ir::Load copy = *load;
        indices(copy.index);
        return valueOf(ir::makeValue(node->type, std::move(copy)));
      }
      return value_(node);
    });
  }

  // With its indices rewritten, whatever becomes of the value.
  ir::ValueRef valueOf(const ir::ValueRef& node) const {
    ir::ValueRef result = value_(node);
    return result ? result : node;
  }

  const IndexRewrite& index_;
  const ValueRewrite& value_;
};

}  // namespace

void rewriteBlock(ir::Block& block, const IndexRewrite& index, const ValueRewrite& value) {
  Rewriter(index, value).block(block);
}

void rewriteOps(ir::Block& block, const std::function<void(ir::StructuredOp&)>& rewrite) {
  for (ir::Stmt& stmt : block) {
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) rewrite(*op);
    for (ir::Block* inner : ir::blocksOf(stmt)) rewriteOps(*inner, rewrite);
  }
}

}  // namespace einc::transforms
