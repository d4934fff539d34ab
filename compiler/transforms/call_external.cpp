// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/call_external.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compiler/ir/library_call_name.h"
#include "compiler/support/identifier.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::transforms {
namespace {

using ir::Argument;

// What the op computes with besides elements.
struct Names {
  std::set<unsigned> attributes;
  std::set<std::string> sizes;

  void add(const ir::Kernel& kernel, const affine::Expr& expr) {
    for (const std::string& symbol : expr.symbols())
      if (auto reference = kernel.attributeOf(symbol))
        attributes.insert(reference->attribute);
      else
        sizes.insert(symbol);
  }
  void add(const ir::Kernel& kernel, const ir::ValueRef& value) {
    if (!value) return;
    ir::forEach(value, [&](const ir::Value& node) {
      if (auto* reference = std::get_if<ir::AttributeRef>(&node.node))
        attributes.insert(reference->attribute);
      if (auto* index = std::get_if<ir::IndexRef>(&node.node)) add(kernel, index->index);
    });
  }
};

Names namesIn(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  Names names;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    for (const affine::Expr& index : op.operand(i).map) names.add(kernel, index);
    names.add(kernel, op.operand(i).pad);
  }
  for (const ir::ValueRef& result : op.results) names.add(kernel, result);
  return names;
}

// All of a def.
ir::ExternalCall wholeCall(const ir::Kernel& kernel) {
  ir::ExternalCall call{ir::libraryCallName(kernel), {}, kernel.body};
  for (const ir::Kernel::Input& input : kernel.inputs)
    call.arguments.push_back({input.isTensor, input.index});
  for (unsigned t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == ir::Role::Output) call.arguments.push_back({true, t});
  for (unsigned a = 0; a < kernel.attributes.size(); ++a)
    if (!kernel.attributes[a].parameter) call.arguments.push_back({false, a});
  return call;
}

class Caller {
 public:
  Caller(const ir::Kernel& kernel, const ExternalFunctions& functions)
      : kernel_(kernel), functions_(functions) {}

  ir::Block run() {
    for (const ir::Stmt& stmt : kernel_.body) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        auto call = next(*op);
        result_.push_back(call ? ir::Stmt{std::move(*call)} : stmt);
      } else if (auto* fused = std::get_if<ir::Fused>(&stmt.node)) {
        region(*fused);
      } else {
        for (const ir::Block* inner : ir::blocksOf(stmt))
          ir::forEachOp(*inner, [&](const ir::StructuredOp&) { ++number_; });
        result_.push_back(stmt);
      }
    }
    return std::move(result_);
  }

 private:
  // The call for the next op of the kernel; nothing if it has none.
  std::optional<ir::ExternalCall> next(const ir::StructuredOp& op) {
    auto function = functions_.find(number_++);
    if (function == functions_.end()) return std::nullopt;
    auto call = externalCall(kernel_, op, function->second);
    return call ? std::optional(std::move(*call)) : std::nullopt;
  }

  void region(const ir::Fused& fused) {
    ir::Block waiting;
    bool isWhole = true;
    for (const ir::Stmt& stmt : fused.ops) {
      auto call = next(std::get<ir::StructuredOp>(stmt.node));
      if (!call) {
        waiting.push_back(stmt);
        continue;
      }
      isWhole = false;
      together(std::exchange(waiting, {}), false);
      result_.push_back({std::move(*call)});
    }
    together(std::move(waiting), isWhole);
  }

  void together(ir::Block ops, bool isWhole) {
    if (ops.size() > 1 && (isWhole || isClosed(ops)))
      result_.push_back({ir::Fused{std::move(ops)}});
    else
      append(result_, std::move(ops));
  }

  // Local results that one of the ops reads may never be in memory: no other op uses them.
  bool isClosed(const ir::Block& ops) const {
    std::set<unsigned> written, read;
    for (const ir::Stmt& stmt : ops) {
      const auto& op = std::get<ir::StructuredOp>(stmt.node);
      for (const ir::Operand& input : op.inputs)
        if (written.count(input.tensor)) read.insert(input.tensor);
      for (const ir::Operand& output : op.outputs) written.insert(output.tensor);
    }
    return llvm::none_of(read, [&](unsigned tensor) {
      return kernel_.tensors[tensor].role == ir::Role::Local &&
             uses(kernel_.body, tensor) != uses(ops, tensor);
    });
  }

  static size_t uses(const ir::Block& block, unsigned tensor) {
    size_t count = 0;
    ir::forEachOp(block, [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) count += op.operand(i).tensor == tensor;
    });
    return count;
  }

  const ir::Kernel& kernel_;
  const ExternalFunctions& functions_;
  unsigned number_ = 0;
  ir::Block result_;
};

}  // namespace

Result<ir::ExternalCall> externalCall(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                      const std::string& function) {
  if (!isIdentifier(function)) return Reason{"'" + function + "' is no name in C"};
  ir::ExternalCall call{function, {}, only({op})};
  auto add = [&](Argument argument) {
    if (!llvm::is_contained(call.arguments, argument)) call.arguments.push_back(argument);
  };
  Names names = namesIn(kernel, op), known;
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (const affine::Expr& size : kernel.tensors[op.operand(i).tensor].shape)
      known.add(kernel, size);
  for (const std::string& size : names.sizes)
    if (!known.sizes.count(size))
      return Reason{"it computes with the size '" + size + "', which is none of its operands'"};
  for (size_t i = 0; i < op.operandCount(); ++i) {
    // Two in a byte are those of arguments alone, and views count whole bytes.
    const ir::Tensor& tensor = kernel.tensors[op.operand(i).tensor];
    if (ir::info(tensor.type).isPacked())
      return Reason{"its elements of " + std::string(ir::info(tensor.type).name) +
                    " have a byte each; a function for all of the def takes them"};
  }
  for (const ir::Operand& input : op.inputs) add({true, input.tensor});
  for (unsigned a : names.attributes)
    if (kernel.attributes[a].parameter) add({false, a});
  for (const ir::Operand& output : op.outputs) add({true, output.tensor});
  for (unsigned a : names.attributes)
    if (!kernel.attributes[a].parameter) add({false, a});
  return call;
}

ir::Kernel callExternal(const ir::Kernel& kernel, const ExternalFunctions& ofOps) {
  ir::Kernel result = kernel;
  if (!kernel.libraryCall)
    result.body = Caller(kernel, ofOps).run();
  else if (ir::externalCalls(kernel.body).empty())
    result.body = only({wholeCall(kernel)});
  return result;
}

}  // namespace einc::transforms
