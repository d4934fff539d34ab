// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/contract.h"

#include <array>
#include <optional>

#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

const ir::Call* callOf(const ir::ValueRef& value, ir::Function function) {
  auto* call = std::get_if<ir::Call>(&value->node);
  return call && call->function == function ? call : nullptr;
}

// The factors of a product, a square included.
std::optional<std::array<ir::ValueRef, 2>> factorsOf(const ir::ValueRef& value) {
  if (auto* product = callOf(value, ir::Function::Mul))
    return {{product->args[0], product->args[1]}};
  if (auto* square = callOf(value, ir::Function::Square))
    return {{square->args[0], square->args[0]}};
  return std::nullopt;
}

bool isZero(const ir::ValueRef& value) {
  auto* literal = std::get_if<ir::Literal>(&value->node);
  return literal && literal->number.asFloat == 0 && literal->number.asBits == 0;
}

// An instruction that adds to nothing adds to the sum instead; of what is subtracted from that, the sum has less before.
ir::ValueRef addedTo(const ir::ValueRef& sum, const ir::ValueRef& value) {
  if (auto* less = callOf(value, ir::Function::Sub))
    return addedTo(ir::makeCall(ir::Function::Sub, {sum, less->args[1]}), less->args[0]);
  auto* products = std::get_if<ir::Instruct>(&value->node);
  if (!products || !isZero(products->args[0])) return nullptr;
  ir::Instruct copy = *products;
  copy.args[0] = sum;
  return ir::makeValue(value->type, std::move(copy));
}
ir::ValueRef addedTo(const ir::Call& sum) {
  for (size_t i : {1, 0})
    if (auto added = addedTo(sum.args[1 - i], sum.args[i])) return added;
  return nullptr;
}

ir::ValueRef fused(const ir::ValueRef& value) {
  using ir::Function;
  if (value->type != ir::ScalarType::F32 && value->type != ir::ScalarType::F64) return nullptr;
  if (auto* sum = callOf(value, Function::Add)) {
    for (size_t i : {1, 0})
      if (auto factors = factorsOf(sum->args[i]))
        return ir::makeCall(Function::Fma, {(*factors)[0], (*factors)[1], sum->args[1 - i]});
  }
  if (auto* difference = callOf(value, Function::Sub))
    if (auto factors = factorsOf(difference->args[1]))
      return ir::makeCall(Function::Fma, {ir::makeCall(Function::Neg, {(*factors)[0]}),
                                          (*factors)[1], difference->args[0]});
  return nullptr;
}

ir::ValueRef contracted(const ir::ValueRef& value, bool fuses) {
  // Floats are rounded in another order.
  const bool isExact = !ir::info(value->type).isFloat();
  if (auto* sum = callOf(value, ir::Function::Add); sum && (fuses || isExact))
    if (auto added = addedTo(*sum)) return added;
  return fuses ? fused(value) : nullptr;
}

void contractIn(ir::Block& block, bool fuses) {
  for (ir::Stmt& stmt : block) {
    if (auto* region = std::get_if<ir::Vector>(&stmt.node))
      rewriteBlock(
          region->body, [](const affine::Expr& e) { return e; },
          [&](const ir::ValueRef& value) { return contracted(value, fuses); });
    else
      for (ir::Block* inner : ir::blocksOf(stmt)) contractIn(*inner, fuses);
  }
}

}  // namespace

ir::Kernel contractProducts(ir::Kernel kernel) {
  contractIn(kernel.body, /*fuses=*/true);
  return kernel;
}

ir::Kernel contractInstructions(ir::Kernel kernel) {
  contractIn(kernel.body, /*fuses=*/false);
  return kernel;
}

}  // namespace einc::transforms
