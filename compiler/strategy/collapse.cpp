// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/collapse.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "compiler/ir/shape.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;
using transforms::at;

namespace {

constexpr const char* kPlace = ".place";  // no iterator has such a name

// What an i64 is, if it is computed of positions and sizes alone.
std::optional<Expr> indexOf(const ir::ValueRef& value) {
  if (auto* index = std::get_if<ir::IndexRef>(&value->node)) return index->index;
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || value->type != ir::ScalarType::I64 || call->args.size() != 2) return std::nullopt;
  const auto a = indexOf(call->args[0]), b = indexOf(call->args[1]);
  if (!a || !b) return std::nullopt;
  if (call->function == ir::Function::Add) return *a + *b;
  if (call->function == ir::Function::Mul) return *a * *b;
  return std::nullopt;
}

// The largest parts of a value for which that holds.
void collect(const ir::ValueRef& value, const std::function<bool(const ir::ValueRef&)>& holds,
             std::vector<ir::ValueRef>& found) {
  if (holds(value)) {
    found.push_back(value);
  } else if (auto* call = std::get_if<ir::Call>(&value->node)) {
    for (const ir::ValueRef& arg : call->args) collect(arg, holds, found);
  } else if (auto* cast = std::get_if<ir::Cast>(&value->node)) {
    collect(cast->arg, holds, found);
  }
}

}  // namespace

// An operand has all of the group, so that their product is no larger than a tensor.
ir::ValueRef withPlaces(const ir::ValueRef& value, const ir::Kernel& kernel,
                        const ir::StructuredOp& op, const std::vector<std::string>& group,
                        const std::string& one) {
  Expr place;
  for (const std::string& name : group)
    place = place * ir::extentOf(kernel, op, name)->extent + at(name);
  const auto isPlace = [&](const ir::ValueRef& part) { return indexOf(part) == place; };
  std::vector<ir::ValueRef> places;
  collect(value, isPlace, places);
  return ir::rewrite(value, [&](const ir::ValueRef& part) -> ir::ValueRef {
    const bool isOne =
        llvm::any_of(places, [&](const ir::ValueRef& found) { return ir::equal(found, part); });
    return isOne ? ir::makeValue(part->type, ir::IndexRef{at(one)}) : nullptr;
  });
}

std::string collapse(transforms::Builder& builder, ir::StructuredOp& op,
                     const std::vector<std::string>& group, ir::Block& block) {
  const std::string& one = group[0];
  if (group.size() == 1) return one;
  for (ir::ValueRef& result : op.results)
    result = withPlaces(result, builder.kernel(), op, group, kPlace);
  // The last iterator of the group runs fastest. One that has a single position stays there.
  std::map<std::string, Expr> positions;
  Expr inner = transforms::constant(1);
  size_t outermost = 0;
  while (builder.extent(op, group[outermost]).asConstant() == 1 && outermost + 1 < group.size())
    ++outermost;
  for (size_t i = group.size(); i-- > 0;) {
    Expr extent = builder.extent(op, group[i]);
    Expr quotient = at(one).floorDiv(inner);
    positions[group[i]] = i < outermost ? Expr() : i == outermost ? quotient : quotient.mod(extent);
    inner = inner * extent;
  }
  for (size_t i = 0; i < op.operandCount(); ++i) {
    ir::Operand& operand = op.operand(i);
    const ir::Tensor base = builder.kernel().tensors[operand.tensor];
    ir::View view{0, operand.tensor, {}, {}, nullptr};
    std::vector<Expr> shape, map;
    bool found = false;
    for (size_t d = 0; d < operand.map.size(); ++d) {
      std::string name = *operand.map[d].asIterator();
      bool member = llvm::is_contained(group, name);
      view.map.push_back(member ? positions[name] : at(name));
      if (member && found) continue;
      found |= member;
      view.dims.push_back(member ? one : name);
      shape.push_back(member ? inner : base.shape[d]);
      map.push_back(at(member ? one : name));
    }
    if (!found) continue;
    view.view = builder.tensor(base.name + "_" + one, base.type, std::move(shape), ir::Role::View);
    operand.tensor = view.view;
    operand.map = std::move(map);
    block.push_back({std::move(view)});
  }
  auto positionOf = [&](const affine::Atom& atom) -> std::optional<Expr> {
    auto found = positions.find(atom.name);
    bool member = atom.kind == affine::Atom::Kind::Iterator && found != positions.end();
    return member ? std::optional(found->second) : std::nullopt;
  };
  positions[kPlace] = at(one);
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* index = std::get_if<ir::IndexRef>(&value->node);
      if (!index) return nullptr;
      return ir::makeValue(value->type, ir::IndexRef{index->index.substitute(positionOf)});
    });
  std::erase_if(op.iterators, [&](const ir::Iterator& i) {
    return i.name != one && llvm::is_contained(group, i.name);
  });
  return one;
}

void offsetTable(transforms::Builder& builder, const ir::Operand& operand,
                 const std::string& iterator, int64_t length, ir::Block& block, int64_t quotients) {
  for (unsigned d = 0; d < operand.map.size(); ++d) {
    if (operand.map[d].asIterator() != iterator) continue;
    unsigned table =
        builder.tensor(builder.kernel().tensors[operand.tensor].name + "_offsets",
                       ir::ScalarType::I64, {transforms::constant(length)}, ir::Role::Local);
    block.push_back({ir::Alloc{table, ir::Space::Stack}});
    ir::Offsets offsets{operand.tensor, d, table};
    if (quotients > 0) {
      offsets.quotients = builder.tensor(
          builder.kernel().tensors[operand.tensor].name + "_quotients", ir::ScalarType::I64,
          {transforms::constant(quotients), transforms::constant(length)}, ir::Role::Local);
      block.push_back({ir::Alloc{*offsets.quotients, ir::Space::Stack}});
    }
    block.push_back({offsets});
  }
}

}  // namespace einc::strategy
