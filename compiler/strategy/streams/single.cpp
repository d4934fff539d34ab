// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/single.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/others.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Dimensions: of fewer, what is left without one is a line in any case.
constexpr size_t kFewest = 3;

// The iterator of the last dimension, if it is nothing else.
std::string lineOf(const ir::Operand& operand) {
  const bool isAny = !operand.shapeOnly && operand.map.size() > 1;
  return isAny ? operand.map.back().asIterator().value_or("") : "";
}

bool has(const ir::Operand& operand, const std::string& name) {
  return !operand.shapeOnly && llvm::is_contained(transforms::iteratorsOf(operand), name);
}

// The lines of the output, and of inputs, that other operands do not have, or that windows do not lie along: of what is laid
// out anew (fusion/layouts.h), which may be either side.
std::vector<std::string> candidates(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  const ir::Operand& output = op.outputs[0];
  std::vector<std::string> names;
  const bool isLocal = kernel.tensors[output.tensor].role == ir::Role::Local;
  auto note = [&](const ir::Operand& operand) {
    const std::string name = lineOf(operand);
    if (name.empty() || !ir::isParallel(op, name) || Space(kernel, op).known(name)) return;
    bool isElsewhere = has(output, name) && lineOf(output) != name;
    for (const ir::Operand& input : op.inputs) {
      const bool moves = isLocal && !ir::isPlain(input);
      isElsewhere |=
          has(input, name) && input.map.size() >= kFewest && (moves || lineOf(input) != name);
    }
    if (isElsewhere && !llvm::is_contained(names, name)) names.push_back(name);
  };
  const bool isLaidOut = llvm::any_of(op.inputs, [&](const ir::Operand& input) {
    return kernel.tensors[input.tensor].role == ir::Role::Local;
  });
  if (output.map.size() < kFewest || !(isLocal || isLaidOut)) return {};
  note(output);
  for (const ir::Operand& input : op.inputs)
    if (input.map.size() == output.map.size() && ir::isPlain(input)) note(input);
  return names;
}

// The op without it: operands are views that lack the dimension.
ir::StructuredOp without(ir::Kernel& kernel, ir::StructuredOp op, const std::string& name) {
  transforms::Builder builder(kernel);
  std::erase_if(op.iterators, [&](const ir::Iterator& i) { return i.name == name; });
  for (size_t i = 0; i < op.operandCount(); ++i) {
    ir::Operand& operand = op.operand(i);
    if (!has(operand, name)) continue;
    const ir::Tensor base = kernel.tensors[operand.tensor];
    std::vector<affine::Expr> shape, map;
    for (size_t d = 0; d < operand.map.size(); ++d) {
      if (operand.map[d].asIterator() == name) continue;
      shape.push_back(base.shape[d]);
      map.push_back(operand.map[d]);
    }
    operand.tensor = builder.tensor(base.name, base.type, std::move(shape), ir::Role::View);
    operand.map = std::move(map);
  }
  return op;
}

Result<Form> singleOf(const Task& task, size_t number) {
  if (task.options.target->vectorBytes == 0) return Reason{"the target has no vectors"};
  if (task.whole || task.isBlock) return Reason{"it is a part of another op"};
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  if (ir::usesPositions(op)) return Reason{"the payload computes with positions"};
  if (contractionGroups(task.kernel, op)) return Reason{"a contraction packs what it reads"};
  if (op.outputs.size() != 1 || (task.others && !task.others->operands.empty()))
    return Reason{"it writes several tensors"};
  const std::vector<std::string> names = candidates(task.kernel, op);
  if (names.size() <= number)
    return Reason{"no iterator of one position would change what lies along what"};
  const std::string& name = names[number];
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (const affine::Expr& index : op.operand(i).map)
      if (index.mentions(name) && index.asIterator() != name)
        return Reason{"an index moves along it, and others"};
  ir::Kernel aside = task.kernel;
  const ir::StructuredOp one = without(aside, op, name);
  Task part{aside, one, task.names, task.options, task.settings, /*memory=*/false};
  part.others = task.others;
  Form rest = task.behind(part);
  rest.steps = inUnits(op, one, std::move(rest.steps));
  if (task.others) rest.steps = inUnits(task.op, op, std::move(rest.steps));
  rest.where.insert(rest.where.begin(), equals(name, 1));
  rest.why = "of one position, it is not what vectors lie along";
  return rest;
}

}  // namespace

Result<Form> singleWritten(const Task& task, const Form& /*whole*/) { return singleOf(task, 0); }
Result<Form> singleRead(const Task& task, const Form& /*whole*/) { return singleOf(task, 1); }

}  // namespace einc::strategy
