// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/report.h"

#include <algorithm>
#include <cstdio>

#include "compiler/ir/shape.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

using affine::Expr;

Expr sizeOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const std::string& iterator) {
  auto source = ir::extentOf(kernel, op, iterator);
  return source ? source->extent : Expr();
}

Expr elements(const ir::Kernel& kernel, const ir::StructuredOp& op, const ir::Operand& operand) {
  Expr count = Expr::constant(1);
  for (const std::string& iterator : transforms::iteratorsOf(operand))
    count = count * sizeOf(kernel, op, iterator);
  return count;
}

// Operations a cycle.
double perCycle(const target::Target& target, int64_t widest) {
  const int64_t lanes = std::max<int64_t>(target.vectorBytes / widest, 1);
  return static_cast<double>(lanes * target.fmasPerCycle * (target.hasFma ? 2 : 1));
}

int64_t widestIn(const ir::StructuredOp& op) {
  int64_t widest = 1;
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      widest = std::max<int64_t>(widest, ir::info(value.type).bytes());
    });
  return widest;
}

}  // namespace

Expr operationsOf(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  int64_t perIteration = 0;
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      perIteration += std::holds_alternative<ir::Call>(value.node);
    });
  Expr iterations = Expr::constant(1);
  for (const ir::Iterator& iterator : op.iterators)
    iterations = iterations * sizeOf(kernel, op, iterator.name);
  return iterations * Expr::constant(perIteration);
}

double balanceOf(const target::Target& target, const std::vector<ir::StructuredOp>& ops) {
  int64_t widest = 1;
  for (const ir::StructuredOp& op : ops) widest = std::max(widest, widestIn(op));
  return perCycle(target, widest) / static_cast<double>(target.numbers.bytesPerCycle);
}

std::string shortNumber(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

std::string groupText(const std::string& name, const std::vector<std::string>& iterators) {
  return name + " = {" + joined(iterators) + "}";
}

std::vector<std::string> limitsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const target::Target& target) {
  Expr bytes, halves;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const ir::Operand& operand = op.operand(i);
    if (operand.shapeOnly) continue;
    bool isOutput = i >= op.inputs.size();
    int64_t times = isOutput && ir::readsOperand(op, i) ? 2 : 1;
    const ir::Tensor& tensor = kernel.tensors[operand.tensor];
    Expr& sum = ir::isPacked(tensor) ? halves : bytes;
    sum =
        sum + elements(kernel, op, operand) * Expr::constant(times * ir::info(tensor.type).bytes());
  }
  bytes = bytes + halves.floorDiv(Expr::constant(2));
  const Expr operations = operationsOf(kernel, op);
  std::vector<std::string> lines;
  lines.push_back("work: " + operations.str() + " operations on " + bytes.str() + " bytes");
  auto o = operations.asConstant(), b = bytes.asConstant();
  const double most = perCycle(target, widestIn(op)), balance = balanceOf(target, {op});
  if (o && b && *b > 0) {
    double intensity = static_cast<double>(*o) / static_cast<double>(*b);
    lines.push_back(shortNumber(intensity) + " operations a byte: limited by " +
                    (intensity > balance ? "computing" : "memory") +
                    " (this target computes up to " + shortNumber(most) + " operations a cycle, " +
                    shortNumber(balance) + " for each byte that comes from memory)");
  } else {
    lines.push_back("limited by memory below " + shortNumber(balance) +
                    " operations a byte, by computing above; --dim gives the sizes");
  }
  return lines;
}

}  // namespace einc::strategy
