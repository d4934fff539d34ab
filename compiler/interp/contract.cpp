// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/contract.h"

#include <algorithm>

#include "compiler/affine/interval.h"
#include "compiler/facts/aliasing.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/uses.h"

namespace einc::interp {
namespace {

using affine::Atom;
using affine::Expr;
using affine::Interval;
using ir::Kernel;
using ir::Role;

constexpr const char* kTooLarge =
    " has more than 2^56 bytes, a size of 0 counted as 1, or spans more than 2^63";

std::string text(int64_t number) { return std::to_string(number); }

std::string dimensionText(const Kernel& kernel, unsigned tensor, unsigned dim) {
  return "%" + kernel.tensors[tensor].name + " dimension " + text(dim);
}

// Whether some divisor in the expression can be zero.
bool dividesByZero(const Expr& expr, const affine::IntervalLookup& lookup) {
  for (const affine::Term& term : expr.terms())
    for (const Atom& atom : term.factors) {
      if (!atom.div) continue;
      if (dividesByZero(atom.div->dividend, lookup) || dividesByZero(atom.div->divisor, lookup))
        return true;
      if (affine::intervalOf(atom.div->divisor, lookup).contains(0)) return true;
    }
  return false;
}

// Why an expression has no value, or no interval.
Outcome noValue(const Expr& expr, const affine::IntervalLookup& lookup) {
  if (dividesByZero(expr, lookup))
    return {Status::EINC_DIVISION_BY_ZERO, expr.str() + " divides by zero"};
  return {Status::EINC_OVERFLOW, expr.str() + " does not fit in 64 bits"};
}

class Checker {
 public:
  Checker(const Kernel& kernel, const Arguments& arguments, CheckedCall& call)
      : kernel_(kernel), arguments_(arguments), call_(call) {}

  Outcome check() {
    for (auto step : {&Checker::checkArguments, &Checker::checkStrides, &Checker::takeAttributes,
                      &Checker::checkAttributeUses, &Checker::bindSizes, &Checker::checkSizes,
                      &Checker::sizeLocals, &Checker::checkAccesses, &Checker::checkOverlaps})
      if (Outcome outcome = (this->*step)(); !outcome.ok()) return outcome;
    return {};
  }

 private:
  Outcome checkArguments();
  Outcome checkStrides();
  Outcome takeAttributes();
  Outcome checkAttributeUses();
  Outcome checkAttributeUse(const std::string& symbol);
  Outcome bindSizes();
  Outcome checkSizes();
  Outcome sizeLocals();
  Outcome checkAccesses();
  Outcome checkOp(const ir::StructuredOp& op);
  Outcome checkIndex(const Expr& index);
  Outcome checkOverlaps();
  Outcome checkOverlap(unsigned output, unsigned other);
  bool isTouched(unsigned tensor) const;

  const std::string& nameOf(unsigned tensor) const { return kernel_.tensors[tensor].name; }
  bool isLocal(unsigned tensor) const { return !ir::isArgument(kernel_.tensors[tensor].role); }
  Outcome noValueOf(const Expr& expr) const { return noValue(expr, lookup_); }

  const Kernel& kernel_;
  const Arguments& arguments_;
  CheckedCall& call_;
  std::vector<ir::SymbolBinding> bindings_;
  // Symbols stand for their values, iterators of the op under scrutiny for their ranges.
  std::vector<std::pair<std::string, Interval>> ranges_;
  affine::IntervalLookup lookup_ = [this](const Atom& atom) {
    for (const auto& [name, range] : ranges_)
      if (name == atom.name) return range;
    auto value = call_.scope.find(atom.name);
    return value ? Interval::point(*value) : Interval{};
  };
};

Outcome Checker::checkArguments() {
  auto isArgument = [](const ir::Tensor& tensor) { return ir::isArgument(tensor.role); };
  auto count = std::count_if(kernel_.tensors.begin(), kernel_.tensors.end(), isArgument);
  if (static_cast<size_t>(count) != arguments_.tensors.size())
    return {Status::EINC_NULL_DESCRIPTOR, kernel_.name + " takes " + text(count) +
                                              " tensors, but is given " +
                                              text(arguments_.tensors.size())};
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    if (isLocal(t)) continue;
    const ir::Tensor& tensor = kernel_.tensors[t];
    std::string name = "%" + tensor.name;
    const View& view = arguments_.tensors[t];
    if (view.type != tensor.type)
      return {Status::EINC_SIZE_MISMATCH,
              name + " has type " + std::string(info(tensor.type).name) + ", but is given " +
                  std::string(info(view.type).name)};
    if (view.rank() != tensor.shape.size())
      return {Status::EINC_SIZE_MISMATCH, name + " has " + text(tensor.shape.size()) +
                                              " dimensions, but is given " + text(view.rank())};
    for (unsigned d = 0; d < view.rank(); ++d)
      if (view.sizes[d] < 0)
        return {Status::EINC_NEGATIVE_SIZE,
                dimensionText(kernel_, t, d) + " is " + text(view.sizes[d])};
    if (isTooLarge(view) || !reachOf(view)) return {Status::EINC_OVERFLOW, name + kTooLarge};
    if (!staysInside(view)) return {Status::EINC_OUT_OF_RANGE, name + " leaves its storage"};
    call_.sizes.push_back(view.sizes);
  }
  return {};
}

Outcome Checker::checkStrides() {
  for (unsigned t = 0; kernel_.contiguous && t < arguments_.tensors.size(); ++t) {
    const View& view = arguments_.tensors[t];
    if (view.rank() > 0 && view.sizes.back() > 1 && view.strides.back() != 1)
      return {Status::EINC_BAD_STRIDE, dimensionText(kernel_, t, view.rank() - 1) + " has stride " +
                                           text(view.strides.back()) +
                                           ", and the kernel is for contiguous ones"};
  }
  return {};
}

// An index symbol or payload that names an element which the caller's list does not have.
Outcome Checker::checkAttributeUse(const std::string& symbol) {
  auto use = kernel_.attributeOf(symbol);
  if (!use) return {};
  const ir::Attribute& attribute = kernel_.attributes[use->attribute];
  auto count = static_cast<int64_t>(call_.attributes[use->attribute].size());
  if (use->element < count) return {};
  return {Status::EINC_BAD_ATTRIBUTE, "attribute " + attribute.name + " has " + text(count) +
                                          " elements, but " + symbol + " is used"};
}

// Calls visit(symbol) for each attribute element that a payload names.
template <typename Visit>
void forEachAttributeRef(const Kernel& kernel, const ir::ValueRef& value, Visit&& visit) {
  if (!value) return;
  ir::forEach(value, [&](const ir::Value& node) {
    if (auto* ref = std::get_if<ir::AttributeRef>(&node.node))
      visit(kernel.attributes[ref->attribute].symbolName(ref->element));
    if (auto* index = std::get_if<ir::IndexRef>(&node.node))
      for (const std::string& symbol : index->index.symbols()) visit(symbol);
  });
}

Outcome Checker::takeAttributes() {
  for (unsigned a = 0; a < kernel_.attributes.size(); ++a) {
    const ir::Attribute& attribute = kernel_.attributes[a];
    std::vector<ir::Number> values;
    if (a < arguments_.attributes.size()) values = arguments_.attributes[a];
    if (values.empty() && attribute.defaults) values = *attribute.defaults;
    bool absent = values.empty() && attribute.optional;
    if (!attribute.list && !absent &&
        static_cast<int64_t>(values.size()) != attribute.elementCount())
      return {Status::EINC_BAD_ATTRIBUTE, "attribute " + attribute.name + " has " +
                                              text(attribute.elementCount()) +
                                              " elements, but is given " + text(values.size())};
    for (size_t e = 0; e < values.size(); ++e) {
      int64_t value = signedValue(attribute.type, values[e]);
      if (!info(attribute.type).isInteger()) continue;
      if (value < 0 && !info(attribute.type).isSigned()) continue;  // no index can be so large
      call_.scope.push(attribute.symbolName(static_cast<int64_t>(e)), value);
    }
    call_.attributes.push_back(std::move(values));
  }
  return {};
}

Outcome Checker::checkAttributeUses() {
  Outcome result;
  auto use = [&](const std::string& symbol) {
    if (result.ok()) result = checkAttributeUse(symbol);
  };
  auto useAll = [&](const std::vector<Expr>& exprs) {
    for (const Expr& expr : exprs)
      for (const std::string& symbol : expr.symbols()) use(symbol);
  };
  for (const ir::Tensor& tensor : kernel_.tensors) useAll(tensor.shape);
  ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
    for (size_t o = 0; o < op.operandCount(); ++o) {
      useAll(op.operand(o).map);
      forEachAttributeRef(kernel_, op.operand(o).pad, use);
    }
    for (const ir::ValueRef& value : op.results) forEachAttributeRef(kernel_, value, use);
  });
  return result;
}

Outcome Checker::bindSizes() {
  bindings_ = ir::bindSymbols(kernel_);
  for (const ir::SymbolBinding& binding : bindings_) {
    int64_t size = call_.sizes[binding.tensor][binding.dim], scaled;
    auto offset = call_.scope.evaluate(binding.offset);
    if (!offset) return noValueOf(binding.offset);
    std::string where = dimensionText(kernel_, binding.tensor, binding.dim) + " is " + text(size);
    std::string shape = kernel_.tensors[binding.tensor].shape[binding.dim].str();
    if (__builtin_sub_overflow(size, *offset, &scaled))
      return {Status::EINC_OVERFLOW, shape + " does not fit in 64 bits"};
    if (affine::floorModulo(scaled, binding.scale) != 0)
      return {Status::EINC_SIZE_MISMATCH,
              where + ", but " + shape + " is that for no " + binding.symbol};
    auto value = affine::floorDivide(scaled, binding.scale);
    if (!value) return {Status::EINC_OVERFLOW, shape + " does not fit in 64 bits"};
    if (*value < 0)
      return {Status::EINC_NEGATIVE_SIZE,
              where + ", so " + binding.symbol + " would be " + text(*value)};
    call_.scope.push(binding.symbol, *value);
  }
  return {};
}

Outcome Checker::checkSizes() {
  for (const ir::SizeCondition& condition : ir::sizeConditions(kernel_, bindings_)) {
    const Expr& shape = kernel_.tensors[condition.tensor].shape[condition.dim];
    int64_t size = call_.sizes[condition.tensor][condition.dim];
    auto expected = call_.scope.evaluate(shape);
    if (!expected) return noValueOf(shape);
    if (size == *expected) continue;
    std::string message =
        dimensionText(kernel_, condition.tensor, condition.dim) + " is " + text(size) + ", but ";
    message +=
        shape.asConstant() ? "must be " + text(*expected) : shape.str() + " is " + text(*expected);
    for (const ir::SymbolBinding& binding : bindings_)
      if (shape.asSymbol() == binding.symbol)
        message += " (" + dimensionText(kernel_, binding.tensor, binding.dim) + ")";
    return {Status::EINC_SIZE_MISMATCH, message};
  }
  return {};
}

Outcome Checker::sizeLocals() {
  for (unsigned t = 0; t < kernel_.tensors.size(); ++t) {
    if (ir::isArgument(kernel_.tensors[t].role)) continue;
    // Sizes of views, and below the structured levels of locals, may depend on what is in scope where these begin.
    if (kernel_.level >= ir::Level::Tiled || kernel_.tensors[t].role == Role::View ||
        ir::lastBoundOf(kernel_, t)) {
      call_.sizes.emplace_back();
      continue;
    }
    View view{kernel_.tensors[t].type, nullptr, 0, 0, {}, {}};
    for (unsigned d = 0; d < kernel_.tensors[t].shape.size(); ++d) {
      auto size = call_.scope.evaluate(kernel_.tensors[t].shape[d]);
      if (!size) return noValueOf(kernel_.tensors[t].shape[d]);
      if (*size < 0)
        return {Status::EINC_NEGATIVE_SIZE,
                dimensionText(kernel_, t, d) + " would be " + text(*size)};
      view.sizes.push_back(*size);
    }
    view.strides = rowMajorStrides(view.sizes);
    if (isTooLarge(view)) return {Status::EINC_OVERFLOW, "%" + nameOf(t) + kTooLarge};
    call_.sizes.push_back(view.sizes);
  }
  return {};
}

Outcome Checker::checkAccesses() {
  // Ops inside loops come from passes, which keep accesses inside; the run checks each of them.
  if (kernel_.level >= ir::Level::Tiled || kernel_.contract) return {};
  for (const ir::Stmt& stmt : kernel_.body)
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
      if (Outcome outcome = checkOp(*op); !outcome.ok()) return outcome;
  return {};
}

Outcome Checker::checkIndex(const Expr& index) {
  Interval range = affine::intervalOf(index, lookup_);
  // A quotient that is multiplied by 0 has no value either.
  bool hasValue = range.low && range.high && !dividesByZero(index, lookup_);
  return hasValue ? Outcome{} : noValueOf(index);
}

Outcome Checker::checkOp(const ir::StructuredOp& op) {
  std::vector<int64_t> extents = extentsOf(kernel_, op, call_.sizes);
  bool addsNothing = false;  // results are written even so
  ranges_.clear();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0 && op.iterators[i].kind == ir::IteratorKind::Parallel) return {};
    addsNothing |= extents[i] == 0;
    ranges_.emplace_back(op.iterators[i].name, Interval{0, extents[i] - 1});
  }

  std::vector<ir::AccessCondition> conditions = ir::accessConditions(kernel_, op);
  Outcome outcome;
  for (unsigned o = 0; o < op.operandCount(); ++o) {
    const ir::Operand& operand = op.operand(o);
    if (operand.shapeOnly || (addsNothing && o < op.inputs.size())) continue;
    for (unsigned d = 0; d < operand.map.size(); ++d) {
      if (outcome = checkIndex(operand.map[d]); !outcome.ok()) return outcome;
      bool conditional =
          std::any_of(conditions.begin(), conditions.end(),
                      [&](const ir::AccessCondition& c) { return c.operand == o && c.dim == d; });
      Interval range = affine::intervalOf(operand.map[d], lookup_);
      int64_t size = call_.sizes[operand.tensor][d];
      if (!conditional || (*range.low >= 0 && *range.high < size)) continue;
      range = affine::exactIntervalOf(operand.map[d], lookup_);
      if (*range.low >= 0 && *range.high < size) continue;
      return {Status::EINC_OUT_OF_RANGE, dimensionText(kernel_, operand.tensor, d) + " is " +
                                             text(size) + ", but index " + operand.map[d].str() +
                                             " reaches " +
                                             text(*range.high >= size ? *range.high : *range.low)};
    }
  }
  if (addsNothing) return outcome;
  std::vector<ir::ValueRef> payload = op.results;
  for (const ir::Operand& input : op.inputs)
    if (input.pad) payload.push_back(input.pad);
  for (const ir::ValueRef& value : payload)
    ir::forEach(value, [&](const ir::Value& node) {
      auto* index = std::get_if<ir::IndexRef>(&node.node);
      if (index && outcome.ok()) outcome = checkIndex(index->index);
    });
  ranges_.clear();
  return outcome;
}

Outcome Checker::checkOverlaps() {
  if (kernel_.contract) return {};
  for (bool self : {true, false})
    for (unsigned t = 0; t < arguments_.tensors.size(); ++t) {
      if (kernel_.tensors[t].role != Role::Output) continue;
      if (self && overlapsItself(arguments_.tensors[t]))
        return {Status::EINC_SELF_OVERLAP, "elements of %" + nameOf(t) + " share memory"};
      for (unsigned other = 0; other < arguments_.tensors.size() && !self; ++other)
        if (Outcome outcome = checkOverlap(t, other); !outcome.ok()) return outcome;
    }
  return {};
}

// Tensors that only lend their sizes have no data.
bool Checker::isTouched(unsigned tensor) const {
  bool touched = kernel_.level == ir::Level::Hardware;
  ir::forEachOp(kernel_.body, [&](const ir::StructuredOp& op) {
    for (size_t o = 0; o < op.operandCount(); ++o)
      touched |= op.operand(o).tensor == tensor && !op.operand(o).shapeOnly;
  });
  return touched;
}

Outcome Checker::checkOverlap(unsigned output, unsigned other) {
  const View &a = arguments_.tensors[output], &b = arguments_.tensors[other];
  bool isInput = kernel_.tensors[other].role == Role::Input;
  if ((!isInput && other <= output) || !isTouched(other)) return {};
  if (sameView(a, b) && facts::mayShareMemory(kernel_, output, other)) return {};
  if (!overlap(a, b)) return {};
  return {Status::EINC_ALIASED, "output %" + nameOf(output) + " shares memory with " +
                                    (isInput ? "input %" : "output %") + nameOf(other)};
}

}  // namespace

std::string_view statusName(Status status) {
  switch (status) {
#define EINC_STATUS(name, value, sentence) \
  case Status::EINC_##name:                \
    return "EINC_" #name;
#include "runtime/status.def"
#undef EINC_STATUS
  }
  return "";
}

void Scope::assign(const std::string& name, int64_t value) {
  for (auto it = names_.rbegin(); it != names_.rend(); ++it)
    if (it->first == name) {
      it->second = value;
      return;
    }
}

std::optional<int64_t> Scope::find(const std::string& name) const {
  for (size_t i = names_.size(); i-- > 0;)
    if (names_[i].first == name) return names_[i].second;
  return std::nullopt;
}

Outcome checkCall(const Kernel& kernel, const Arguments& arguments, CheckedCall& call) {
  if (kernel.contract) {
    CheckedCall promised;
    if (Outcome outcome = Checker(*kernel.contract, arguments, promised).check(); !outcome.ok())
      return outcome;
  }
  return Checker(kernel, arguments, call).check();
}

std::vector<int64_t> extentsOf(const Kernel& kernel, const ir::StructuredOp& op,
                               const std::vector<std::vector<int64_t>>& sizes) {
  std::vector<int64_t> extents;
  for (const ir::Iterator& iterator : op.iterators) {
    ir::ExtentSource source = ir::extentOf(kernel, op, iterator.name).value();
    extents.push_back(sizes[op.operand(source.operand).tensor][source.dim]);
  }
  return extents;
}

}  // namespace einc::interp
