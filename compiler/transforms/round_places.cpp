// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/round_places.h"

#include <optional>

namespace einc::transforms {

using affine::Expr;
using ir::StructuredOp;
using ir::ValueRef;

std::vector<Expr> RoundPlaces::tileShape(unsigned tensor) {
  const Places places = placesOf(tensor);
  std::vector<Expr> shape;
  for (size_t d = 0; d < places.size(); ++d)
    if (places[d] == kNone)
      shape.push_back(kernel().tensors[tensor].shape[d]);
    else if (!isSingle(places[d]))
      shape.push_back(constant(loop(places[d]).tile));
  return shape;
}

void RoundPlaces::keep(unsigned tensor, const std::string& name) {
  const ir::ScalarType type = kernel().tensors[tensor].type;
  kept_[tensor] = builder_.tensor(name, type, tileShape(tensor), ir::Role::Local);
}

unsigned RoundPlaces::placeOf(unsigned tensor) const {
  auto kept = kept_.find(tensor);
  return kept == kept_.end() ? tensor : kept->second;
}

unsigned RoundPlaces::partOf(unsigned tensor, const Places& places) {
  if (auto row = rows_.find(tensor); isInPart_ && row != rows_.end()) return row->second;
  const bool isKept = kept_.count(tensor) != 0;
  const unsigned memory = placeOf(tensor);
  auto [known, isNew] = parts_.emplace(std::pair(tensor, places), memory);
  if (!isNew) return known->second;
  ir::View view{0, memory, {}, {}, nullptr};
  std::vector<Expr> shape;
  bool isPart = false, isInRound = false;
  for (size_t d = 0; d < places.size(); ++d) {
    const std::string dim = "d" + std::to_string(d);
    const size_t number = places[d];
    isInRound |= number == along();
    if (number != kNone && isSingle(number)) {
      isPart |= !isKept;
      if (!isKept) view.map.push_back(origin(number));
      continue;
    }
    view.dims.push_back(dim);
    if (number == kNone) {
      shape.push_back(kernel().tensors[tensor].shape[d]);
      view.map.push_back(at(dim));
      continue;
    }
    shape.push_back(positions(number));
    isPart |= !isKept || shape.back() != constant(loop(number).tile);
    view.map.push_back(isKept ? at(dim) : origin(number) + at(dim));
  }
  if (!isPart) return memory;
  const ir::Tensor base = kernel().tensors[memory];
  view.view = builder_.tensor(base.name + "_here", base.type, std::move(shape), ir::Role::View);
  (isInRound ? viewsInRound_ : views_).push_back({view});
  return known->second = view.view;
}

ir::Operand RoundPlaces::partOf(size_t op, const ir::Operand& operand) {
  const Places places = placesOf(op, operand);
  ir::Operand result = operand;
  result.tensor = partOf(operand.tensor, places);
  result.map.clear();
  for (size_t d = 0; d < places.size(); ++d)
    if (places[d] == kNone || !isSingle(places[d])) result.map.push_back(operand.map[d]);
  return result;
}

ValueRef RoundPlaces::shifted(size_t op, const ValueRef& value) const {
  return ir::rewrite(value, [&](const ValueRef& node) -> ValueRef {
    auto* index = std::get_if<ir::IndexRef>(&node->node);
    if (!index) return nullptr;
    const Expr moved =
        index->index.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
          if (atom.kind != affine::Atom::Kind::Iterator) return std::nullopt;
          const size_t number = loopOf(op, at(atom.name));
          if (number == kNone) return std::nullopt;
          return isSingle(number) ? origin(number) : origin(number) + at(atom.name);
        });
    return ir::makeValue(node->type, ir::IndexRef{moved});
  });
}

StructuredOp RoundPlaces::here(StructuredOp op, size_t number) {
  for (size_t i = 0; i < op.operandCount(); ++i) op.operand(i) = partOf(number, op.operand(i));
  for (ValueRef& result : op.results) result = shifted(number, result);
  std::erase_if(op.iterators, [&](const ir::Iterator& iterator) {
    const size_t found = loopOf(number, at(iterator.name));
    return found != kNone && isSingle(found);
  });
  return op;
}

RoundPlaces::Whole RoundPlaces::wholeOf(unsigned tensor) {
  Whole whole;
  const Places places = placesOf(tensor);
  whole.operand = {partOf(tensor, places), {}, nullptr};
  for (const StructuredOp& op : rounds_.ops)
    if (op.outputs[0].tensor == tensor) whole.source = op.source;
  for (size_t d = 0; d < places.size(); ++d) {
    if (places[d] != kNone && isSingle(places[d])) continue;
    const std::string name = "d" + std::to_string(d);
    whole.iterators.push_back({name, ir::IteratorKind::Parallel});
    whole.operand.map.push_back(at(name));
    if (places[d] != kNone) whole.at[places[d]] = at(name);
  }
  return whole;
}

ir::Operand RoundPlaces::boundAt(unsigned bound, unsigned tensor, const Whole& whole) {
  ir::Operand operand{tensor, {}, nullptr};
  for (size_t number : placesOf(bound))
    if (!isSingle(number)) operand.map.push_back(whole.at.at(number));
  return operand;
}

unsigned RoundPlaces::likeBound(unsigned bound, const std::string& name) {
  const ir::Tensor tensor = kernel().tensors[bound];
  std::vector<Expr> shape;
  for (size_t number : placesOf(bound))
    if (!isSingle(number)) shape.push_back(constant(loop(number).tile));
  return builder_.tensor(name, tensor.type, std::move(shape), ir::Role::Local);
}

unsigned RoundPlaces::hereLike(unsigned bound, unsigned memory) {
  ir::View view{0, memory, {}, {}, nullptr};
  std::vector<Expr> shape;
  for (size_t number : placesOf(bound)) {
    if (isSingle(number)) continue;
    view.dims.push_back("d" + std::to_string(view.dims.size()));
    view.map.push_back(at(view.dims.back()));
    shape.push_back(positions(number));
  }
  const ir::Tensor base = kernel().tensors[memory];
  if (shape == base.shape) return memory;
  view.view = builder_.tensor(base.name + "_here", base.type, std::move(shape), ir::Role::View);
  (part_ ? viewsInPart_ : views_).push_back({view});
  return view.view;
}

ValueRef RoundPlaces::operandOf(ir::ScalarType type, unsigned number) {
  return ir::makeValue(type, ir::OperandRef{number});
}

StructuredOp RoundPlaces::mapOf(const Whole& whole, std::vector<ir::Operand> inputs,
                                const ir::Operand& output, ValueRef value) {
  return {whole.iterators, std::move(inputs), {output}, {std::move(value)}, whole.source};
}

}  // namespace einc::transforms
