// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/conversion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;
using transforms::only;
using transforms::size;
using Kind = ir::Condition::Kind;

bool isInput(const ir::Value& value, size_t input) {
  auto* reference = std::get_if<ir::OperandRef>(&value.node);
  return reference && reference->operand == input;
}

// Whether a value has nothing but these inputs in it, and which of them.
struct Of {
  std::set<size_t> inputs;
  bool other = false;
};
Of usesOf(const ir::ValueRef& value, const std::vector<size_t>& inputs) {
  Of result;
  ir::forEach(value, [&](const ir::Value& node) {
    if (auto* reference = std::get_if<ir::OperandRef>(&node.node)) {
      if (llvm::is_contained(inputs, size_t{reference->operand}))
        result.inputs.insert(reference->operand);
      else
        result.other = true;
    }
    auto* index = std::get_if<ir::IndexRef>(&node.node);
    result.other |= index && index->index.hasIterators();
  });
  return result;
}

// The largest parts of a value that are of these inputs alone.
void partsOf(const ir::ValueRef& value, const std::vector<size_t>& inputs,
             std::vector<ir::ValueRef>& parts) {
  const Of uses = usesOf(value, inputs);
  if (uses.inputs.empty()) return;
  if (!uses.other) {
    parts.push_back(value);
  } else if (auto* call = std::get_if<ir::Call>(&value->node)) {
    for (const ir::ValueRef& arg : call->args) partsOf(arg, inputs, parts);
  } else if (auto* cast = std::get_if<ir::Cast>(&value->node)) {
    partsOf(cast->arg, inputs, parts);
  }
}

}  // namespace

ir::ValueRef computedOf(const ir::StructuredOp& op, const std::vector<size_t>& inputs) {
  std::vector<ir::ValueRef> parts;
  for (const ir::ValueRef& result : op.results) partsOf(result, inputs, parts);
  if (parts.empty() || parts[0]->type == ir::ScalarType::Bool) return nullptr;
  if (usesOf(parts[0], inputs).inputs.size() != inputs.size()) return nullptr;
  // Casts alone are cheap, and say how many bits there are.
  const ir::Value* value = parts[0].get();
  while (auto* cast = std::get_if<ir::Cast>(&value->node)) value = cast->arg.get();
  if (isInput(*value, inputs[0])) return nullptr;
  for (const ir::ValueRef& part : parts)
    if (!ir::equal(part, parts[0])) return nullptr;
  return parts[0];
}

ir::ValueRef computedOf(const ir::StructuredOp& op, size_t input) {
  return computedOf(op, std::vector{input});
}

void onComputed(ir::StructuredOp& op, const std::vector<size_t>& inputs) {
  const ir::ValueRef computed = computedOf(op, inputs);
  if (!computed) return;
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      return ir::equal(value, computed)
                 ? ir::makeValue(computed->type, ir::OperandRef{static_cast<unsigned>(inputs[0])})
                 : nullptr;
    });
}

void onComputed(ir::StructuredOp& op, size_t input) { onComputed(op, std::vector{input}); }

ir::ScalarType castType(const ir::Kernel& kernel, const ir::StructuredOp& op, size_t input) {
  std::optional<ir::ScalarType> type;
  bool same = true;
  size_t uses = 0, casts = 0;
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      if (isInput(value, input)) ++uses;
      auto* cast = std::get_if<ir::Cast>(&value.node);
      if (!cast || !isInput(*cast->arg, input)) return;
      ++casts;
      same = same && type.value_or(value.type) == value.type;
      type = value.type;
    });
  return type && same && uses == casts ? *type : kernel.tensors[op.inputs[input].tensor].type;
}

void onCastType(ir::StructuredOp& op, size_t input, ir::ScalarType type) {
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      if (isInput(*value, input)) return ir::makeValue(type, std::get<ir::OperandRef>(value->node));
      auto* cast = std::get_if<ir::Cast>(&value->node);
      bool done = cast && isInput(*cast->arg, input) && cast->arg->type == value->type;
      return done ? cast->arg : nullptr;
    });
}

bool isConverted(const ir::Kernel& kernel, const ir::StructuredOp& op, size_t input) {
  ir::ScalarType own = kernel.tensors[op.inputs[input].tensor].type;
  return own == ir::ScalarType::Bool ||
         (!ir::info(own).isFloat() && castType(kernel, op, input) != own);
}

ir::Block copyOf(transforms::Builder& builder, const ir::Operand& from, unsigned to,
                 const std::vector<Expr>& starts, int64_t lanes, int64_t vectors) {
  const ir::Tensor target = builder.kernel().tensors[to];
  const ir::ScalarType type = builder.kernel().tensors[from.tensor].type;
  ir::StructuredOp copy;
  ir::Operand source{from.tensor, {}, from.pad}, plain{to, {}, nullptr};
  for (const Expr& start : starts) {
    std::string x = builder.name("x");
    copy.iterators.push_back({x, ir::IteratorKind::Parallel});
    source.map.push_back(start + at(x));
    plain.map.push_back(at(x));
  }
  copy.inputs = {std::move(source)};
  copy.outputs = {std::move(plain)};
  copy.results = {ir::makeCast(target.type, ir::makeValue(type, ir::OperandRef{0}))};
  ir::Block block;
  transforms::canonicalize(builder, copy, block);
  const std::string last = copy.iterators.back().name;
  int64_t width = vectors * lanes;
  if (auto extent = target.shape.back().asConstant())
    width = std::min(width, std::max<int64_t>((*extent + lanes - 1) / lanes, 1) * lanes);
  ir::Stmt rows =
      transforms::tile(builder, copy, {last, constant(width)}, [&](const transforms::Tile& tile) {
        ir::StructuredOp whole = tile.op;
        whole.axes = {{last, width}};
        ir::If full{
            {{Kind::Equal, size(tile.size), constant(width)}}, only({whole}), only({whole})};
        return only({std::move(full)});
      });
  unsigned view = copy.inputs[0].tensor;
  auto dim = static_cast<unsigned>(starts.size() - 1);
  block.push_back({ir::If{{{Kind::Unit, {}, {}, view, dim}}, only(std::move(rows)), only({copy})}});
  return block;
}

}  // namespace einc::strategy
