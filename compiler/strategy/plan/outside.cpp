// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/outside.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/shape.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

std::optional<Expr> ownExtent(const ir::Kernel& kernel, const ir::StructuredOp& op,
                              const std::string& iterator) {
  const bool isOwn = std::any_of(op.iterators.begin(), op.iterators.end(),
                                 [&](const ir::Iterator& i) { return i.name == iterator; });
  auto source = isOwn ? ir::extentOf(kernel, op, iterator) : std::nullopt;
  return source ? std::optional(source->extent) : std::nullopt;
}

bool isNear(const Expr& e) {
  double most = 0;
  for (const affine::Term& term : e.terms()) {
    double product = std::abs(static_cast<double>(term.coefficient));
    for (const affine::Atom& factor : term.factors) {
      if (factor.div) return false;
      product *= static_cast<double>(kFar);
    }
    most += product;
  }
  return !e.overflowed() && most < 0x1p60;
}

}  // namespace

std::vector<Outside> findOutside(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::vector<Outside> result;
  for (const ir::Operand& input : op.inputs)
    for (size_t d = 0; d < input.map.size() && input.pad; ++d) {
      const Expr& size = kernel.tensors[input.tensor].shape[d];
      auto name = input.map[d].asIterator();
      if (!name || ownExtent(kernel, op, *name) != size) result.push_back({input.map[d], size});
    }
  return result;
}

void shiftOperands(ir::StructuredOp& op, size_t from, int64_t by) {
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference || reference->operand < from) return nullptr;
      auto operand = static_cast<unsigned>(static_cast<int64_t>(reference->operand) + by);
      return ir::makeValue(value->type, ir::OperandRef{operand});
    });
}

std::vector<size_t> addTwins(const ir::Kernel& kernel, ir::StructuredOp& op) {
  std::vector<size_t> padded;
  const size_t count = op.inputs.size();
  // Twins say nothing of extents: where an iterator leaves a tensor, an output says what it has.
  const bool leaves = llvm::any_of(findOutside(kernel, op), [](const Outside& one) {
    return one.index.asIterator().has_value();
  });
  for (const ir::Operand& output : op.outputs) {
    const bool isSaid = llvm::any_of(op.inputs, [&](const ir::Operand& input) {
      return input.shapeOnly && input.tensor == output.tensor && input.map == output.map;
    });
    if (leaves && !isSaid)
      op.inputs.push_back({output.tensor, output.map, nullptr, /*shapeOnly=*/true});
  }
  const size_t own = op.inputs.size();
  for (size_t i = 0, read = 0; i < own; ++i) {
    if (op.inputs[i].shapeOnly) continue;
    if (op.inputs[i].pad) {
      padded.push_back(read);
      ir::Operand plain = op.inputs[i];
      plain.pad = nullptr;
      op.inputs.push_back(std::move(plain));
    }
    ++read;
  }
  shiftOperands(op, count, static_cast<int64_t>(op.inputs.size() - count));
  return padded;
}

std::optional<std::string> runBackwards(const std::vector<Outside>& all) {
  for (const Outside& one : all) {
    auto linear = one.index.asLinear();
    if (!linear) return "an index that may be outside is not linear";
    for (const auto& part : linear->parts)
      if (part.coefficient.asConstant().value_or(1) < 1)
        return "an index that may be outside runs backwards";
  }
  return std::nullopt;
}

std::vector<Expr> stepsOf(const std::vector<Outside>& all) {
  std::vector<Expr> result;
  for (const Outside& one : all) {
    auto linear = one.index.asLinear();
    for (const auto& part : linear->parts)
      if (!part.coefficient.asConstant()) result.push_back(part.coefficient);
  }
  return result;
}

Ends endsOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const Expr& index,
            const std::string& along) {
  auto linear = index.asLinear();
  Ends ends{Expr(), linear->rest, linear->rest};
  for (const auto& part : linear->parts) {
    if (part.iterator == along) {
      ends.step = part.coefficient;
      continue;
    }
    auto extent = ownExtent(kernel, op, part.iterator);
    const Expr around = extent ? Expr() : part.coefficient * Expr::iterator(part.iterator);
    ends.first = ends.first + around;
    ends.last = ends.last + (extent ? part.coefficient * (*extent - Expr::constant(1)) : around);
  }
  return ends;
}

Borders::Borders(const ir::Kernel& kernel, const ir::StructuredOp& op,
                 const std::vector<Outside>& all, const std::string& along)
    : extent_(ownExtent(kernel, op, along).value_or(Expr())) {
  for (const Outside& one : all) {
    Ends ends = endsOf(kernel, op, one.index, along);
    if (ends.step.isZero()) continue;
    ends_.push_back(std::move(ends));
    sizes_.push_back(one.size);
  }
}

bool Borders::areNear() const {
  bool near = true;
  for (size_t i = 0; i < ends_.size(); ++i)
    near &= isNear(ends_[i].step) && isNear(ends_[i].first) && isNear(ends_[i].last) &&
            isNear(sizes_[i]);
  return near;
}

std::vector<std::string> Borders::symbols() const {
  std::set<std::string> symbols;
  for (size_t i = 0; i < ends_.size(); ++i)
    for (const Expr& e : {ends_[i].step, ends_[i].first, ends_[i].last, sizes_[i]})
      for (const std::string& name : e.symbols()) symbols.insert(name);
  return {symbols.begin(), symbols.end()};
}

Interior Borders::interior(const Least& least) const {
  const Expr one = Expr::constant(1);
  std::vector<Expr> before = {Expr()}, end = {extent_};
  for (size_t i = 0; i < ends_.size(); ++i) {
    before.push_back(ends_[i].first.floorDiv(ends_[i].step));
    end.push_back((sizes_[i] - one - ends_[i].last).floorDiv(ends_[i].step) + one);
  }
  const Expr low = least("low", {extent_, -least("before", before)});
  const Expr high = least("high", end);
  return {low, -least("without", {Expr(), low - high})};
}

}  // namespace einc::strategy
