// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/summary_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/report.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::driver {
namespace {

constexpr size_t kLongNumber = 60;  // characters

std::string quoted(const std::vector<std::string>& names) {
  return joined(names, ", ", [](const std::string& name) { return "'" + name + "'"; });
}

std::vector<std::string> namesOf(const ir::StructuredOp& op, ir::IteratorKind kind) {
  std::vector<std::string> names;
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == kind) names.push_back(i.name);
  return names;
}

// Along which windows move: indices that have an iterator of results and one of a sum.
std::vector<std::string> movingIn(const ir::StructuredOp& op) {
  const std::vector<std::string> sums = namesOf(op, ir::IteratorKind::Reduction);
  std::vector<std::string> moving;
  for (const ir::Operand& input : op.inputs)
    for (const affine::Expr& index : input.map) {
      const std::vector<std::string> names = index.iterators();
      const bool isMoved =
          llvm::any_of(names, [&](const std::string& n) { return llvm::is_contained(sums, n); });
      for (const std::string& name : names)
        if (isMoved && !llvm::is_contained(sums, name) && !llvm::is_contained(moving, name))
          moving.push_back(name);
    }
  return moving;
}

std::string combinerText(const ir::StructuredOp& op) {
  switch (transforms::combinerOf(op).value_or(ir::Function::Sub)) {
    case ir::Function::Add:
      return "a sum";
    case ir::Function::Mul:
      return "a product of all";
    case ir::Function::Max:
      return "the largest";
    case ir::Function::Min:
      return "the least";
    default:
      return "a reduction";
  }
}

std::string mapText(const ir::StructuredOp& op) {
  const std::vector<std::string> names = namesOf(op, ir::IteratorKind::Parallel);
  const std::string all = names.empty() ? "one number" : "each (" + joined(names) + ")";
  auto* read = std::get_if<ir::OperandRef>(&op.results[0]->node);
  if (op.results.size() == 1 && read && read->operand < op.inputs.size()) {
    const bool isTurned = op.inputs[read->operand].map != op.outputs[0].map;
    return std::string(isTurned ? "moved" : "copied") + " element by element, " + all;
  }
  return "for " + all;
}

}  // namespace

std::string kindText(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  if (!ir::reduces(op)) return mapText(op);
  const std::vector<std::string> moving = movingIn(op);
  const std::vector<std::string> sums = namesOf(op, ir::IteratorKind::Reduction);
  if (!moving.empty())
    return "windows that move along " + quoted(moving) + ": " + combinerText(op) + " along " +
           quoted(sums);
  const auto groups = strategy::contractionGroups(kernel, op);
  if (groups)
    return "a product: rows " + joined(groups->m) + ", columns " + joined(groups->n) + ", terms " +
           joined(groups->k) + (groups->batch.empty() ? "" : ", for each " + joined(groups->batch));
  return combinerText(op) + " along " + quoted(sums);
}

std::string resultText(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  // Of a tile the tensor that it is of.
  auto nameOf = [&](unsigned tensor) {
    ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
      auto* view = std::get_if<ir::View>(&stmt.node);
      if (view && view->view == tensor) tensor = view->base;
    });
    return kernel.tensors[tensor].name;
  };
  return joined(op.outputs, ", ", [&](const ir::Operand& output) {
    const std::string index =
        joined(output.map, ", ", [](const affine::Expr& e) { return e.str(); });
    return nameOf(output.tensor) + (index.empty() ? "" : "(" + index + ")");
  });
}

std::string formText(const std::string& strategy) {
  if (strategy == "loops") return "scalar loops";
  if (strategy == "inline") return "computed where it is read";
  if (strategy == "external") return "computed by a function of yours";
  return strategy;
}

namespace {

template <typename Verb, typename Visit>
void forEachStep(const strategy::Decision& decision, const Visit& visit) {
  for (const strategy::Part& part : decision.parts)
    strategy::anyStep(part.steps, [&](const strategy::Step& step) {
      if (auto* found = std::get_if<Verb>(&step.node)) visit(*found);
      return false;
    });
}

void addOnce(std::vector<std::string>& names, const std::string& name) {
  if (!llvm::is_contained(names, name)) names.push_back(name);
}

}  // namespace

std::vector<std::string> keptIn(const strategy::Decision& decision) {
  std::vector<std::string> names;
  forEachStep<strategy::KeepStep>(decision, [&](const strategy::KeepStep& step) {
    if (!step.tensor.empty()) addOnce(names, step.tensor);
  });
  return names;
}

std::string stepsText(const strategy::Decision& decision,
                      const std::vector<std::string>& instructions) {
  std::vector<std::string> packed, converted, copied, around, said;
  forEachStep<strategy::PackStep>(decision, [&](const strategy::PackStep& step) {
    addOnce(packed, step.operand.str() + " in panels of " + std::to_string(step.panel.size) +
                        (step.type ? " as " + std::string(ir::info(*step.type).name) : ""));
  });
  forEachStep<strategy::ConvertStep>(decision, [&](const strategy::ConvertStep& step) {
    addOnce(converted, step.operand.str() + " to " + std::string(ir::info(step.type).name));
  });
  forEachStep<strategy::CopyStep>(
      decision, [&](const strategy::CopyStep& step) { addOnce(copied, step.operand.str()); });
  forEachStep<strategy::NonTemporalStep>(decision, [&](const strategy::NonTemporalStep& step) {
    addOnce(around, step.operand.str());
  });
  if (!packed.empty()) said.push_back("packed: " + joined(packed));
  if (!converted.empty()) said.push_back("converted once: " + joined(converted));
  if (!copied.empty()) said.push_back("copied first: " + joined(copied));
  if (!instructions.empty()) said.push_back("by the instruction " + joined(instructions));
  if (!around.empty())
    said.push_back("written around the caches, if it is large: " + joined(around));
  return joined(said, "; ");
}

namespace {

std::string withUnit(double value, const std::string& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (value >= 1000 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  return strategy::shortNumber(value) + " " + prefixes[prefix] + unit;
}

std::string shortExpr(const affine::Expr& e) {
  const std::string text = e.str();
  return text.size() > kLongNumber ? "" : text;
}

// A way in which nothing is done is for calls that have nothing to do.
struct Count {
  size_t least = 0, most = 0;
};
Count dispatchesOf(const ir::Block& block) {
  Count all;
  for (const ir::Stmt& stmt : block) {
    Count own;
    if (std::holds_alternative<ir::Dispatch>(stmt.node))
      own = {1, 1};
    else
      for (const ir::Block* inner : ir::blocksOf(stmt))
        if (const Count way = dispatchesOf(*inner); way.most > 0)
          own = {own.most == 0 ? way.least : std::min(own.least, way.least),
                 std::max(own.most, way.most)};
    all = {all.least + own.least, all.most + own.most};
  }
  return all;
}

}  // namespace

std::string dispatchesText(const ir::Block& code) {
  const Count count = dispatchesOf(code);
  if (count.most == 0) return "";
  const std::string least = count.least == count.most ? "" : std::to_string(count.least) + " to ";
  return least + std::to_string(count.most) + (count.most == 1 ? " dispatch" : " dispatches");
}

std::string workText(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops,
                     const target::Target& target) {
  affine::Expr operations;
  bool isFloat = false;
  std::set<unsigned> used;
  for (const ir::StructuredOp& op : ops) {
    operations = operations + strategy::operationsOf(kernel, op);
    for (const ir::ValueRef& result : op.results) isFloat |= ir::info(result->type).isFloat();
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (!op.operand(i).shapeOnly && ir::isArgument(kernel.tensors[op.operand(i).tensor].role))
        used.insert(op.operand(i).tensor);
  }
  affine::Expr bits;
  for (unsigned tensor : used) {
    affine::Expr elements = affine::Expr::constant(ir::info(kernel.tensors[tensor].type).bits);
    for (const affine::Expr& size : kernel.tensors[tensor].shape) elements = elements * size;
    bits = bits + elements;
  }
  const auto o = operations.asConstant(), b = bits.asConstant();
  if (!o || !b || *b <= 0) {
    const std::string text = shortExpr(operations);
    const std::vector<std::string> sizes = kernel.sizeSymbols();
    if (sizes.empty()) return "";
    return "work: " + (text.empty() || text == "0" ? "" : text + " operations; ") +
           "in figures with --dim NAME=NUMBER for " + joined(sizes);
  }
  const auto bytes = static_cast<double>(*b) / 8, count = static_cast<double>(*o);
  std::string text =
      "work: " + (count > 0 ? withUnit(count, isFloat ? "FLOP" : "op") + " and " : "") +
      withUnit(bytes, "B") + " in and out";
  if (target.device || count <= 0) return text;
  const double balance = strategy::balanceOf(target, ops);
  return text + ", " + strategy::shortNumber(count / bytes) + " operations a byte: limited by " +
         (count / bytes > balance ? "computing" : "memory");
}

}  // namespace einc::driver
