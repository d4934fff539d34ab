// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/unit_steps.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/known_symbol.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// Attributes by which an operand's last index moves along an iterator of the results.
std::vector<std::string> stepsOf(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::vector<std::string> result;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const ir::Operand& operand = op.operand(i);
    if (operand.shapeOnly || operand.map.empty()) continue;
    for (const ir::Iterator& iterator : op.iterators) {
      if (iterator.kind != ir::IteratorKind::Parallel) continue;
      auto step = operand.map.back().stepAlong(iterator.name);
      auto symbol = step ? step->asSymbol() : std::nullopt;
      if (symbol && kernel.attributeOf(*symbol) && !llvm::is_contained(result, *symbol))
        result.push_back(*symbol);
    }
  }
  return result;
}

}  // namespace

Result<Form> unitSteps(const Task& task, const Form& whole) {
  if (task.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
  const std::vector<std::string> symbols = stepsOf(task.kernel, task.op);
  if (symbols.empty()) return Reason{"no index moves by an attribute in the innermost dimension"};
  ir::StructuredOp op = task.op;
  for (const std::string& symbol : symbols) transforms::setKnown(op, symbol, constant(1));
  Form form =
      task.behind({task.kernel, op, task.names, task.options, task.settings, task.memory,
                   task.whole, nullptr, task.known, task.others, task.isBlock, task.isReadAgain});
  if (form.cycles >= whole.cycles) return Reason{"any step is as fast"};
  std::string names;
  for (const std::string& symbol : symbols) {
    form.where.push_back({Test::Kind::Equal, Expr::symbol(symbol), constant(1)});
    names += (names.empty() ? "" : " and ") + symbol + " == 1";
  }
  std::vector<std::string> lines;
  for (const std::string& line : form.lines)
    if (!llvm::is_contained(whole.lines, line)) lines.push_back("where " + names + ": " + line);
  form.lines = std::move(lines);
  form.why = "with steps of 1 neighbours lie together";
  return form;
}

}  // namespace einc::strategy
