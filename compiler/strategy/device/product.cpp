// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/product.h"

#include <algorithm>

#include "compiler/strategy/conversion.h"
#include "compiler/strategy/device/estimate.h"
#include "compiler/strategy/device/tiles.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/plan/shared.h"
#include "compiler/strategy/report.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;

// Whether the op has one iterator for each dimension of the results, and reads them, if it is a
// reader, element by element.
bool isOnResults(const ir::StructuredOp& op, const ir::Operand& results, bool isReader) {
  if (ir::reduces(op) || op.iterators.size() != results.map.size()) return false;
  bool found = false;
  for (size_t o = 0; o < op.operandCount(); ++o) {
    const ir::Operand& operand = op.operand(o);
    if (operand.shapeOnly) return false;
    if (operand.tensor != results.tensor) continue;
    if (operand.pad || (isReader && o >= op.inputs.size())) return false;
    found = true;
    if (transforms::iteratorsOf(operand).size() != op.iterators.size()) return false;
    for (const Expr& index : operand.map)
      if (!index.asIterator()) return false;
  }
  return found;
}

bool areOnTiles(const ir::Kernel& kernel, const Ops& ops, size_t product) {
  const ir::StructuredOp& op = ops[product];
  if (op.outputs.size() != 1 || product > 1) return false;
  if (std::any_of(op.inputs.begin(), op.inputs.end(),
                  [](const ir::Operand& input) { return input.shapeOnly; }))
    return false;
  if (ops.size() == 1) return true;
  const ir::Operand& results = op.outputs[0];
  const bool isLocal = kernel.tensors[results.tensor].role == ir::Role::Local &&
                       usedElsewhere(kernel, ops).count(results.tensor) == 0;
  const bool isPlain = transforms::iteratorsOf(results).size() == results.map.size() &&
                       std::all_of(results.map.begin(), results.map.end(), [](const Expr& index) {
                         return index.asIterator().has_value();
                       });
  if (product == 0 || !isPlain || (ops.size() > 2 && !isLocal)) return false;
  const ir::StructuredOp& start = ops[0];
  const bool starts = start.outputs.size() == 1 && start.outputs[0].tensor == results.tensor &&
                      !ir::readsOperand(start, start.inputs.size());
  for (size_t i = 0; i < ops.size(); ++i)
    if (i != product && !isOnResults(ops[i], results, i > 0)) return false;
  return starts;
}

}  // namespace

namespace {

// On the largest tiles of which there are enough. What can be set is said of the largest of all.
Form onTilesOf(const DeviceRegion& region, const ir::StructuredOp& op, const Groups& groups,
               const std::vector<DeviceTiles>& tiles, const std::vector<size_t>& others) {
  const target::Device& device = region.device;
  const int64_t busy = busyUnits(device);
  const std::string units = std::to_string(busy) + " of " + std::to_string(device.units) + " units";
  std::vector<Form> ways;
  for (const DeviceTiles& one : tiles) {
    Form way = onDeviceTiles(region.builder.kernel(), op, groups, one, others);
    way.cycles = cyclesOf({op}, Elements::Neighbours, device) /
                 static_cast<double>(std::min(one.mt(), one.nt()));
    if (&one != &tiles.back()) {
      way.where = {makesWorkgroups(groups, one, busy)};
      way.why = "at least " + units + " have a workgroup";
    }
    if (!ways.empty())
      way.lines.insert(way.lines.begin(),
                       "where these would make workgroups for fewer than " + units + ":");
    ways.push_back(std::move(way));
  }
  auto settings = ways.front().settings;
  Form result = nested(std::move(ways));
  result.settings = std::move(settings);
  return result;
}

}  // namespace

std::optional<size_t> productOf(const ir::Kernel& kernel, const Ops& ops) {
  auto op = std::find_if(ops.begin(), ops.end(), [&](const ir::StructuredOp& one) {
    return hasTiles(kernel, one) && !ir::usesPositions(one);
  });
  if (op == ops.end()) return std::nullopt;
  if (haveSeveral(*contractionGroups(kernel, *op))) return std::nullopt;
  const auto product = static_cast<size_t>(op - ops.begin());
  return areOnTiles(kernel, ops, product) ? std::optional(product) : std::nullopt;
}

Result<Form> onTiles(const DeviceRegion& region) {
  const ir::Kernel& kernel = region.builder.kernel();
  const auto product = productOf(kernel, region.ops);
  if (!product) return Reason{"none is a contraction, with others on its tiles alone"};
  const ir::StructuredOp& op = region.ops[*product];
  const target::Device& device = region.device;
  OpSettings& settings = region.settings[*product];
  std::vector<size_t> others;
  for (size_t i = 0; i < region.ops.size(); ++i)
    if (i != *product) others.push_back(region.first + i);
  const Groups groups = *contractionGroups(kernel, op);
  auto count = [&](const std::vector<std::string>& iterators) {
    return region.builder.positions(op, iterators).asConstant().value_or(INT64_MAX);
  };
  auto bytes = [](ir::ScalarType type) {
    return std::max(static_cast<int>(ir::info(type).bytes()), 4);
  };
  const int sums = bytes(kernel.tensors[op.outputs[0].tensor].type);
  const int elements = std::max(bytes(castType(kernel, op, groups.left[0])),
                                bytes(castType(kernel, op, groups.right[0])));
  const std::vector<DeviceTiles> tiles = deviceTiles(device, sums, elements, count(groups.m),
                                                     count(groups.n), count(groups.k), settings);
  Form result = onTilesOf(region, op, groups, tiles, others);
  const int64_t fewest =
      settings.number("fewest", 1, INT32_MAX).value_or(device.numbers.tileFewest);
  result.where = holdsTiles(groups, tiles, fewest);
  result.why = "of few rows or columns most of a tile would be empty";
  result.settings.emplace_back("fewest", std::to_string(fewest));
  result.lines.insert(result.lines.begin(),
                      (groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                          groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                          groupText("K", groups.k) + ": tiles in shared memory, sums in registers");
  result.lines.push_back("fewest = " + std::to_string(fewest) +
                         ": where M and N have so many positions each; else an invocation for "
                         "each position, as most of a tile would be empty");
  if (auto most = mostTermsOf(tiles))
    result.lines.push_back("where K has at most " + std::to_string(*most) +
                           " positions: an invocation may run " + std::to_string(device.rounds) +
                           " rounds of loops");
  return result;
}

}  // namespace einc::strategy
