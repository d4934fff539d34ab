// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_place.h"

#include <optional>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/inline.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

class InPlace {
 public:
  explicit InPlace(const ir::Kernel& kernel) : kernel_(kernel) {}

  ir::Kernel run() {
    // Loops whose rounds do ops use tensors through views.
    const bool isFlat = llvm::all_of(kernel_.body, [](const ir::Stmt& stmt) {
      return std::holds_alternative<ir::StructuredOp>(stmt.node) ||
             std::holds_alternative<ir::Fused>(stmt.node);
    });
    if (!isFlat) return std::move(kernel_);
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      const Ops ops = opsIn(kernel_.body[i]);
      for (size_t op = 0; op < ops.size(); ++op)
        if (auto other = sourceOf(i, op)) put(i, op, *other);
    }
    return std::move(kernel_);
  }

 private:
  static Ops opsIn(const ir::Stmt& stmt) {
    Ops ops;
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) ops.push_back(*op);
    if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
      ir::forEachOp(fused->ops, [&](const ir::StructuredOp& op) { ops.push_back(op); });
    return ops;
  }

  bool isUsedIn(size_t from, size_t to, unsigned tensor) const {
    for (size_t i = from; i < to; ++i)
      if (llvm::any_of(opsIn(kernel_.body[i]),
                       [&](const ir::StructuredOp& op) { return ir::uses(op, tensor); }))
        return true;
    return false;
  }

  // The local whose memory the results of the op may have.
  std::optional<unsigned> sourceOf(size_t statement, size_t number) const {
    const Ops ops = opsIn(kernel_.body[statement]);
    const ir::StructuredOp& op = ops[number];
    if (!transforms::isWholeMap(kernel_, op) || op.iterators.empty()) return std::nullopt;
    const unsigned own = op.outputs[0].tensor;
    if (kernel_.tensors[own].role != ir::Role::Local) return std::nullopt;
    // What has tiles leaves others their values in registers.
    if (llvm::any_of(ops, [&](const ir::StructuredOp& o) { return mayHaveTiles(kernel_, o); }))
      return std::nullopt;
    const size_t end = kernel_.body.size();
    if (isUsedIn(0, statement, own) || !isUsedIn(statement + 1, end, own)) return std::nullopt;
    for (size_t i = 0; i < number; ++i)
      if (ir::uses(ops[i], own)) return std::nullopt;
    for (const ir::Operand& input : op.inputs) {
      const unsigned other = input.tensor;
      if (!isReadHereLast(ops, number, other) || isUsedIn(statement + 1, end, other) ||
          !isUsedIn(0, statement, other))
        continue;
      Ops after = ops;
      for (ir::StructuredOp& o : after) rename(o, own, other);
      if (sharedIterators(kernel_, after) == sharedIterators(kernel_, ops)) return other;
    }
    return std::nullopt;
  }

  // Element by element; by others of the ops only before, and written by none.
  bool isReadHereLast(const Ops& ops, size_t number, unsigned other) const {
    const ir::StructuredOp& op = ops[number];
    const ir::Operand& output = op.outputs[0];
    const ir::Tensor &own = kernel_.tensors[output.tensor], &tensor = kernel_.tensors[other];
    if (tensor.role != ir::Role::Local || tensor.type != own.type || tensor.shape != own.shape)
      return false;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (i > number && ir::uses(ops[i], other)) return false;
      if (llvm::any_of(ops[i].outputs, [&](const ir::Operand& o) { return o.tensor == other; }))
        return false;
    }
    return llvm::all_of(op.inputs, [&](const ir::Operand& input) {
      return input.tensor != other || (input.map == output.map && !input.pad && !input.shapeOnly);
    });
  }

  static void rename(ir::StructuredOp& op, unsigned own, unsigned other) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (op.operand(i).tensor == own) op.operand(i).tensor = other;
  }

  // The op that computes it: what it read of the other is what its output has.
  void update(ir::StructuredOp& op, unsigned other) const {
    op.outputs[0].tensor = other;
    const auto output = static_cast<unsigned>(op.inputs.size());
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* operand = std::get_if<ir::OperandRef>(&value->node);
        if (!operand || op.operand(operand->operand).tensor != other) return nullptr;
        return ir::makeValue(value->type, ir::OperandRef{output});
      });
    for (size_t i = op.inputs.size(); i-- > 0;)
      if (op.inputs[i].tensor == other) transforms::dropInput(kernel_, op, i);
  }

  void put(size_t statement, size_t number, unsigned other) {
    const unsigned own = opsIn(kernel_.body[statement])[number].outputs[0].tensor;
    for (size_t i = statement; i < kernel_.body.size(); ++i) {
      size_t next = 0;
      ir::Block one;
      one.push_back(std::move(kernel_.body[i]));
      transforms::rewriteOps(one, [&](ir::StructuredOp& op) {
        const bool isIt = i == statement && next == number;
        if (isIt)
          update(op, other);
        else if (i > statement || next > number)
          rename(op, own, other);
        ++next;
      });
      kernel_.body[i] = std::move(one.front());
    }
  }

  ir::Kernel kernel_;
};

}  // namespace

ir::Kernel computeInPlace(const ir::Kernel& kernel) { return InPlace(kernel).run(); }

}  // namespace einc::strategy
