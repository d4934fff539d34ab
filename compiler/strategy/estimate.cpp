// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/estimate.h"

#include <algorithm>

namespace einc::strategy {
namespace {

bool isProduct(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  return call && call->function == ir::Function::Mul;
}

}  // namespace

double cyclesOf(const Cost& cost, const target::Target& target) {
  return std::max({cost.operations / target.fmasPerCycle, cost.moves / target.loadsPerCycle,
                   cost.bytes / static_cast<double>(target.numbers.bytesPerCycle), cost.latency});
}

double operationsOf(const ir::StructuredOp& op, const target::Target& target) {
  const auto slow = static_cast<double>(target.numbers.slowFunction);
  double operations = 0;
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      auto* call = std::get_if<ir::Call>(&value.node);
      if (!call) return;
      const bool isSum = call->function == ir::Function::Add || call->function == ir::Function::Sub;
      const bool isFused = target.hasFma && ir::info(value.type).isFloat() && isSum &&
                           std::any_of(call->args.begin(), call->args.end(), isProduct);
      if (!isFused) operations += ir::info(call->function).isQuick() ? 1 : slow;
    });
  return operations;
}

}  // namespace einc::strategy
