// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/parts.h"

#include <algorithm>

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::size;
using Kind = ir::Condition::Kind;

struct Limits {
  int64_t positions;  // at most
  int64_t length;     // of the reduction: more
  int64_t wanted;     // parts of all positions together
  int64_t most;       // parts of one
  int64_t least;      // terms of a part
};

// As many parts of equal length as are wanted: what is left over is less than a term for each.
std::optional<Parts> parts(transforms::Builder& builder, const target::Device& device,
                           const Expr& positions, const Expr& length, const Limits& limits,
                           const std::string& what) {
  if (length.asConstant().value_or(INT64_MAX) <= limits.length) return std::nullopt;
  if (positions.asConstant().value_or(0) > limits.positions) return std::nullopt;
  Parts result;
  result.conditions = {{Kind::LessEqual, constant(1), positions},
                       {Kind::LessEqual, positions, constant(limits.positions)},
                       {Kind::Less, constant(limits.length), length}};
  std::string count = builder.name("parts_count"), width = builder.name("parts_width");
  result.names.push_back(
      {ir::Bound{count,
                 {constant(limits.wanted).floorDiv(positions) + constant(1), constant(limits.most),
                  length.floorDiv(constant(limits.least))}}});
  std::vector<Expr> widths = {length.floorDiv(size(count))};
  if (device.rounds > 0)
    widths.push_back(constant(std::max<int64_t>(device.rounds / device.numbers.partOfRounds, 1)));
  result.names.push_back({ir::Bound{width, std::move(widths)}});
  result.width = size(width);
  result.reason = "where there are at most " + std::to_string(limits.positions) +
                  " positions, and more than " + std::to_string(limits.length) +
                  " terms for each: " + what;
  return result;
}

}  // namespace

std::optional<Parts> partsOfFew(transforms::Builder& builder, const target::Device& device,
                                const Expr& positions, const PositionWork& work) {
  // A few workgroups for each unit; not where as many positions as a subgroup has invocations are
  // neighbours.
  const target::DeviceNumbers& numbers = device.numbers;
  const int64_t groups = numbers.groupsPerUnit * device.units;
  const Limits limits{.positions = work.isAcross ? std::min(groups, device.subgroup - 1) : groups,
                      .length = numbers.partsLength,
                      .wanted = numbers.partsPerGroup * groups,
                      .most = numbers.partsPerGroup * groups,
                      .least = numbers.partsLeast};
  if (positions == work.length) return std::nullopt;
  return parts(builder, device, positions, work.length, limits,
               "in parts, whose sums are added up after");
}

std::optional<Parts> partsAcross(transforms::Builder& builder, const target::Device& device,
                                 const Expr& positions, const PositionWork& work) {
  if (!work.isAcross) return std::nullopt;
  // So many invocations at once hide their loads.
  const target::DeviceNumbers& numbers = device.numbers;
  const int64_t invocations = numbers.invocationsPerUnit * device.units;
  const Limits limits{.positions = invocations / numbers.columnsPer,
                      .length = numbers.columnsLength,
                      .wanted = numbers.columnsPer * invocations,
                      .most = numbers.columnsMost,
                      .least = numbers.columnsLeast};
  return parts(builder, device, positions, work.length, limits,
               "an invocation for each part of a position, whose sums are added up after");
}

std::optional<size_t> onlySum(const Ops& ops, const std::vector<std::vector<std::string>>& shared) {
  std::optional<size_t> found;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].iterators.size() == shared.size()) continue;
    if (found || parallelCount(ops[i]) != shared.size()) return std::nullopt;
    for (const ir::Operand& input : ops[i].inputs)  // windows are short
      for (const Expr& index : input.map)
        if (!index.asIterator() && index.hasIterators()) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace einc::strategy
