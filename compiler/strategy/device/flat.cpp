// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/flat.h"

#include <algorithm>
#include <utility>

namespace einc::strategy {
namespace {

using transforms::constant;

int64_t vectorBytes(ir::ScalarType type) {
  return int64_t{target::kDeviceLanes} * ir::info(type).bytes();
}

// Neighbours along the iterator are neighbours in each operand that uses it, and lines of it begin
// at multiples of a vector. Nothing if one of them can never be so.
std::optional<std::vector<Test>> together(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                          const std::string& iterator) {
  using Kind = Test::Kind;
  const std::vector<OperandName> names = operandNames(kernel, op);
  std::vector<Test> result;
  size_t next = 0;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const ir::Operand& operand = op.operand(i);
    if (operand.shapeOnly) continue;
    const OperandName& name = names[next++];
    if (operand.pad) return std::nullopt;
    const ir::Tensor& tensor = kernel.tensors[operand.tensor];
    bool isUsed = false;
    for (unsigned d = 0; d < operand.map.size(); ++d) {
      std::vector<std::string> used = operand.map[d].iterators();
      if (std::find(used.begin(), used.end(), iterator) == used.end()) continue;
      if (operand.map[d].asIterator() != iterator || isUsed) return std::nullopt;
      isUsed = true;
      if (tensor.role == ir::Role::Local) {  // row-major from 0 on
        if (d + 1 < tensor.shape.size()) return std::nullopt;
        result.push_back({Kind::Equal, tensor.shape[d].mod(constant(target::kDeviceLanes))});
        continue;
      }
      result.push_back({Kind::Contiguous, {}, {}, name, iterator});
      result.push_back({Kind::Aligned, constant(vectorBytes(tensor.type)), {}, name, iterator});
    }
  }
  const affine::Expr extent = extentOf(iterator);
  result.push_back({Kind::Equal, extent.mod(constant(target::kDeviceLanes))});
  return result;
}

// Whether all of each operand may be one line.
bool isLine(const ir::Kernel& kernel, const ir::StructuredOp& op,
            const std::vector<std::string>& positions) {
  bool isLine = positions.size() > 1;
  for (size_t o = 0; o < op.operandCount(); ++o)
    isLine &= kernel.tensors[op.operand(o).tensor].role != ir::Role::Local &&
              transforms::iteratorsOf(op.operand(o)).size() == positions.size();
  return isLine;
}

std::vector<std::string> positionsOf(const Positions& at) {
  std::vector<std::string> names;
  for (const auto& shared : at.shared) names.push_back(shared[0]);
  return names;
}

// What holds where an invocation may do neighbours along the last position; nothing if they never lie together.
std::optional<std::vector<Test>> areNeighbours(const DeviceTask& task) {
  const Positions& at = task.at;
  if (!task.isSmall() || at.shared.empty() || ir::reduces(at.ops.ops[0])) return std::nullopt;
  return together(at.kernel, at.ops.ops[0], at.shared.back()[0]);
}

constexpr const char* kNeighbours = "a few neighbours for each invocation";

const Reason kNoVectors{
    "neighbours never lie together, or there is more than one op, or much to do"};

}  // namespace

Result<Form> vectors(const DeviceTask& task) {
  auto tests = areNeighbours(task);
  if (!tests) return kNoVectors;
  Form form{"vectors",
            bindAll(task.at, BindStep::To::Invocations, target::kDeviceLanes, kNeighbours),
            task.cycles(Elements::Neighbours)};
  form.steps.push_back(
      Step(VectorizeStep{{{task.at.shared.back()[0], target::kDeviceLanes}}}, "a load for all"));
  form.why = "else neighbours do not lie together";
  form.where = std::move(*tests);
  form.lines.emplace_back("where neighbours lie together, four positions to an invocation");
  return form;
}

Result<Form> line(const DeviceTask& task) {
  if (!areNeighbours(task)) return kNoVectors;
  const ir::Kernel& kernel = task.at.kernel;
  const ir::StructuredOp& op = task.at.ops.ops[0];
  const std::vector<std::string> positions = positionsOf(task.at);
  if (!isLine(kernel, op, positions)) return Reason{"an operand is not one line"};
  using Kind = Test::Kind;
  std::vector<Test> tests;
  for (const std::string& name : positions)  // what is divided by
    tests.push_back({Kind::Less, {}, extentOf(name)});
  const std::vector<std::string> inner(positions.begin() + 1, positions.end());
  const std::vector<OperandName> names = operandNames(kernel, op);
  size_t next = 0;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    if (op.operand(i).shapeOnly) continue;
    const OperandName& name = names[next++];
    const int64_t bytes = vectorBytes(kernel.tensors[op.operand(i).tensor].type);
    tests.push_back({Kind::Contiguous, {}, {}, name, positions[0], inner});
    tests.push_back({Kind::Aligned, constant(bytes), {}, name, positions[0], inner});
  }
  affine::Expr all = constant(1);
  for (const std::string& name : positions) all = all * extentOf(name);
  tests.push_back({Kind::Equal, all.mod(constant(target::kDeviceLanes))});
  const std::string& one = positions[0];
  Form form{
      "line",
      {Step(CollapseStep{positions, one}, "all operands are one line in memory"),
       Step(BindStep{one, constant(target::kDeviceLanes), BindStep::To::Invocations}, kNeighbours),
       Step(VectorizeStep{{{one, target::kDeviceLanes}}}, "a load for all")},
      task.cycles(Elements::Neighbours)};
  form.where = std::move(tests);
  form.why = "else there is more than one line";
  return form;
}

Steps flatSteps(const Positions& at, int64_t mostPrivate) {
  Steps steps = bindAll(at, BindStep::To::Invocations, 1, "an invocation for each position");
  if (at.isAlone) {
    steps.push_back(Step(LoopsStep{}, "it does all of its position"));
    return steps;
  }
  for (Step& step : keepAll(at, KeepStep::Where::Stack, mostPrivate, 1))
    steps.push_back(std::move(step));
  fuseAll(at, steps,
          [](size_t) { return Steps{Step(LoopsStep{}, "it does all of its position")}; });
  return steps;
}

Result<Form> flat(const DeviceTask& task) {
  return Form{"flat", flatSteps(task.at, task.device.numbers.mostPrivate),
              task.cycles(Elements::Apart)};
}

}  // namespace einc::strategy
