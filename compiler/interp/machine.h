// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Walks a kernel: the statements, loops, names and positions, which are the same whether scalars
// are plain values (interpreter.cpp) or carry error bounds (error_bound.cpp). Where elements are, and words of
// them, is in memory.h. A Domain says what a scalar is and where tensors keep them:
//
//   using Scalar = ...;
//   Scalar literal(ScalarType, const Number&);
//   Scalar call(Function, ScalarType operandType, std::span<const Scalar>);
//   Scalar cast(ScalarType from, ScalarType to, const Scalar&);
//   Scalar word(ScalarType, ScalarType memory, std::span<const Scalar> elements);
//   Scalar instruct(const Instruction&, const std::array<Scalar, 3>&);
//   bool allocate(unsigned tensor, const std::vector<int64_t>& sizes);  // of a local; false: no
//                                                                       // memory
//   Scalar load(unsigned tensor, std::span<const int64_t> index);       // index is inside
//   void store(unsigned tensor, std::span<const int64_t> index, const Scalar&);
//   int64_t position(unsigned tensor, std::span<const int64_t> index);  // in memory, in elements
//   bool isNan(const Scalar&);          // a float
//   int64_t integer(const Scalar&);     // an i64
//   Scalar operand(const Scalar&);      // a loaded value, or a variable, in a payload
//   Scalar accumulator(const Scalar&);  // the same when it is the old value of what a reduction
//                                       // is about to update
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/interp/contract.h"
#include "compiler/interp/memory.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/uses.h"

namespace einc::interp {

template <typename Domain>
class Machine {
 public:
  using Scalar = typename Domain::Scalar;

  Machine(const ir::Kernel& kernel, CheckedCall& call, Domain& domain)
      : kernel_(kernel), call_(call), domain_(domain), memory_(kernel, call, domain) {}

  Outcome run() {
    if (kernel_.level == ir::Level::Tensors)
      for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
        if (kernel_.tensors[t].role == ir::Role::Local && !ir::lastBoundOf(kernel_, t))
          execute(ir::Alloc{t});
    execute(kernel_.body);
    return memory_.outcome();
  }

 private:
  // What a statement updates. Inside a reduction, its old value is an accumulator.
  struct Target {
    std::optional<unsigned> operand, tensor;
    std::string variable;
  };

  void execute(const ir::Block& block) {
    size_t outer = variables_.size(), bounds = bounds_;
    for (const ir::Stmt& stmt : block) {
      if (!memory_.outcome().ok()) break;
      std::visit([&](const auto& node) { execute(node); }, stmt.node);
    }
    variables_.erase(variables_.begin() + static_cast<std::ptrdiff_t>(outer), variables_.end());
    call_.scope.pop(bounds_ - bounds);
    bounds_ = bounds;
  }

  void execute(const ir::Fused& fused) { execute(fused.ops); }

  void execute(const ir::Alloc& alloc) {
    if (kernel_.level >= ir::Level::Tiled || ir::lastBoundOf(kernel_, alloc.tensor))
      memory_.size(alloc.tensor);
    memory_.races().forget(alloc.tensor, alloc.space);
    memory_.give(alloc.tensor, alloc.over);
    if (!domain_.allocate(alloc.tensor, call_.sizes[alloc.tensor]))
      memory_.fail(Status::EINC_OUT_OF_MEMORY,
                   "no memory for %" + kernel_.tensors[alloc.tensor].name);
  }

  void execute(const ir::Bound& bound) {
    int64_t least = evaluate(bound.of[0]);
    for (const affine::Expr& e : bound.of) least = std::min(least, evaluate(e));
    call_.scope.push(bound.name, least);
    ++bounds_;
    if (kernel_.level == ir::Level::Tensors) allocate(bound);
  }

  void execute(const ir::Read& read) {
    call_.scope.push(read.name, domain_.integer(evaluate(*ir::valueOf(kernel_, read), {})));
    ++bounds_;
  }

  // Locals that are so large; all other bounds of their sizes stand before this one.
  void allocate(const ir::Bound& bound) {
    for (unsigned t = 0; t < kernel_.tensors.size(); ++t)
      if (kernel_.tensors[t].role == ir::Role::Local && ir::lastBoundOf(kernel_, t) == &bound)
        execute(ir::Alloc{t});
  }

  void execute(const ir::View& view) { memory_.declare(view); }

  void execute(const ir::Offsets&) {}

  // Tensors begin at multiples of anything here.
  void execute(const ir::Lead& lead) {
    const std::vector<int64_t>& sizes = call_.sizes[lead.tensor];
    int64_t size = sizes[lead.dim], lanes = lead.bytes / memory_.elementBytes(lead.tensor);
    std::optional<int64_t> first =
        memory_.positionOf(lead.tensor, std::vector<int64_t>(sizes.size()));
    int64_t before = first ? (lanes - *first % lanes) % lanes : 0;
    call_.scope.push(lead.name, std::min(before, size));
    ++bounds_;
  }

  void execute(const ir::NonTemporal& region) { execute(region.body); }

  void execute(const ir::LibraryCall& call) { execute(call.body); }

  void execute(const ir::ExternalCall& call) { execute(call.body); }

  void execute(const ir::Dispatch& dispatch) {
    memory_.races().begin(dispatch);
    execute(dispatch.body);
    memory_.races().end();
  }

  void execute(const ir::Barrier& barrier) { memory_.races().barrier(barrier.buffers); }

  void execute(const ir::For& loop) {
    auto extent = evaluate(loop.extent);
    bool reduction = loop.kind == ir::IteratorKind::Reduction;
    reductions_ += reduction;
    call_.scope.push(loop.var, 0);
    for (int64_t i = 0; i < extent && memory_.outcome().ok(); ++i) {
      int64_t at = loop.on == ir::On::Order ? i : extent - 1 - i;
      call_.scope.recent(1) = at;
      memory_.races().enter(loop.on, at);
      execute(loop.body);
    }
    memory_.races().leave(loop.on);
    call_.scope.pop(1);
    reductions_ -= reduction;
  }

  // Tiles on threads, workgroups and invocations run backwards here, as any order must do.
  void execute(const ir::TileLoop& loop) {
    int64_t extent = evaluate(loop.extent), step = evaluate(loop.step);
    if (step <= 0 && extent > 0)
      memory_.fail(Status::EINC_OVERFLOW, "a tile of " + std::to_string(step));
    bool reduction = loop.kind == ir::IteratorKind::Reduction;
    reductions_ += reduction;
    call_.scope.push(loop.var, 0);
    call_.scope.push(loop.size, 0);
    int64_t count = memory_.outcome().ok() && extent > 0 ? (extent - 1) / step + 1 : 0;
    for (int64_t i = 0; i < count && memory_.outcome().ok(); ++i) {
      int64_t at = loop.grain || loop.on != ir::On::Order ? count - 1 - i : i;
      int64_t origin = at * step;
      memory_.races().enter(loop.on, at);
      call_.scope.recent(2) = origin;
      call_.scope.recent(1) = std::min(step, extent - origin);
      execute(loop.body);
    }
    memory_.races().leave(loop.on);
    call_.scope.pop(2);
    reductions_ -= reduction;
  }

  void execute(const ir::If& test) {
    bool all = true;
    for (const ir::Condition& condition : test.conditions) all = all && holds(condition);
    execute(all ? test.then : test.otherwise);
  }

  bool holds(const ir::Condition& c) {
    using Kind = ir::Condition::Kind;
    if (c.kind == Kind::Unit) return memory_.isEven(c.tensor, c.dim, 1);
    if (c.kind == Kind::Even) return memory_.isEven(c.tensor, c.dim, std::nullopt);
    if (c.kind == Kind::Aligned) return memory_.isAligned(c.tensor, c.dim, evaluate(c.left));
    int64_t left = evaluate(c.left), right = evaluate(c.right);
    return c.kind == Kind::Equal  ? left == right
           : c.kind == Kind::Less ? left < right
                                  : left <= right;
  }

  void execute(const ir::Outline& outline) { execute(outline.body); }

  void execute(const ir::Vector& region) {
    region_ = &region;
    for (const ir::Axis& axis : allAxes()) call_.scope.push(axis.name, 0);
    execute(region.body);
    call_.scope.pop(region.axes.size() + region.times.size());
    region_ = nullptr;
  }

  // Of the region around the statement.
  std::vector<ir::Axis> allAxes() const {
    std::vector<ir::Axis> axes;
    if (!region_) return axes;
    axes = region_->times;
    axes.insert(axes.end(), region_->axes.begin(), region_->axes.end());
    return axes;
  }

  void execute(const ir::Let& let) {
    variables_.push_back({let.name, let.axes, valuesOf(let.value, let.axes, {})});
  }

  void execute(const ir::Assign& assign) {
    std::vector<std::string> axes = variable(assign.name)->axes;
    std::vector<Scalar> values = valuesOf(assign.value, axes, {{}, {}, assign.name});
    variable(assign.name)->values = std::move(values);
  }

  // A value at every position of some axes, in their order.
  std::vector<Scalar> valuesOf(const ir::ValueRef& value, const std::vector<std::string>& axes,
                               const Target& target) {
    std::vector<Scalar> values;
    forEachPosition(axes, [&] { values.push_back(evaluate(*value, target)); });
    return values;
  }

  template <typename Visit>
  void forEachPosition(const std::vector<std::string>& axes, Visit&& visit, size_t next = 0) {
    if (next == axes.size()) {
      visit();
      return;
    }
    int64_t before = call_.scope.find(axes[next]).value_or(0);
    for (int64_t i = 0; i < sizeOfAxis(axes[next]); ++i) {
      call_.scope.assign(axes[next], i);
      forEachPosition(axes, visit, next + 1);
    }
    call_.scope.assign(axes[next], before);
  }

  int64_t sizeOfAxis(const std::string& name) const {
    if (!region_) return 1;
    for (const auto* axes : {&region_->times, &region_->axes})
      for (const ir::Axis& axis : *axes)
        if (axis.name == name) return axis.size;
    return 1;
  }

  void execute(const ir::Prefetch&) {}

  void execute(const ir::Transpose& transpose) {
    const std::vector<std::string> axes = variable(transpose.name)->axes;
    const std::vector<Scalar> before = variable(transpose.name)->values;
    size_t lanes = static_cast<size_t>(sizeOfAxis(axes.back())), step = 1;
    for (size_t a = axes.size(); a-- > 0 && axes[a] != transpose.axis;)
      step *= static_cast<size_t>(sizeOfAxis(axes[a]));
    for (size_t i = 0; i < before.size(); ++i) {
      size_t lane = i % lanes, along = i / step % lanes, rest = i - lane - along * step;
      variable(transpose.name)->values[rest + lane * step + along] = before[i];
    }
  }

  void execute(const ir::AssumeNumbers& assume) {
    metNan_ = false;
    execute(assume.body);
    if (metNan_) execute(assume.otherwise);
  }

  void execute(const ir::CheckNumbers& check) {
    for (const ir::ValueRef& value : check.values)
      for (const Scalar& scalar : valuesOf(value, axesOf(*value), {}))
        metNan_ |= domain_.isNan(scalar);
  }

  // Those of the region around it that a value may depend on.
  std::vector<std::string> axesOf(const ir::Value& value) {
    std::vector<std::string> axes;
    if (auto* variable_ = std::get_if<ir::Variable>(&value.node))
      return variable(variable_->name)->axes;
    for (const ir::Axis& axis : allAxes()) axes.push_back(axis.name);
    return axes;
  }

  void execute(const ir::Store& store) {
    std::vector<std::string> axes;
    for (const ir::Axis& axis : allAxes())
      for (const affine::Expr& index : store.index) {
        auto names = index.iterators();
        bool used = std::find(names.begin(), names.end(), axis.name) != names.end();
        if (used && (axes.empty() || axes.back() != axis.name)) axes.push_back(axis.name);
      }
    forEachPosition(axes, [&] {
      Scalar value = evaluate(*store.value, {{}, store.tensor, {}});
      if (!memory_.isInside(store.tensor, store.index)) {
        if (!store.clip) memory_.failOutside(store.tensor);
        return;
      }
      memory_.checkUnit(store.unit, store.tensor, store.index);
      memory_.put(value);
    });
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
      if (!memory_.outcome().ok()) return;
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
    if (op.copied) {
      const ir::Operand &from = op.inputs[op.copied->input], &to = op.copied->to;
      Scalar value = read(from.tensor, from.map, nullptr, false);
      if (!memory_.isInside(to.tensor, to.map)) return memory_.failOutside(to.tensor);
      memory_.put(value);
    }
    for (unsigned r = 0; r < results.size(); ++r) {
      if (!memory_.isInside(op.outputs[r].tensor, op.outputs[r].map))
        return memory_.failOutside(op.outputs[r].tensor);
      memory_.put(results[r]);
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
    return read(load.tensor, load.index, load.pad, load.tensor == target.tensor, load.unit);
  }

  Scalar evaluate(ir::ScalarType, const ir::Variable& ref, const Target& target) {
    Named* named = variable(ref.name);
    int64_t at = 0;
    for (const std::string& axis : named->axes)
      at = at * sizeOfAxis(axis) + call_.scope.find(axis).value_or(0);
    return use(named->values[static_cast<size_t>(at)], ref.name == target.variable);
  }

  Scalar evaluate(ir::ScalarType type, const ir::Reduce& reduce, const Target& target) {
    std::vector<Scalar> values = valuesOf(reduce.arg, {reduce.axis}, target);
    for (size_t i = 1; i < values.size(); ++i)
      values[0] = domain_.call(reduce.function, type, std::array<Scalar, 2>{values[0], values[i]});
    return values[0];
  }

  Scalar evaluate(ir::ScalarType, const ir::Shuffle& shuffle, const Target& target) {
    int64_t lane = call_.scope.find(shuffle.axis).value_or(0), count = sizeOfAxis(shuffle.axis);
    int64_t from = shuffle.lanes[static_cast<size_t>(lane)];
    call_.scope.assign(shuffle.axis, from % count);
    Scalar value = evaluate(*(from < count ? shuffle.a : shuffle.b), target);
    call_.scope.assign(shuffle.axis, lane);
    return value;
  }

  Scalar evaluate(ir::ScalarType, const ir::Instruct& instruct, const Target& target) {
    std::array<Scalar, 3> args;
    const auto side = static_cast<int64_t>(instruct.instruction->side);
    const int64_t lane = call_.scope.find(instruct.axis).value_or(0),
                  word = call_.scope.find(instruct.words).value_or(0);
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0 && !instruct.axis.empty())
        call_.scope.assign(instruct.words, i == 1 ? lane / side : lane % side);
      args[i] = evaluate(*instruct.args[i], target);
    }
    if (!instruct.axis.empty()) call_.scope.assign(instruct.words, word);
    return domain_.instruct(*instruct.instruction, args);
  }

  Scalar read(unsigned tensor, const std::vector<affine::Expr>& index, const ir::ValueRef& pad,
              bool isTarget, const std::string& unit = "") {
    using Place = typename Memory<Domain>::Place;
    const Place place = memory_.locate(tensor, index);
    if (place == Place::Inside) {
      memory_.checkUnit(unit, tensor, index);
      return use(memory_.load(tensor, index), isTarget);
    }
    if (place == Place::Padded) return memory_.padded(tensor, evaluate(memory_.padding(), {}));
    if (pad) return evaluate(*pad, {});
    memory_.failOutside(tensor);
    return {};
  }

  Scalar use(const Scalar& value, bool isTarget) {
    return isTarget && reductions_ > 0 ? domain_.accumulator(value) : domain_.operand(value);
  }

  int64_t evaluate(const affine::Expr& expr) { return memory_.evaluate(expr); }

  struct Named {
    std::string name;
    std::vector<std::string> axes;
    std::vector<Scalar> values;  // one for each position of the axes
  };
  Named* variable(const std::string& name) {
    size_t i = variables_.size() - 1;
    while (variables_[i].name != name) --i;  // the verifier knows that it is there
    return &variables_[i];
  }

  const ir::Kernel& kernel_;
  CheckedCall& call_;
  Domain& domain_;
  Memory<Domain> memory_;
  const ir::StructuredOp* op_ = nullptr;  // the one being executed
  int reductions_ = 0;                    // reduction iterators around the present statement
  std::vector<Named> variables_;          // of Lets; the innermost last
  size_t bounds_ = 0;                     // names of Bounds in scope
  const ir::Vector* region_ = nullptr;    // the one being executed
  bool metNan_ = false;                   // a check has, where numbers are assumed
};

}  // namespace einc::interp
