// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/transpose.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// The iterator along which an operand lies where it lies row by row; empty if there is none.
std::string alongOf(const ir::Operand& operand) {
  if (operand.map.empty() || operand.shapeOnly) return "";
  std::string last = operand.map.back().asIterator().value_or("");
  auto uses = std::count_if(operand.map.begin(), operand.map.end(), [&](const Expr& index) {
    std::vector<std::string> names = index.iterators();
    return std::find(names.begin(), names.end(), last) != names.end();
  });
  return uses == 1 ? last : "";
}

// Of those that are read.
OperandName nameOf(const ir::StructuredOp& op, const std::vector<OperandName>& names,
                   size_t input) {
  size_t number = 0;
  for (size_t i = 0; i < input; ++i) number += !op.inputs[i].shapeOnly;
  return names[number];
}

// Inputs that lie along `m`, where the output lies along `n`.
struct TransposedAlong {
  std::string m, n;
  std::vector<size_t> inputs;
};

// Nothing for an op that is not of this form, or that reduces.
std::optional<TransposedAlong> transposedAlong(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               const target::Device& device) {
  const int64_t side = device.numbers.transposeSide;
  if (op.outputs.size() != 1 || ir::reduces(op)) return std::nullopt;
  const std::string n = alongOf(op.outputs[0]);
  if (n.empty() || transforms::iteratorsOf(op.outputs[0]).size() != op.iterators.size())
    return std::nullopt;
  std::string m;
  std::vector<size_t> inputs;
  int64_t bytes = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    std::vector<std::string> read = transforms::iteratorsOf(op.inputs[i]);
    std::string along = alongOf(op.inputs[i]);
    if (along.empty() || along == n || (!m.empty() && along != m)) continue;
    if (std::find(read.begin(), read.end(), n) == read.end()) continue;
    const ir::Tensor& tensor = kernel.tensors[op.inputs[i].tensor];
    bytes += side * (side + 1) * std::max<int64_t>(ir::info(tensor.type).bytes(), 4);
    if (bytes > device.sharedBytes) break;  // as many as fit
    m = along;
    inputs.push_back(i);
  }
  if (inputs.empty() || device.invocations < side) return std::nullopt;
  return TransposedAlong{std::move(m), n, std::move(inputs)};
}

bool isStored(const Positions& at) {
  const unsigned output = at.ops.ops[0].outputs[0].tensor;
  return at.kernel.tensors[output].role != ir::Role::Local || at.others.count(output) != 0;
}

}  // namespace

Result<Form> squares(const DeviceTask& task) {
  using Kind = Test::Kind;
  using To = BindStep::To;
  if (!task.isSmall()) return Reason{"there is more than one op, or much to do"};
  const ir::Kernel& kernel = task.at.kernel;
  const ir::StructuredOp& op = task.at.ops.ops[0];
  const target::Device& device = task.device;
  auto along = isStored(task.at) ? transposedAlong(kernel, op, device) : std::nullopt;
  if (!along) return Reason{"nothing is read along another iterator than it is stored"};
  const auto& [m, n, inputs] = *along;
  const std::vector<OperandName> names = operandNames(kernel, op);
  const int64_t side = device.numbers.transposeSide;
  const Expr by = constant(side);
  const std::string text = std::to_string(side);
  Form form{"transpose", {}, task.cycles(Elements::Neighbours)};
  form.why = "what is read and what is written lie along different iterators";
  form.lines.push_back("where what is read lies along '" + m + "' and the result along '" + n +
                       "', of at least " + text + " positions each: tiles of " + text + " x " +
                       text + ", transposed in shared memory");
  for (size_t input : inputs)
    form.where.push_back({Kind::Contiguous, {}, {}, nameOf(op, names, input), m});
  form.where.push_back({Kind::Contiguous, {}, {}, names.back(), n});
  for (const std::string& iterator : {m, n})
    form.where.push_back({Kind::LessEqual, by, extentOf(iterator)});

  Steps& steps = form.steps;
  for (const ir::Iterator& iterator : op.iterators)
    if (iterator.name != m && iterator.name != n)
      steps.push_back(Step(BindStep{iterator.name, constant(1), To::Workgroups}, "tiles for each"));
  steps.push_back(Step(BindStep{{{m, by}, {n, by}}, To::Workgroups}, "a tile for each workgroup"));
  int64_t rows = 1;  // of invocations
  while (rows < side && 2 * rows * side <= device.invocations) rows *= 2;
  auto inRows = [&](const std::string& slow, const std::string& fast) {
    return Step(BindStep{{{slow, constant(1), rows}, {fast, constant(1), side}}, To::Invocations},
                "neighbours in memory are neighbouring invocations'");
  };
  for (size_t input : inputs) {
    const OperandName name = nameOf(op, names, input);
    CopyStep copy{name,
                  {n, m},
                  freeName(kernel, op, name.tensor + "_transposed"),
                  {inRows(n, m), Step(LoopsStep{}, "an element each")}};
    copy.where = CopyStep::Where::Workgroup;
    copy.row = side + 1;
    steps.push_back(Step(std::move(copy), "read as it lies, and turned in the workgroup's memory"));
  }
  steps.push_back(inRows(m, n));
  steps.push_back(Step(LoopsStep{}, "an element each"));
  return form;
}

}  // namespace einc::strategy
