// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/padding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/facts/positions.h"
#include "compiler/strategy/conversion.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using Kind = ir::Condition::Kind;

// The copy may be so many times as large as the tensor: that is memory which no spec names.
constexpr int64_t kMostGrowth = 4;

Expr product(const std::vector<Expr>& sizes) {
  Expr result = constant(1);
  for (const Expr& e : sizes) result = result * e;
  return result;
}

// Where along one dimension an operand reads: [start, start + extent), at start + moving.
struct Range {
  Expr start, extent, moving;
};

bool isInside(const Range& range, const Expr& size) {
  if (range.start.isZero() && range.extent == size) return true;
  auto start = range.start.asConstant(), extent = range.extent.asConstant(),
       whole = size.asConstant();
  return start && extent && whole && *start >= 0 && *extent <= *whole - *start;
}

// Of a dimension of so many elements; nothing if it may run backwards. What must hold is added to `conditions`.
std::optional<Range> rangeOf(const transforms::Builder& builder, const ir::StructuredOp& op,
                             const Expr& index, const Expr& size,
                             std::vector<ir::Condition>& conditions) {
  auto linear = index.asLinear();
  if (!linear) return std::nullopt;
  Range range{linear->rest, constant(1), index - linear->rest};
  for (const auto& part : linear->parts) {
    Expr most = part.coefficient * (builder.extent(op, part.iterator) - constant(1));
    range.extent = range.extent + most;
    if (most.isZero()) continue;
    auto known = part.coefficient.asConstant();
    if (known && *known < 0) return std::nullopt;
    // Before they are multiplied by anything.
    if (known) continue;
    conditions.push_back({Kind::LessEqual, Expr(), part.coefficient});
    conditions.push_back({Kind::LessEqual, part.coefficient, size * constant(kMostGrowth)});
  }
  return range;
}

}  // namespace

std::optional<Padded> padded(transforms::Builder& builder, const ir::StructuredOp& op, size_t input,
                             int64_t lanes, int64_t vectors,
                             const std::optional<ir::Axis>& blocks) {
  const ir::Operand before = op.inputs[input];
  Padded result{before, {}, {}};
  ir::Operand& operand = result.operand;
  const ir::Tensor tensor = builder.kernel().tensors[before.tensor];
  std::vector<Range> ranges;
  std::vector<Expr> shape;
  bool inside = true;
  for (size_t d = 0; d < before.map.size(); ++d) {
    auto found = rangeOf(builder, op, before.map[d], tensor.shape[d], result.conditions);
    if (!found) return std::nullopt;
    Range& range = *found;
    if (blocks && before.map[d].mentions(blocks->name)) {
      if (before.map[d].asIterator() != blocks->name) return std::nullopt;
      range.extent = range.extent.ceilDiv(constant(blocks->size)) * constant(blocks->size);
    }
    if (isInside(range, tensor.shape[d])) {
      // Copied as it is.
    } else if (auto extent = range.extent.asConstant(), whole = tensor.shape[d].asConstant();
               extent && whole) {
      if (*extent < 1 || *extent > *whole * kMostGrowth) return std::nullopt;
      inside = false;
    } else {
      result.conditions.push_back({Kind::LessEqual, constant(1), range.extent});
      result.conditions.push_back(
          {Kind::LessEqual, range.extent, tensor.shape[d] * constant(kMostGrowth)});
      inside = false;
    }
    shape.push_back(range.extent);
    ranges.push_back(range);
  }
  if (before.map.empty()) return std::nullopt;
  operand.pad = nullptr;
  if (inside) {
    result.conditions.clear();
    return result;
  }
  result.conditions.push_back(
      {Kind::LessEqual, product(shape).floorDiv(constant(kMostGrowth)), product(tensor.shape)});
  const facts::Positions known(builder.kernel());
  if (std::any_of(result.conditions.begin(), result.conditions.end(),
                  [&](const ir::Condition& one) { return known.holds(one) == false; }))
    return std::nullopt;
  std::erase_if(result.conditions,
                [&](const ir::Condition& one) { return known.holds(one) == true; });
  unsigned buffer = builder.tensor("padded_" + tensor.name, tensor.type, shape, ir::Role::Local);
  result.copy.push_back({ir::Alloc{buffer, ir::Space::Heap}});
  std::vector<Expr> starts;
  for (const Range& range : ranges) starts.push_back(range.start);
  ir::Block fill = copyOf(builder, before, buffer, starts, lanes, vectors);
  result.copy.push_back({ir::Outline{builder.name("pad_" + tensor.name), std::move(fill)}});
  operand.tensor = buffer;
  for (size_t d = 0; d < ranges.size(); ++d) operand.map[d] = ranges[d].moving;
  return result;
}

}  // namespace einc::strategy
