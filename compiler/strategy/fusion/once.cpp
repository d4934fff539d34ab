// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/once.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using ir::StructuredOp;
using ir::ValueRef;

class Once {
 public:
  explicit Once(const ir::Kernel& kernel) : kernel_(kernel), builder_(kernel_) {}

  ir::Kernel run() {
    kernel_.body = inBlock(std::move(kernel_.body));
    return std::move(kernel_);
  }

 private:
  // Of the body, or of a way through it. In rounds it is computed for each tile.
  ir::Block inBlock(ir::Block block) {
    const bool areOps = llvm::all_of(block, [](const ir::Stmt& stmt) {
      return std::holds_alternative<StructuredOp>(stmt.node);
    });
    if (areOps) return inOps(std::move(block));
    for (ir::Stmt& stmt : block)
      if (auto* branch = std::get_if<ir::If>(&stmt.node)) {
        branch->then = inBlock(std::move(branch->then));
        branch->otherwise = inBlock(std::move(branch->otherwise));
      }
    return block;
  }

  ir::Block inOps(ir::Block ops) {
    before_.clear();
    behind_.clear();
    for (ir::Stmt& stmt : ops) {
      auto& op = std::get<StructuredOp>(stmt.node);
      if (!ir::reduces(op) && op.outputs.size() == 1) consider(op);
      behind_.push_back(std::move(stmt));
    }
    llvm::append_range(before_, behind_);
    return before_;
  }

  void consider(StructuredOp& op) {
    if (isTurned(op)) takeOut(op, partsOf(op, transforms::takesLong));
    const std::vector<ValueRef> narrowed = partsOf(op, [](const ValueRef& part) {
      return transforms::registerBytes(part->type) < transforms::registerBytes(part);
    });
    StructuredOp without = op;
    for (ValueRef& result : without.results)
      for (const ValueRef& part : narrowed)
        result = replaced(result, part, ir::makeLiteral(part->type, ir::Number{}));
    if (transforms::registerBytes(without) < transforms::registerBytes(op)) takeOut(op, narrowed);
  }

  // Whether an input with all iterators has neighbours along another one than the output.
  static bool isTurned(const StructuredOp& op) {
    if (op.outputs[0].map.empty()) return false;
    return llvm::any_of(op.inputs, [&](const ir::Operand& input) {
      return !input.shapeOnly && ir::isPlain(input) &&
             input.map.size() == op.outputs[0].map.size() &&
             input.map.back() != op.outputs[0].map.back();
    });
  }

  // The iterators on which a value depends.
  static std::set<std::string> iteratorsIn(const StructuredOp& op, const ValueRef& value) {
    std::set<std::string> found;
    ir::forEach(value, [&](const ir::Value& node) {
      if (auto* reference = std::get_if<ir::OperandRef>(&node.node))
        for (std::string& name : transforms::iteratorsOf(op.operand(reference->operand)))
          found.insert(std::move(name));
      if (auto* index = std::get_if<ir::IndexRef>(&node.node))
        for (std::string& name : index->index.iterators()) found.insert(std::move(name));
    });
    return found;
  }

  // The same in the order of an operand that has all, or else of the output.
  static std::vector<std::string> inOrder(const StructuredOp& op, const ValueRef& value) {
    const std::set<std::string> used = iteratorsIn(op, value);
    std::vector<std::string> order;
    for (const std::string& name : transforms::iteratorsOf(op.outputs[0]))
      if (used.count(name) != 0) order.push_back(name);
    ir::forEach(value, [&](const ir::Value& node) {
      auto* reference = std::get_if<ir::OperandRef>(&node.node);
      if (!reference) return;
      std::vector<std::string> own = transforms::iteratorsOf(op.operand(reference->operand));
      if (own.size() == order.size()) order = std::move(own);
    });
    return order;
  }

  // The largest parts that are the same along an iterator, and for which `isWorth` holds.
  template <typename IsWorth>
  std::vector<ValueRef> partsOf(const StructuredOp& op, const IsWorth& isWorth) const {
    std::vector<ValueRef> parts;
    auto look = [&](const ValueRef& value, const auto& self) -> void {
      auto* call = std::get_if<ir::Call>(&value->node);
      auto* cast = std::get_if<ir::Cast>(&value->node);
      if (!call && !cast) return;
      const std::set<std::string> used = iteratorsIn(op, value);
      const bool isAgain = llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
        return used.count(i.name) == 0 && builder_.hasExtent(op, i.name) &&
               builder_.extent(op, i.name).asConstant().value_or(INT64_MAX) > 1;
      });
      const bool isSized =
          llvm::all_of(used, [&](const std::string& name) { return builder_.hasExtent(op, name); });
      if (isAgain && isSized && !used.empty() && !readsOutput(op, value) && isWorth(value)) {
        if (llvm::none_of(parts, [&](const ValueRef& part) { return ir::equal(part, value); }))
          parts.push_back(value);
        return;
      }
      if (cast) self(cast->arg, self);
      if (call)
        for (const ValueRef& arg : call->args) self(arg, self);
    };
    for (const ValueRef& result : op.results) look(result, look);
    return parts;
  }

  static bool readsOutput(const StructuredOp& op, const ValueRef& value) {
    bool found = false;
    ir::forEach(value, [&](const ir::Value& node) {
      auto* reference = std::get_if<ir::OperandRef>(&node.node);
      found |= reference && reference->operand >= op.inputs.size();
    });
    return found;
  }

  static ValueRef replaced(const ValueRef& value, const ValueRef& part, const ValueRef& by) {
    return ir::rewrite(value, [&](const ValueRef& node) -> ValueRef {
      return ir::equal(node, part) ? by : nullptr;
    });
  }

  static size_t sizeOf(const ValueRef& value) {
    size_t count = 0;
    ir::forEach(value, [&](const ir::Value&) { ++count; });
    return count;
  }

  static bool occurs(const StructuredOp& op, const ValueRef& part) {
    return llvm::any_of(op.results, [&](const ValueRef& result) {
      bool found = false;
      ir::rewrite(result, [&](const ValueRef& node) -> ValueRef {
        found |= ir::equal(node, part);
        return nullptr;
      });
      return found;
    });
  }

  // What the op writes that computes it: before all others, whose loops it would share, if it is of inputs alone.
  ir::Operand computedBefore(const StructuredOp& op, const ValueRef& part) {
    StructuredOp before;
    before.source = op.source;
    std::vector<affine::Expr> map, shape;
    for (const std::string& name : inOrder(op, part)) {
      before.iterators.push_back({name, ir::IteratorKind::Parallel});
      map.push_back(transforms::at(name));
      shape.push_back(builder_.extent(op, name));
    }
    std::map<unsigned, unsigned> numbers;  // of the op's operands, in the new one
    ValueRef value = ir::rewrite(part, [&](const ValueRef& node) -> ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&node->node);
      if (!reference) return nullptr;
      const auto [at, isNew] =
          numbers.try_emplace(reference->operand, static_cast<unsigned>(before.inputs.size()));
      if (isNew) before.inputs.push_back(op.inputs[reference->operand]);
      return ir::makeValue(node->type, ir::OperandRef{at->second});
    });
    const unsigned to = builder_.tensor("once", part->type, std::move(shape), ir::Role::Local);
    before.outputs = {{to, std::move(map), nullptr}};
    ir::Operand written = before.outputs[0];
    before.results = {std::move(value)};
    const bool isOfInputs = llvm::all_of(before.inputs, [&](const ir::Operand& input) {
      return kernel_.tensors[input.tensor].role == ir::Role::Input;
    });
    (isOfInputs ? before_ : behind_).push_back({std::move(before)});
    return written;
  }

  // Each in an op of its own.
  // Larger ones first, which may have others in them.
  void takeOut(StructuredOp& op, const std::vector<ValueRef>& parts) {
    std::multimap<size_t, ValueRef, std::greater<>> bySize;
    for (const ValueRef& part : parts) bySize.emplace(sizeOf(part), part);
    for (const auto& [size, part] : bySize) {
      if (!occurs(op, part)) continue;
      ir::Operand once = computedBefore(op, part);
      const auto number = static_cast<unsigned>(op.inputs.size());
      for (ValueRef& result : op.results) {
        result = ir::rewrite(result, [&](const ValueRef& node) -> ValueRef {
          if (ir::equal(node, part)) return ir::makeValue(part->type, ir::OperandRef{number});
          auto* reference = std::get_if<ir::OperandRef>(&node->node);
          return reference && reference->operand >= number
                     ? ir::makeValue(node->type, ir::OperandRef{reference->operand + 1})
                     : nullptr;
        });
      }
      op.inputs.push_back(std::move(once));
    }
    for (size_t i = op.inputs.size(); i-- > 0 && !parts.empty();)
      if (!op.inputs[i].shapeOnly && !ir::readsOperand(op, i))
        transforms::dropInput(kernel_, op, i);
  }

  ir::Kernel kernel_;
  transforms::Builder builder_;
  ir::Block before_, behind_;  // of the ops at hand
};

}  // namespace

ir::Kernel computeOnce(const ir::Kernel& kernel) {
  return kernel.libraryCall ? kernel : Once(kernel).run();
}

}  // namespace einc::strategy
