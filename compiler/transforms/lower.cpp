// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/lower.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/ir/unique_names.h"

namespace einc::transforms {
namespace {

class OpLowering {
 public:
  // `names` are those of the block that gets the variables.
  OpLowering(const ir::Kernel& kernel, const ir::StructuredOp& op, ir::UniqueNames& names)
      : kernel_(kernel), op_(op), names_(names) {
    for (const ir::Iterator& iterator : op.iterators) names_.take(iterator.name);
  }

  // The nest, from the innermost block outwards.
  ir::Block run() {
    return nest(ir::IteratorKind::Parallel, ir::reduces(op_) ? accumulation() : elementwise());
  }

 private:
  ir::Store copy() const {
    const ir::Operand& to = op_.copied->to;
    return {to.tensor, to.map, load(op_.inputs[op_.copied->input])};
  }

  // Every output is stored once, straight from the payload.
  ir::Block elementwise() {
    for (const ir::Operand& output : op_.outputs) outputs_.push_back(load(output));
    ir::Block body;
    if (op_.copied) body.push_back({copy()});
    if (op_.outputs.size() == 1) {
      body.push_back({store(0, payload(0))});
      return body;
    }
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      std::string name = names_.make(kernel_.tensors[op_.outputs[i].tensor].name);
      body.push_back({ir::Let{name, payload(i)}});
      updated_.push_back(variable(i, name));
    }
    for (size_t i = 0; i < op_.outputs.size(); ++i) body.push_back({store(i, updated_[i])});
    return body;
  }

  // Outputs are kept in variables while the reduction runs.
  ir::Block accumulation() {
    ir::Block body, inner;
    std::vector<std::string> names;
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      names.push_back(names_.make(kernel_.tensors[op_.outputs[i].tensor].name));
      body.push_back({ir::Let{names[i], load(op_.outputs[i])}});
      outputs_.push_back(variable(i, names[i]));
    }
    if (op_.outputs.size() == 1) {
      inner.push_back({ir::Assign{names[0], payload(0)}});
    } else {
      for (size_t i = 0; i < op_.outputs.size(); ++i) {
        std::string next = names_.make("new_" + names[i]);
        inner.push_back({ir::Let{next, payload(i)}});
        updated_.push_back(variable(i, next));
      }
      for (size_t i = 0; i < op_.outputs.size(); ++i)
        inner.push_back({ir::Assign{names[i], updated_[i]}});
    }
    if (op_.copied) inner.push_back({copy()});
    ir::Block loops = nest(ir::IteratorKind::Reduction, std::move(inner));
    std::move(loops.begin(), loops.end(), std::back_inserter(body));
    for (size_t i = 0; i < op_.outputs.size(); ++i) body.push_back({store(i, outputs_[i])});
    return body;
  }

  // Loops over the iterators of one kind, around `body`.
  ir::Block nest(ir::IteratorKind kind, ir::Block body) const {
    for (auto it = op_.iterators.rbegin(); it != op_.iterators.rend(); ++it) {
      if (it->kind != kind) continue;
      ir::For loop{it->name, ir::extentOf(kernel_, op_, it->name)->extent, kind, std::move(body)};
      body = {};
      body.push_back({std::move(loop)});
    }
    return body;
  }

  ir::ValueRef load(const ir::Operand& operand) const {
    return ir::makeValue(kernel_.tensors[operand.tensor].type,
                         ir::Load{operand.tensor, operand.map, operand.pad});
  }
  ir::ValueRef variable(size_t output, const std::string& name) const {
    return ir::makeValue(kernel_.tensors[op_.outputs[output].tensor].type, ir::Variable{name});
  }
  ir::Store store(size_t i, ir::ValueRef value) const {
    return {op_.outputs[i].tensor, op_.outputs[i].map, std::move(value)};
  }

  // The payload of an output with operands replaced by what holds their elements.
  ir::ValueRef payload(size_t output) const {
    return ir::rewrite(op_.results[output], [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference) return nullptr;
      size_t inputs = op_.inputs.size();
      if (reference->operand < inputs) return load(op_.inputs[reference->operand]);
      return outputs_[reference->operand - inputs];
    });
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  ir::UniqueNames& names_;
  std::vector<ir::ValueRef> outputs_, updated_;
};

}  // namespace

ir::Block lowerOp(const ir::Kernel& kernel, const ir::StructuredOp& op, ir::UniqueNames& names) {
  return OpLowering(kernel, op, names).run();
}

ir::Kernel lower(const ir::Kernel& kernel) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Hardware;
  ir::Block before;
  for (ir::Stmt& stmt : std::exchange(result.body, {}))
    if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
      std::move(fused->ops.begin(), fused->ops.end(), std::back_inserter(before));
    else
      before.push_back(std::move(stmt));
  ir::UniqueNames outer(kernel);
  for (ir::Stmt& stmt : before) {
    auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
    ir::Block lowered;
    bool inLoops = op && std::any_of(op->iterators.begin(), op->iterators.end(), [](const auto& i) {
                     return i.kind == ir::IteratorKind::Parallel;
                   });
    if (inLoops) {
      ir::UniqueNames inner = outer;
      lowered = lowerOp(kernel, *op, inner);
    } else if (op) {
      lowered = lowerOp(kernel, *op, outer);
    } else {
      lowered.push_back(std::move(stmt));
    }
    std::move(lowered.begin(), lowered.end(), std::back_inserter(result.body));
  }
  return result;
}

}  // namespace einc::transforms
