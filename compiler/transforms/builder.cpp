// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/builder.h"

#include <algorithm>
#include <iterator>

#include "compiler/ir/shape.h"

namespace einc::transforms {
namespace {

void takeNames(const ir::Block& block, ir::UniqueNames& names) {
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
      for (const ir::Iterator& iterator : op->iterators) names.take(iterator.name);
    if (auto* loop = std::get_if<ir::For>(&stmt.node)) names.take(loop->var);
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
      names.take(loop->var);
      names.take(loop->size);
    }
    if (auto* region = std::get_if<ir::Vector>(&stmt.node))
      for (const std::vector<ir::Axis>* axes : {&region->axes, &region->times})
        for (const ir::Axis& axis : *axes) names.take(axis.name);
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) names.take(bound->name);
    if (auto* read = std::get_if<ir::Read>(&stmt.node)) names.take(read->name);
    if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) names.take(lead->name);
    if (auto* let = std::get_if<ir::Let>(&stmt.node)) names.take(let->name);
    if (auto* outline = std::get_if<ir::Outline>(&stmt.node)) names.take(outline->name);
  });
}

}  // namespace

void dropInput(const ir::Kernel& kernel, ir::StructuredOp& op, size_t input) {
  ir::StructuredOp without = op;
  without.inputs.erase(without.inputs.begin() + static_cast<std::ptrdiff_t>(input));
  for (const ir::Iterator& iterator : op.iterators)
    if (!ir::extentOf(kernel, without, iterator.name)) return;
  for (ir::ValueRef& result : without.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* reference = std::get_if<ir::OperandRef>(&value->node);
      if (!reference || reference->operand < input) return nullptr;
      return ir::makeValue(value->type, ir::OperandRef{reference->operand - 1});
    });
  op = std::move(without);
}

bool Builder::hasExtent(const ir::StructuredOp& op, const std::string& iterator) const {
  return ir::extentOf(kernel_, op, iterator).has_value();
}

affine::Expr constant(int64_t value) { return affine::Expr::constant(value); }
affine::Expr size(const std::string& symbol) { return affine::Expr::symbol(symbol); }
affine::Expr at(const std::string& iterator) { return affine::Expr::iterator(iterator); }

Builder::Builder(ir::Kernel& kernel) : kernel_(kernel), names_(kernel) {
  takeNames(kernel.body, names_);
}

unsigned Builder::tensor(const std::string& wanted, ir::ScalarType type,
                         std::vector<affine::Expr> shape, ir::Role role) {
  std::string name = wanted;
  for (unsigned i = 1; kernel_.findTensor(name); ++i) name = wanted + std::to_string(i);
  kernel_.tensors.push_back({name, type, std::move(shape), role});
  return static_cast<unsigned>(kernel_.tensors.size() - 1);
}

affine::Expr Builder::extent(const ir::StructuredOp& op, const std::string& iterator) const {
  return ir::extentOf(kernel_, op, iterator)->extent;
}

affine::Expr Builder::positions(const ir::StructuredOp& op,
                                const std::vector<std::string>& iterators) const {
  affine::Expr result = constant(1);
  for (const std::string& i : iterators) result = result * extent(op, i);
  return result;
}

void Builder::viewOver(ir::StructuredOp& op, size_t operand,
                       const std::vector<std::string>& iterators, const std::string& wanted,
                       ir::Block& block) {
  std::vector<affine::Expr> sizes, plain;
  for (const std::string& iterator : iterators) {
    sizes.push_back(extent(op, iterator));
    plain.push_back(at(iterator));
  }
  ir::Operand& target = op.operand(operand);
  unsigned view =
      tensor(wanted, kernel_.tensors[target.tensor].type, std::move(sizes), ir::Role::View);
  block.push_back({ir::View{view, target.tensor, iterators, target.map, target.pad}});
  target = {view, std::move(plain), nullptr, target.shapeOnly, target.source};
}

std::vector<std::string> iteratorsOf(const ir::Operand& operand) {
  std::vector<std::string> result;
  for (const affine::Expr& index : operand.map)
    for (std::string& iterator : index.iterators())
      if (std::find(result.begin(), result.end(), iterator) == result.end())
        result.push_back(std::move(iterator));
  return result;
}

unsigned dimOf(const ir::Operand& operand, const std::string& iterator) {
  for (unsigned d = 0; d < operand.map.size(); ++d)
    if (operand.map[d].asIterator() == iterator) return d;
  return 0;
}

ir::Block only(ir::Stmt stmt) {
  ir::Block block;
  block.push_back(std::move(stmt));
  return block;
}

void append(ir::Block& to, ir::Block from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

namespace {

// Whether the iterators of a plain operand run over all of it.
bool isWhole(Builder& builder, const ir::StructuredOp& op, const ir::Operand& operand) {
  const std::vector<affine::Expr>& sizes = builder.kernel().tensors[operand.tensor].shape;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != builder.extent(op, *operand.map[d].asIterator())) return false;
  return true;
}

}  // namespace

void canonicalize(Builder& builder, ir::StructuredOp& op, ir::Block& block) {
  // Extents follow from the operands as they are, so the views are made before any takes its place.
  ir::StructuredOp before = op;
  // What gives its shape alone is to go: then every other operand has to give the same extents.
  bool shapes = std::any_of(op.inputs.begin(), op.inputs.end(),
                            [](const ir::Operand& input) { return input.shapeOnly; });
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const ir::Operand& operand = op.operand(i);
    bool mayStay = !shapes || operand.shapeOnly;
    if (ir::isPlain(operand) && (mayStay || isWhole(builder, before, operand))) continue;
    ir::StructuredOp single = before;
    const std::string& name = builder.kernel().tensors[op.operand(i).tensor].name;
    builder.viewOver(single, i, iteratorsOf(op.operand(i)), name + "_at", block);
    op.operand(i) = single.operand(i);
  }
  // An operand that gave only its shape has done so if every iterator has an extent without it.
  for (size_t i = op.inputs.size(); i-- > 0;)
    if (op.inputs[i].shapeOnly) dropInput(builder.kernel(), op, i);
}

}  // namespace einc::transforms
