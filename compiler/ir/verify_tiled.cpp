// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/verifier.h"

namespace einc::ir {

void Verifier::checkTiled(const Stmt& stmt) {
  if (auto* fused = std::get_if<Fused>(&stmt.node)) {
    for (const Stmt& inner : fused->ops)
      if (!std::holds_alternative<StructuredOp>(inner.node))
        report(Rule::Fused, "a fused region holds what is no structured op");
    checkBlock(fused->ops);
  }
  if (auto* bound = std::get_if<Bound>(&stmt.node)) {
    if (bound->of.empty()) report(Rule::Bound, "'" + bound->name + "' is the least of nothing");
    for (const affine::Expr& e : bound->of) {
      checkIndex(e);
      checkFree(e);
      if (isOfElements(e)) ofElements_.insert(bound->name);
    }
    enterSize(bound->name);
  }
  if (auto* element = std::get_if<Read>(&stmt.node)) checkRead(*element);
  if (auto* view = std::get_if<View>(&stmt.node)) checkView(*view);
  if (auto* offsets = std::get_if<Offsets>(&stmt.node)) checkOffsets(*offsets);
  if (auto* lead = std::get_if<Lead>(&stmt.node)) {
    checkLine(lead->tensor, lead->dim, lead->bytes);
    enterSize(lead->name);
  }
  if (auto* region = std::get_if<NonTemporal>(&stmt.node)) checkNonTemporal(*region);
  if (auto* loop = std::get_if<TileLoop>(&stmt.node)) checkTile(*loop);
  if (auto* test = std::get_if<If>(&stmt.node)) checkIf(*test);
  if (auto* outline = std::get_if<Outline>(&stmt.node)) checkOutline(*outline);
  if (auto* region = std::get_if<Vector>(&stmt.node)) checkRegion(*region);
  if (auto* assume = std::get_if<AssumeNumbers>(&stmt.node)) checkAssumeNumbers(*assume);
  if (auto* call = std::get_if<LibraryCall>(&stmt.node)) checkLibrary(*call);
  if (auto* call = std::get_if<ExternalCall>(&stmt.node)) checkExternal(*call);
  if (auto* check = std::get_if<CheckNumbers>(&stmt.node)) checkCheckNumbers(*check);
  if (auto* dispatch = std::get_if<Dispatch>(&stmt.node)) checkDispatch(*dispatch);
  if (std::holds_alternative<Barrier>(stmt.node)) checkBarrier();
}

void Verifier::checkRead(const Read& element) {
  checkIndex(element.plus);
  checkFree(element.plus);
  for (const affine::Expr& index : element.index) checkFree(index);
  if (checkElement(element.tensor, element.index)) {
    read(element.tensor);
    const std::string name = tensorName(element.tensor);
    const Tensor& root = kernel_.tensors[rootOf(element.tensor)];
    if (!info(kernel_.tensors[element.tensor].type).isInteger() || root.role != Role::Input)
      report(Rule::Read,
             name + " is no input of integers, and an element of it is '" + element.name + "'");
    if (paddedViews_.count(element.tensor) != 0 ||
        kernel_.tensors[element.tensor].type != root.type)
      report(Rule::Read, "an element of " + name + " is not one of an input");
  }
  if (dispatch_) report(Rule::Read, "'" + element.name + "' is read in a dispatch");
  enterSize(element.name);
  ofElements_.insert(element.name);
}

unsigned Verifier::rootOf(unsigned tensor) const {
  for (auto base = bases_.find(tensor); base != bases_.end(); base = bases_.find(tensor))
    tensor = base->second;
  return tensor;
}

void Verifier::checkView(const View& view) {
  if (view.view >= kernel_.tensors.size() || view.base >= kernel_.tensors.size()) {
    report(Rule::TensorId, "a view of no tensor");
    return;
  }
  const Tensor& tensor = kernel_.tensors[view.view];
  std::string name = tensorName(view.view);
  if (tensor.role != Role::View) report(Rule::View, name + " is no view");
  if (view.dims.size() != tensor.shape.size())
    report(Rule::View, name + " has " + std::to_string(tensor.shape.size()) +
                           " dimensions, but names for " + std::to_string(view.dims.size()));
  checkShape(tensor);
  for (const affine::Expr& size : tensor.shape) checkFree(size);
  use(view.base);
  size_t outer = iterators_.mark();
  for (const std::string& dim : view.dims) iterators_.insert(dim);
  if (kernel_.tensors[view.base].shape.size() != view.map.size())
    report(Rule::View, name + " has not one index for each dimension of " + tensorName(view.base));
  for (const affine::Expr& index : view.map) checkIndex(index);
  checkRegisters(view.base, view.map);
  iterators_.forget(outer);
  if (view.pad) {
    checkValue(view.pad, Place::Pad);
    if (view.pad->type != tensor.type) report(Rule::Pad, name + " is padded with another type");
  }
  const ScalarType base = kernel_.tensors[view.base].type;
  const bool isBits = tensor.type != base, isWords = info(tensor.type).bits != info(base).bits;
  // Those of f16 and bf16 are in C what is in memory.
  const bool areBits =
      tensor.type == ScalarType::U16 && (base == ScalarType::F16 || base == ScalarType::BF16);
  const bool isOfBits = info(base).isInteger() || info(base).bits == 16;
  const bool areWords =
      info(tensor.type).isInteger() && isOfBits && wordsOf(kernel_, view).has_value();
  if (isBits && (view.pad || !(isWords ? areWords : areBits)))
    report(Rule::View, name + " is of another type than " + tensorName(view.base));
  if (isBits) paddedViews_.insert(view.view);  // it is only read, too
  if (rootOf(view.base) == view.view) return report(Rule::View, name + " is part of itself");
  bases_[view.view] = view.base;
  inScope_.insert(view.view);
  if (view.pad || paddedViews_.count(view.base)) paddedViews_.insert(view.view);
}

void Verifier::checkOffsets(const Offsets& offsets) {
  size_t count = kernel_.tensors.size();
  if (offsets.view >= count || offsets.table >= count || offsets.quotients.value_or(0) >= count) {
    report(Rule::TensorId, "offsets of no tensor");
    return;
  }
  const Tensor &view = kernel_.tensors[offsets.view], &table = kernel_.tensors[offsets.table];
  bool good = view.role == Role::View && offsets.dim < view.shape.size() &&
              table.role == Role::Local && table.type == ScalarType::I64 && table.shape.size() == 1;
  if (!good) report(Rule::Offsets, tensorName(offsets.table) + " is no table for a view");
  use(offsets.view);
  write(offsets.table);
  if (!offsets.quotients) return;
  const Tensor& rows = kernel_.tensors[*offsets.quotients];
  good = good && rows.role == Role::Local && rows.type == ScalarType::I64 &&
         rows.shape.size() == 2 && rows.shape[0].asConstant().value_or(0) > 0 &&
         rows.shape[1] == table.shape[0] && quotientTables_.insert(*offsets.quotients).second;
  if (!good) report(Rule::Offsets, tensorName(*offsets.quotients) + " is no table of quotients");
  write(*offsets.quotients);
}

// What is said about the addresses of lines along a dimension.
void Verifier::checkLine(unsigned tensor, unsigned dim, int64_t bytes) {
  if (tensor >= kernel_.tensors.size()) return report(Rule::TensorId, "a line of no tensor");
  use(tensor);
  const Tensor& t = kernel_.tensors[tensor];
  bool known = dim < t.shape.size() && bytes > 0 && (bytes & (bytes - 1)) == 0 &&
               bytes % static_cast<int64_t>(info(t.type).bytes()) == 0;
  if (!known)
    report(Rule::Line, tensorName(tensor) + " has no lines along " + std::to_string(dim) +
                           ", or no elements at each multiple of " + std::to_string(bytes));
}

void Verifier::checkNonTemporal(const NonTemporal& region) {
  if (region.tensor >= kernel_.tensors.size()) {
    report(Rule::TensorId, "a non-temporal region of no tensor");
  } else {
    use(region.tensor);
    if (kernel_.tensors[rootOf(region.tensor)].role != Role::Output)
      report(Rule::NonTemporal,
             tensorName(region.tensor) + " is no output, and is stored non-temporally");
  }
  if (region_) report(Rule::NonTemporal, "a non-temporal region is inside a vector region");
  checkBlock(region.body);
}

// What a tile reads that none before it has written.
void Verifier::checkCarried() {
  std::set<unsigned> reads = std::move(fromBefore_.back());
  fromBefore_.pop_back();
  for (unsigned tensor : reads) read(tensor);
}

void Verifier::checkTile(const TileLoop& loop) {
  checkIndex(loop.extent);
  checkIndex(loop.step);
  checkFree(loop.extent);
  checkFree(loop.step);
  if (loop.step.asConstant().value_or(1) < 1 && loop.extent.asConstant() != 0)
    report(Rule::Tile, "a tile of '" + loop.var + "' has " + loop.step.str() + " positions");
  if (loop.grain && loop.kind != IteratorKind::Parallel)
    report(Rule::Tile, "reduction '" + loop.var + "' is on threads");
  if (loop.grain) {
    for (const affine::Expr& part : {loop.grain->least, loop.grain->inside}) {
      checkIndex(part);
      checkFree(part);
    }
    if (loop.grain->least.asConstant().value_or(1) < 1)
      report(Rule::Tile,
             "a thread takes from " + loop.grain->least.str() + " tiles of '" + loop.var + "'");
  }
  size_t outer = iterators_.mark(), sizes = sizes_.mark();
  if (loops_ == 0) sizesOutsideLoops_ = sizes_;
  enterIterator(loop.var);
  enterSize(loop.size);
  ++loops_;
  std::set<std::string> before;
  if (loop.grain) {
    before = outerVariables_;
    for (const auto& [name, type] : variables_) outerVariables_.insert(name);
  }
  threads_ += loop.grain.has_value();
  bool reduction = loop.kind == IteratorKind::Reduction;
  if (reduction) fromBefore_.emplace_back();
  enterPlace(loop.on, loop.kind, loop.var, loop.extent.ceilDiv(loop.step));
  checkBlock(loop.body);
  leavePlace(loop.on);
  if (reduction) checkCarried();
  threads_ -= loop.grain.has_value();
  if (loop.grain) outerVariables_ = std::move(before);
  --loops_;
  iterators_.forget(outer);
  sizes_.forget(sizes);
}

void Verifier::checkIf(const If& test) {
  if (test.conditions.empty()) report(Rule::Condition, "a condition is missing");
  for (const Condition& c : test.conditions) {
    if (c.kind == Condition::Kind::Aligned) {
      checkLine(c.tensor, c.dim, c.left.asConstant().value_or(0));
    } else if (!c.isOfMemory()) {
      checkIndex(c.left);
      checkIndex(c.right);
      checkFree(c.left);
      checkFree(c.right);
    } else if (c.tensor >= kernel_.tensors.size() ||
               c.dim >= kernel_.tensors[c.tensor].shape.size()) {
      report(Rule::Condition, "a condition is about a dimension that does not exist");
    } else {
      use(c.tensor);
    }
  }
  checkBlock(test.then);
  checkBlock(test.otherwise);
}

void Verifier::checkOutline(const Outline& outline) {
  checkIdentifier(outline.name);
  if (!outlines_.insert(outline.name).second)
    report(Rule::Outline, "there are two functions '" + outline.name + "'");
  if (region_) report(Rule::Outline, "function '" + outline.name + "' is inside a vector region");
  std::set<std::string> before = outerVariables_;
  for (const auto& [name, type] : variables_) outerVariables_.insert(name);
  checkBlock(outline.body);
  outerVariables_ = std::move(before);
}

void Verifier::checkPositions(Rule rule, const std::vector<Axis>& axes) {
  constexpr int64_t kMost = 8192;
  int64_t positions = 1;
  for (const Axis& axis : axes)
    if (__builtin_mul_overflow(positions, axis.size, &positions) || positions > kMost)
      return report(rule, "axes have more than " + std::to_string(kMost) + " positions together");
}

void Verifier::checkRegion(const Vector& region) {
  if (region_) report(Rule::Axes, "a vector region stands in another");
  checkPositions(Rule::Axes, region.axes);
  checkPositions(Rule::Axes, region.times);
  size_t outer = iterators_.mark();
  for (const Axis& axis : region.axes) {
    enterIterator(axis.name);
    bool power = axis.size >= 2 && (axis.size & (axis.size - 1)) == 0;
    if (axis.size < 1 || (kernel_.level == Level::Hardware && !power))
      report(Rule::Axes,
             "axis '" + axis.name + "' has " + std::to_string(axis.size) + " positions");
  }
  for (const Axis& axis : region.times) {
    enterIterator(axis.name);
    if (axis.size < 1 || kernel_.level != Level::Hardware)
      report(Rule::Axes, "registers are repeated along '" + axis.name + "' " +
                             std::to_string(axis.size) + " times");
  }
  region_ = &region;
  checkBlock(region.body);
  region_ = nullptr;
  iterators_.forget(outer);
}

void Verifier::checkTranspose(const Transpose& transpose) {
  auto found = variableAxes_.find(transpose.name);
  if (!region_ || found == variableAxes_.end()) {
    report(Rule::Axes, "no vector '" + transpose.name + "' is there to be transposed");
    return;
  }
  const std::vector<std::string>& axes = found->second;
  bool has = std::find(axes.begin(), axes.end(), transpose.axis) != axes.end();
  if (!has || axes.back() == transpose.axis ||
      sizeOfAxis(transpose.axis) != sizeOfAxis(axes.back()))
    report(Rule::Axes, "'" + transpose.name + "' has no axis '" + transpose.axis +
                           "' with as many positions as lanes");
}

void Verifier::checkAssumeNumbers(const AssumeNumbers& assume) {
  if (!region_ || assumesNumbers_)
    report(Rule::AssumeNumbers, "numbers are assumed outside a vector region");
  std::set<std::string> once, again;
  auto collect = [&](const Block& block, std::set<std::string>& names) {
    forEachStatement(block, [&](const Stmt& stmt) {
      if (auto* assign = std::get_if<Assign>(&stmt.node)) names.insert(assign->name);
      if (std::holds_alternative<Store>(stmt.node))
        report(Rule::AssumeNumbers, "a store while numbers are assumed");
    });
  };
  collect(assume.body, once);
  collect(assume.otherwise, again);
  for (const std::string& name : once)
    if (again.count(name) == 0)
      report(Rule::AssumeNumbers, "variable '" + name + "' is assigned, but not anew");
  assumesNumbers_ = true;
  checkBlock(assume.body);
  assumesNumbers_ = false;
  checkBlock(assume.otherwise);
}

void Verifier::checkCheckNumbers(const CheckNumbers& check) {
  if (!assumesNumbers_) report(Rule::AssumeNumbers, "numbers are checked where none are assumed");
  for (const ValueRef& value : check.values) {
    checkValue(value, Place::Statement);
    if (value && !info(value->type).isFloat())
      report(Rule::AssumeNumbers, "a check of " + std::string(info(value->type).name));
    if (value && lanesAmong(axesOf(value)) > 1)
      report(Rule::Axes, "a value has several axes at the hardware level");
  }
}

void Verifier::checkCopied(const StructuredOp& op) {
  if (!op.copied || !checkElement(op.copied->to.tensor, op.copied->to.map)) return;
  unsigned to = op.copied->to.tensor;
  if (op.copied->input >= op.inputs.size()) {
    report(Rule::Copied, "an input that there is not is copied");
    return;
  }
  const Operand& from = op.inputs[op.copied->input];
  if (from.tensor >= kernel_.tensors.size()) return;
  if (level() != Level::Tiled || from.pad || from.shapeOnly ||
      !operandsRead_.count(op.copied->input) ||
      kernel_.tensors[to].type != kernel_.tensors[from.tensor].type ||
      kernel_.tensors[rootOf(to)].role != Role::Local ||
      iteratorsOf(from) != iteratorsOf(op.copied->to))
    report(Rule::Copied, tensorName(from.tensor) + " cannot be copied to " + tensorName(to));
  write(to);
}

void Verifier::checkOpAxes(const StructuredOp& op) {
  for (const auto& [asked, what] : {std::pair(&op.ahead, "read ahead"), {&op.own, "ask ahead"}}) {
    if (!*asked) continue;
    bool known = std::any_of(op.iterators.begin(), op.iterators.end(),
                             [&](const Iterator& i) { return i.name == (*asked)->iterator; });
    if (!known || (*asked)->distance < 1)
      report(Rule::OpAxes,
             "'" + (*asked)->iterator + "' is no iterator to " + std::string(what) + " along");
  }
  for (const std::string& name : op.unrolled)
    if (op.axes.empty() || !std::count(op.iterators.begin(), op.iterators.end(),
                                       Iterator{name, IteratorKind::Reduction}))
      report(Rule::OpAxes, "'" + name + "' is no reduction whose rounds are code of their own");
  if (op.early && (op.axes.empty() || !reduces(op)))
    report(Rule::OpAxes, "no sum begins after its outputs are asked for");
  if (!op.axes.empty() && level() != Level::Tiled)
    report(Rule::OpAxes, "an op has axes at this level");
  checkPositions(Rule::OpAxes, op.axes);
  std::set<std::string> names;
  for (const Axis& axis : op.axes) {
    if (!names.insert(axis.name).second)
      report(Rule::OpAxes, "axis '" + axis.name + "' stands twice");
    bool known = std::any_of(op.iterators.begin(), op.iterators.end(),
                             [&](const Iterator& i) { return i.name == axis.name; });
    if (!known || axis.size < 1)
      report(Rule::OpAxes, "axis '" + axis.name + "' of " + std::to_string(axis.size) +
                               " positions is no iterator of the op");
  }
}

// ---- Axes ---------------------------------------------------------------------------------------

int64_t Verifier::sizeOfAxis(const std::string& name) const {
  if (!region_) return 0;
  for (const auto* list : {&region_->axes, &region_->times})
    for (const Axis& axis : *list)
      if (axis.name == name) return axis.size;
  return 0;
}

size_t Verifier::lanesAmong(const std::set<std::string>& axes) const {
  return static_cast<size_t>(
      std::count_if(region_->axes.begin(), region_->axes.end(),
                    [&](const Axis& axis) { return axes.count(axis.name) != 0; }));
}

std::set<std::string> Verifier::axesOf(const ValueRef& value) const {
  std::set<std::string> axes;
  if (!value || !region_) return axes;
  auto indices = [&](const std::vector<affine::Expr>& exprs) {
    for (const affine::Expr& e : exprs)
      for (const std::string& name : e.iterators())
        if (sizeOfAxis(name) > 0) axes.insert(name);
  };
  auto join = [&](const ValueRef& arg) {
    std::set<std::string> inner = axesOf(arg);
    axes.insert(inner.begin(), inner.end());
  };
  if (auto* load = std::get_if<Load>(&value->node)) indices(load->index);
  if (auto* index = std::get_if<IndexRef>(&value->node)) indices({index->index});
  if (auto* variable = std::get_if<Variable>(&value->node))
    if (auto found = variableAxes_.find(variable->name); found != variableAxes_.end())
      axes.insert(found->second.begin(), found->second.end());
  if (auto* call = std::get_if<Call>(&value->node))
    for (const ValueRef& arg : call->args) join(arg);
  if (auto* cast = std::get_if<Cast>(&value->node)) join(cast->arg);
  if (auto* shuffle = std::get_if<Shuffle>(&value->node)) {
    join(shuffle->a);
    join(shuffle->b);
    axes.insert(shuffle->axis);
  }
  if (auto* reduce = std::get_if<Reduce>(&value->node)) {
    join(reduce->arg);
    axes.erase(reduce->axis);
  }
  if (auto* instruct = std::get_if<Instruct>(&value->node)) {
    for (const ValueRef& arg : instruct->args) join(arg);
    if (!instruct->axis.empty()) {
      axes.erase(instruct->words);
      axes.insert(instruct->axis);
    }
  }
  return axes;
}

void Verifier::checkCovered(const ValueRef& value, const std::vector<std::string>& axes,
                            const std::string& what) {
  std::set<std::string> used = axesOf(value);
  for (const std::string& axis : used)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      report(Rule::AxisUse, what + " lacks the axis '" + axis + "' of its value");
  if (kernel_.level == Level::Hardware && region_ && lanesAmong(used) > 1)
    report(Rule::Axes, "a value has several axes at the hardware level");
}

void Verifier::checkFree(const affine::Expr& expr) {
  for (const std::string& name : expr.iterators())
    if (sizeOfAxis(name) > 0)
      report(Rule::AxisUse, "'" + expr.str() + "' depends on the axis '" + name + "'");
}

void Verifier::checkUnit(const std::string& unit, const std::vector<affine::Expr>& index) {
  if (unit.empty()) return;
  bool used = false;
  for (const affine::Expr& e : index)
    for (const std::string& name : e.iterators()) used |= name == unit;
  if (!used || sizeOfAxis(unit) == 0)
    report(Rule::AxisUse, "'" + unit + "' is no axis of this element");
}

void Verifier::checkReduce(const Reduce& reduce) {
  switch (reduce.function) {
    case Function::Add:
    case Function::Mul:
    case Function::Max:
    case Function::Min:
    case Function::And:
    case Function::Or:
    case Function::Xor:
      break;
    default:
      report(Rule::Across, "'" + std::string(info(reduce.function).name) + "' is not associative");
  }
  if (sizeOfAxis(reduce.axis) == 0)
    report(Rule::Across, "no axis '" + reduce.axis + "' is around a reduction");
}

void Verifier::checkShuffle(const Shuffle& shuffle) {
  auto size = static_cast<size_t>(sizeOfAxis(shuffle.axis));
  bool good = size != 0 && shuffle.lanes.size() == size &&
              std::all_of(shuffle.lanes.begin(), shuffle.lanes.end(),
                          [&](unsigned lane) { return lane < 2 * size; });
  if (!good) report(Rule::Across, "a shuffle along '" + shuffle.axis + "' has not its lanes");
}

}  // namespace einc::ir
