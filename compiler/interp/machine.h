// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Walks a kernel: the statements, loops, names and positions, which are the same whether scalars
// are plain values (interpreter.cpp) or carry error bounds (error_bound.cpp). A Domain says what a
// scalar is and where tensors keep them:
//
//   using Scalar = ...;
//   Scalar literal(ScalarType, const Number&);
//   Scalar call(Function, ScalarType operandType, std::span<const Scalar>);
//   Scalar cast(ScalarType from, ScalarType to, const Scalar&);
//   bool allocate(unsigned tensor, const std::vector<int64_t>& sizes);  // of a local; false: no
//   memory Scalar load(unsigned tensor, std::span<const int64_t> index);       // index is inside
//   void store(unsigned tensor, std::span<const int64_t> index, const Scalar&);
//   Scalar operand(const Scalar&);      // a loaded value, or a variable, in a payload
//   Scalar accumulator(const Scalar&);  // the same when it is the old value of what a reduction
//                                       // is about to update
#pragma once

#include <array>
#include <utility>

#include "compiler/interp/contract.h"

namespace einc::interp {

template <typename Domain>
class Machine {
 public:
  using Scalar = typename Domain::Scalar;

  Machine(const ir::Kernel& kernel, CheckedCall& call, Domain& domain)
      : kernel_(kernel), call_(call), domain_(domain) {}

  Outcome run() {
    if (kernel_.level == ir::Level::Tensors)
      for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
        if (kernel_.tensors[t].role == ir::Role::Local) execute(ir::Alloc{t});
    execute(kernel_.body);
    return outcome_;
  }

 private:
  // What a statement updates. Inside a reduction, its old value is an accumulator.
  struct Target {
    std::optional<unsigned> operand, tensor;
    std::string variable;
  };

  void execute(const ir::Block& block) {
    size_t outer = variables_.size();
    for (const ir::Stmt& stmt : block) {
      if (!outcome_.ok()) break;
      std::visit([&](const auto& node) { execute(node); }, stmt.node);
    }
    variables_.resize(outer);
  }

  void execute(const ir::Alloc& alloc) {
    if (!domain_.allocate(alloc.tensor, call_.sizes[alloc.tensor]))
      fail(Status::EINC_OUT_OF_MEMORY, "no memory for %" + kernel_.tensors[alloc.tensor].name);
  }

  void execute(const ir::For& loop) {
    auto extent = evaluate(loop.extent);
    bool reduction = loop.kind == ir::IteratorKind::Reduction;
    reductions_ += reduction;
    call_.scope.push(loop.var, 0);
    for (int64_t i = 0; i < extent && outcome_.ok(); ++i) {
      call_.scope.recent(1) = i;
      execute(loop.body);
    }
    call_.scope.pop(1);
    reductions_ -= reduction;
  }

  template <typename Node>
  void execute(const Node&) {}

  void execute(const ir::Let& let) { variables_.emplace_back(let.name, evaluate(*let.value, {})); }

  void execute(const ir::Assign& assign) {
    Scalar value = evaluate(*assign.value, {{}, {}, assign.name});
    *variable(assign.name) = std::move(value);
  }

  void execute(const ir::Store& store) {
    Scalar value = evaluate(*store.value, {{}, store.tensor, {}});
    if (locate(store.tensor, store.index))
      domain_.store(store.tensor, position_, value);
    else
      failOutside(store.tensor);
  }

  void execute(const ir::StructuredOp& op) {
    std::vector<int64_t> extents = extentsOf(kernel_, op, call_.sizes);
    int reductions = 0;
    for (const ir::Iterator& iterator : op.iterators) {
      call_.scope.push(iterator.name, 0);
      reductions += iterator.kind == ir::IteratorKind::Reduction;
    }
    reductions_ += reductions;
    std::vector<Scalar> results(op.outputs.size());
    forEachIndex(extents, [&](std::span<const int64_t> point) {
      if (!outcome_.ok()) return;
      for (size_t i = 0; i < point.size(); ++i) call_.scope.recent(point.size() - i) = point[i];
      executeIteration(op, results);
    });
    reductions_ -= reductions;
    call_.scope.pop(extents.size());
  }

  void executeIteration(const ir::StructuredOp& op, std::vector<Scalar>& results) {
    op_ = &op;
    auto firstOutput = static_cast<unsigned>(op.inputs.size());
    for (unsigned r = 0; r < results.size(); ++r)
      results[r] = evaluate(*op.results[r], {firstOutput + r, {}, {}});
    for (unsigned r = 0; r < results.size(); ++r) {
      if (!locate(op.outputs[r].tensor, op.outputs[r].map))
        return failOutside(op.outputs[r].tensor);
      domain_.store(op.outputs[r].tensor, position_, results[r]);
    }
  }

  Scalar evaluate(const ir::Value& value, const Target& target) {
    return std::visit([&](const auto& node) { return evaluate(value.type, node, target); },
                      value.node);
  }

  Scalar evaluate(ir::ScalarType type, const ir::Literal& literal, const Target&) {
    return domain_.literal(type, literal.number);
  }

  Scalar evaluate(ir::ScalarType, const ir::OperandRef& ref, const Target& target) {
    const ir::Operand& operand = op_->operand(ref.operand);
    return read(operand.tensor, operand.map, operand.pad, ref.operand == target.operand);
  }

  Scalar evaluate(ir::ScalarType type, const ir::IndexRef& ref, const Target&) {
    return domain_.literal(type, {0.0, static_cast<uint64_t>(evaluate(ref.index))});
  }

  Scalar evaluate(ir::ScalarType type, const ir::AttributeRef& ref, const Target&) {
    return domain_.literal(type, call_.attributes[ref.attribute][static_cast<size_t>(ref.element)]);
  }

  Scalar evaluate(ir::ScalarType, const ir::Call& call, const Target& target) {
    std::array<Scalar, 3> args;
    for (size_t i = 0; i < call.args.size(); ++i) args[i] = evaluate(*call.args[i], target);
    return domain_.call(call.function, call.args.back()->type, {args.data(), call.args.size()});
  }

  Scalar evaluate(ir::ScalarType type, const ir::Cast& cast, const Target& target) {
    return domain_.cast(cast.arg->type, type, evaluate(*cast.arg, target));
  }

  Scalar evaluate(ir::ScalarType, const ir::Load& load, const Target& target) {
    return read(load.tensor, load.index, load.pad, load.tensor == target.tensor);
  }

  Scalar evaluate(ir::ScalarType, const ir::Variable& ref, const Target& target) {
    return use(*variable(ref.name), ref.name == target.variable);
  }

  Scalar evaluate(ir::ScalarType, const ir::Reduce&, const Target&) { return {}; }
  Scalar evaluate(ir::ScalarType, const ir::Shuffle&, const Target&) { return {}; }

  Scalar read(unsigned tensor, const std::vector<affine::Expr>& index, const ir::ValueRef& pad,
              bool isTarget) {
    if (locate(tensor, index)) return use(domain_.load(tensor, position_), isTarget);
    if (pad) return evaluate(*pad, {});
    failOutside(tensor);
    return {};
  }

  Scalar use(const Scalar& value, bool isTarget) {
    return isTarget && reductions_ > 0 ? domain_.accumulator(value) : domain_.operand(value);
  }

  int64_t evaluate(const affine::Expr& expr) {
    auto value = call_.scope.evaluate(expr);
    if (!value) fail(Status::EINC_OVERFLOW, expr.str() + " has no value");
    return value.value_or(0);
  }

  // Sets position_; false when that is outside the tensor.
  bool locate(unsigned tensor, const std::vector<affine::Expr>& index) {
    const std::vector<int64_t>& sizes = call_.sizes[tensor];
    position_.resize(index.size());
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      position_[d] = evaluate(index[d]);
      inside &= position_[d] >= 0 && position_[d] < sizes[d];
    }
    return inside;
  }

  Scalar* variable(const std::string& name) {
    size_t i = variables_.size() - 1;
    while (variables_[i].first != name) --i;  // the verifier knows that it is there
    return &variables_[i].second;
  }

  void fail(Status status, std::string message) {
    if (outcome_.ok()) outcome_ = {status, std::move(message)};
  }
  void failOutside(unsigned tensor) {
    fail(Status::EINC_OUT_OF_RANGE, "an access leaves %" + kernel_.tensors[tensor].name);
  }

  const ir::Kernel& kernel_;
  CheckedCall& call_;
  Domain& domain_;
  const ir::StructuredOp* op_ = nullptr;  // the one being executed
  int reductions_ = 0;                    // reduction iterators around the present statement
  std::vector<std::pair<std::string, Scalar>> variables_;  // of Lets; the innermost last
  std::vector<int64_t> position_;
  Outcome outcome_;
};

}  // namespace einc::interp
