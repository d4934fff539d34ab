// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/unit_steps.h"

#include <string>
#include <utility>

#include "compiler/transforms/builder.h"
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

// An index that would be an iterator alone stays, as it says how many positions there are.
void setOne(ir::StructuredOp& op, const std::vector<std::string>& symbols) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (Expr& index : op.operand(i).map) {
      Expr known = index.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
        const bool isOne =
            atom.kind == affine::Atom::Kind::Symbol && llvm::is_contained(symbols, atom.name);
        return isOne ? std::optional(constant(1)) : std::nullopt;
      });
      if (!known.asIterator() && !known.overflowed()) index = std::move(known);
    }
}

}  // namespace

Result<Form> unitSteps(const Task& task, const Form& whole) {
  if (task.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
  const std::vector<std::string> symbols = stepsOf(task.kernel, task.op);
  if (symbols.empty()) return Reason{"no index moves by an attribute in the innermost dimension"};
  ir::StructuredOp op = task.op;
  setOne(op, symbols);
  Form form = task.behind(
      {task.kernel, op, task.names, task.options, task.settings, task.memory, task.whole});
  if (form.cycles >= whole.cycles) return Reason{"any step is as fast"};
  std::string names;
  for (const std::string& symbol : symbols) {
    form.where.push_back({Test::Kind::Equal, Expr::symbol(symbol), constant(1)});
    names += (names.empty() ? "" : " and ") + symbol + " == 1";
  }
  form.lines.push_back("where " + names + ": neighbours are read side by side");
  return form;
}

}  // namespace einc::strategy
