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
//   Scalar word(ScalarType, ScalarType memory, std::span<const Scalar> elements);
//   Scalar instruct(const Instruction&, const std::array<Scalar, 3>&);
//   bool allocate(unsigned tensor, const std::vector<int64_t>& sizes);  // of a local; false: no
//                                                                       // memory
//   Scalar load(unsigned tensor, std::span<const int64_t> index);       // index is inside
//   void store(unsigned tensor, std::span<const int64_t> index, const Scalar&);
//   int64_t position(unsigned tensor, std::span<const int64_t> index);  // in memory, in elements
//   bool isNan(const Scalar&);          // a float
//   Scalar operand(const Scalar&);      // a loaded value, or a variable, in a payload
//   Scalar accumulator(const Scalar&);  // the same when it is the old value of what a reduction
//                                       // is about to update
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compiler/interp/contract.h"
#include "compiler/interp/races.h"
#include "compiler/ir/instruction.h"

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
    size_t outer = variables_.size(), bounds = bounds_;
    for (const ir::Stmt& stmt : block) {
      if (!outcome_.ok()) break;
      std::visit([&](const auto& node) { execute(node); }, stmt.node);
    }
    variables_.erase(variables_.begin() + static_cast<std::ptrdiff_t>(outer), variables_.end());
    call_.scope.pop(bounds_ - bounds);
    bounds_ = bounds;
  }

  void execute(const ir::Fused& fused) { execute(fused.ops); }

  void execute(const ir::Alloc& alloc) {
    if (kernel_.level >= ir::Level::Tiled) size(alloc.tensor);
    races_.forget(alloc.tensor, alloc.space);
    if (!domain_.allocate(alloc.tensor, call_.sizes[alloc.tensor]))
      fail(Status::EINC_OUT_OF_MEMORY, "no memory for %" + kernel_.tensors[alloc.tensor].name);
  }

  void execute(const ir::Bound& bound) {
    int64_t least = evaluate(bound.of[0]);
    for (const affine::Expr& e : bound.of) least = std::min(least, evaluate(e));
    call_.scope.push(bound.name, least);
    ++bounds_;
  }

  void execute(const ir::View& view) {
    size(view.view);
    views_[view.view] = &view;
  }

  // Evaluates the shape of what is declared here.
  void size(unsigned tensor) {
    call_.sizes[tensor].clear();
    for (const affine::Expr& e : kernel_.tensors[tensor].shape)
      call_.sizes[tensor].push_back(std::max<int64_t>(evaluate(e), 0));
  }

  void execute(const ir::Offsets&) {}

  // Tensors begin at multiples of anything here.
  void execute(const ir::Lead& lead) {
    const std::vector<int64_t>& sizes = call_.sizes[lead.tensor];
    int64_t size = sizes[lead.dim], lanes = lead.bytes / elementBytes(lead.tensor);
    std::optional<int64_t> first = positionOf(lead.tensor, std::vector<int64_t>(sizes.size()));
    int64_t before = first ? (lanes - *first % lanes) % lanes : 0;
    call_.scope.push(lead.name, std::min(before, size));
    ++bounds_;
  }

  void execute(const ir::NonTemporal& region) { execute(region.body); }

  void execute(const ir::LibraryCall& call) { execute(call.body); }

  void execute(const ir::ExternalCall& call) { execute(call.body); }

  void execute(const ir::Dispatch& dispatch) {
    races_.begin(dispatch);
    execute(dispatch.body);
    races_.end();
  }

  void execute(const ir::Barrier& barrier) { races_.barrier(barrier.buffers); }

  void execute(const ir::For& loop) {
    auto extent = evaluate(loop.extent);
    bool reduction = loop.kind == ir::IteratorKind::Reduction;
    reductions_ += reduction;
    call_.scope.push(loop.var, 0);
    for (int64_t i = 0; i < extent && outcome_.ok(); ++i) {
      int64_t at = loop.on == ir::On::Order ? i : extent - 1 - i;
      call_.scope.recent(1) = at;
      races_.enter(loop.on, at);
      execute(loop.body);
    }
    races_.leave(loop.on);
    call_.scope.pop(1);
    reductions_ -= reduction;
  }

  // Tiles on threads, workgroups and invocations run backwards here, as any order must do.
  void execute(const ir::TileLoop& loop) {
    int64_t extent = evaluate(loop.extent), step = evaluate(loop.step);
    if (step <= 0 && extent > 0) fail(Status::EINC_OVERFLOW, "a tile of " + std::to_string(step));
    bool reduction = loop.kind == ir::IteratorKind::Reduction;
    reductions_ += reduction;
    call_.scope.push(loop.var, 0);
    call_.scope.push(loop.size, 0);
    int64_t count = outcome_.ok() && extent > 0 ? (extent - 1) / step + 1 : 0;
    for (int64_t i = 0; i < count && outcome_.ok(); ++i) {
      int64_t at = loop.grain || loop.on != ir::On::Order ? count - 1 - i : i;
      int64_t origin = at * step;
      races_.enter(loop.on, at);
      call_.scope.recent(2) = origin;
      call_.scope.recent(1) = std::min(step, extent - origin);
      execute(loop.body);
    }
    races_.leave(loop.on);
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
    if (c.kind == Kind::Unit) return isEven(c.tensor, c.dim, 1);
    if (c.kind == Kind::Even) return isEven(c.tensor, c.dim, std::nullopt);
    if (c.kind == Kind::Aligned) return isAligned(c.tensor, c.dim, evaluate(c.left));
    int64_t left = evaluate(c.left), right = evaluate(c.right);
    return c.kind == Kind::Equal  ? left == right
           : c.kind == Kind::Less ? left < right
                                  : left <= right;
  }

  // So far apart, or just as far as the first ones. Looks at every pair of neighbours, with the other dimensions at 0; a
  // long dimension is not looked at, and said to be not.
  bool isEven(unsigned tensor, unsigned dim, std::optional<int64_t> distance) {
    const std::vector<int64_t> sizes = call_.sizes[tensor];
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
    if (sizes[dim] > 4096) return false;
    std::vector<int64_t> index(sizes.size());
    std::optional<int64_t> before;
    for (; index[dim] < sizes[dim]; ++index[dim]) {
      position_ = index;
      if (locate(tensor) != Place::Inside) return false;
      int64_t now = domain_.position(located_, position_);
      if (before && !distance) distance = now - *before;
      if (before && now != *before + *distance) return false;
      before = now;
    }
    return true;
  }

  int64_t elementBytes(unsigned tensor) const {
    return static_cast<int64_t>(ir::info(kernel_.tensors[tensor].type).bytes());
  }

  // Of an element in memory; nothing if it has none there.
  std::optional<int64_t> positionOf(unsigned tensor, std::vector<int64_t> index) {
    position_ = std::move(index);
    if (!isInside(tensor) || locate(tensor) != Place::Inside) return std::nullopt;
    return domain_.position(located_, position_);
  }

  // Looks at the first two lines along each other dimension: addresses are linear in positions.
  bool isAligned(unsigned tensor, unsigned dim, int64_t bytes) {
    const std::vector<int64_t> sizes = call_.sizes[tensor];
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::vector<int64_t> index(sizes.size());
      index[d] = d != dim && sizes[d] > 1;
      std::optional<int64_t> position = positionOf(tensor, std::move(index));
      if (!position || *position * elementBytes(tensor) % bytes != 0) return false;
    }
    return true;
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
      if (!locate(store.tensor, store.index)) {
        if (!store.clip) failOutside(store.tensor);
        return;
      }
      checkUnit(store.unit, store.tensor, store.index);
      put(value);
    });
  }

  // `unit` must be true: the position of a lane is that of lane 0 plus its number.
  void checkUnit(const std::string& axis, unsigned tensor, const std::vector<affine::Expr>& index) {
    int64_t lane = axis.empty() ? 0 : call_.scope.find(axis).value_or(0);
    if (lane == 0) return;
    std::vector<int64_t> position = position_;
    unsigned located = located_;
    int64_t here = domain_.position(located_, position_);
    call_.scope.assign(axis, 0);
    bool inside = locate(tensor, index);
    call_.scope.assign(axis, lane);
    const int64_t words = static_cast<int64_t>(ir::info(kernel_.tensors[tensor].type).bytes() /
                                               ir::info(kernel_.tensors[located_].type).bytes());
    if (inside && domain_.position(located_, position_) + lane * words != here)
      fail(Status::EINC_OUT_OF_RANGE,
           "%" + kernel_.tensors[tensor].name + " is not unit along " + axis);
    position_ = std::move(position);
    located_ = located;
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
    if (op.copied) {
      const ir::Operand &from = op.inputs[op.copied->input], &to = op.copied->to;
      Scalar value = read(from.tensor, from.map, nullptr, false);
      if (!locate(to.tensor, to.map)) return failOutside(to.tensor);
      put(value);
    }
    for (unsigned r = 0; r < results.size(); ++r) {
      if (!locate(op.outputs[r].tensor, op.outputs[r].map))
        return failOutside(op.outputs[r].tensor);
      put(results[r]);
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
    Place place = locateIn(tensor, index);
    if (place == Place::Inside) checkUnit(unit, tensor, index);
    if (place == Place::Inside) {
      noteAccess(false);
      Scalar value = domain_.load(located_, position_);
      const ir::ScalarType type = kernel_.tensors[tensor].type,
                           memory = kernel_.tensors[located_].type;
      if (type != memory) value = wordOf(tensor, index, type, memory);
      return use(value, isTarget);
    }
    if (place == Place::Padded) return padded(kernel_.tensors[tensor].type);
    if (pad) return evaluate(*pad, {});
    failOutside(tensor);
    return {};
  }

  Scalar padded(ir::ScalarType type) {
    const Scalar value = evaluate(*padding_, {});
    const ir::ScalarType own = padding_->type;
    if (type == own) return value;
    return domain_.word(type, own,
                        std::vector<Scalar>(ir::info(type).bytes() / ir::info(own).bytes(), value));
  }

  // Several elements of memory, the first in the lowest bits.
  Scalar wordOf(unsigned tensor, const std::vector<affine::Expr>& index, ir::ScalarType type,
                ir::ScalarType memory) {
    const unsigned bytes = ir::info(memory).bytes(), count = ir::info(type).bytes() / bytes;
    std::vector<Scalar> parts;
    for (part_ = 0; part_ < static_cast<int64_t>(count); ++part_)
      if (locateIn(tensor, index) == Place::Inside)
        parts.push_back(domain_.load(located_, position_));
    part_ = 0;
    if (parts.size() < count) {
      failOutside(tensor);
      return {};
    }
    return domain_.word(type, memory, parts);
  }

  void put(const Scalar& value) {
    noteAccess(true);
    domain_.store(located_, position_, value);
  }

  void noteAccess(bool writes) {
    if (races_.isOn() && !races_.access(located_, domain_.position(located_, position_), writes))
      fail(Status::EINC_OUT_OF_RANGE,
           "two invocations get in each other's way in %" + kernel_.tensors[located_].name);
  }

  Scalar use(const Scalar& value, bool isTarget) {
    return isTarget && reductions_ > 0 ? domain_.accumulator(value) : domain_.operand(value);
  }

  int64_t evaluate(const affine::Expr& expr) {
    auto value = call_.scope.evaluate(expr);
    if (!value) fail(Status::EINC_OVERFLOW, expr.str() + " has no value");
    return value.value_or(0);
  }

  // Where an element is: in memory, at `position_` of tensor `located_`; outside the tensor; or
  // in a view, where its base has none, and reads as `padding_`.
  enum class Place { Inside, Outside, Padded };

  bool locate(unsigned tensor, const std::vector<affine::Expr>& index) {
    return locateIn(tensor, index) == Place::Inside;
  }
  Place locateIn(unsigned tensor, const std::vector<affine::Expr>& index) {
    std::vector<int64_t> position(index.size());
    for (size_t d = 0; d < index.size(); ++d) position[d] = evaluate(index[d]);
    position_ = std::move(position);
    return locate(tensor);
  }
  Place locate(unsigned tensor) {
    if (!isInside(tensor)) return Place::Outside;
    while (kernel_.tensors[tensor].role == ir::Role::View) {
      const ir::View& view = *views_.at(tensor);
      for (size_t d = 0; d < view.dims.size(); ++d) call_.scope.push(view.dims[d], position_[d]);
      position_.resize(view.map.size());
      std::vector<int64_t> inner;
      for (const affine::Expr& e : view.map) inner.push_back(evaluate(e));
      call_.scope.pop(view.dims.size());
      if (auto words = ir::wordsOf(kernel_, view)) inner[words->along] += part_;
      position_ = std::move(inner);
      tensor = view.base;
      if (isInside(tensor)) continue;
      padding_ = view.pad.get();
      if (!padding_) failOutside(tensor);
      return padding_ ? Place::Padded : Place::Outside;
    }
    located_ = tensor;
    return Place::Inside;
  }
  bool isInside(unsigned tensor) const {
    const std::vector<int64_t>& sizes = call_.sizes[tensor];
    for (size_t d = 0; d < sizes.size(); ++d)
      if (position_[d] < 0 || position_[d] >= sizes[d]) return false;
    return true;
  }

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
  std::vector<Named> variables_;          // of Lets; the innermost last
  size_t bounds_ = 0;                     // names of Bounds in scope
  std::map<unsigned, const ir::View*> views_;
  const ir::Vector* region_ = nullptr;  // the one being executed
  int64_t part_ = 0;                    // of a word that is read
  bool metNan_ = false;                 // a check has, where numbers are assumed
  std::vector<int64_t> position_;
  unsigned located_ = 0;
  const ir::Value* padding_ = nullptr;
  Races races_;
  Outcome outcome_;
};

}  // namespace einc::interp
