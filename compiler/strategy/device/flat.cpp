// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/flat.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/apply.h"

namespace einc::strategy {
namespace {

using transforms::append;
using transforms::constant;

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
      const int64_t bytes = target::kDeviceLanes * ir::info(tensor.type).bytes();
      result.push_back({Kind::Aligned, constant(bytes), {}, name, iterator});
    }
  }
  const affine::Expr extent = extentOf(iterator);
  result.push_back({Kind::Equal, extent.mod(constant(target::kDeviceLanes))});
  return result;
}

// bind m to invocations; bind n to invocations; loops
Steps loopsOver(const std::vector<std::string>& positions) {
  Steps steps;
  for (const std::string& iterator : positions)
    steps.push_back(BindStep{iterator, constant(1), BindStep::To::Invocations});
  steps.push_back(LoopsStep{});
  return steps;
}

// What is done where neighbours lie together; nothing if they never do.
std::optional<WhenStep> flatVectors(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                    const std::vector<std::string>& positions) {
  if (positions.empty() || ir::reduces(op)) return std::nullopt;
  const std::string& last = positions.back();
  auto tests = together(kernel, op, last);
  if (!tests) return std::nullopt;
  Steps vectors = loopsOver(positions);
  std::get<BindStep>(vectors[vectors.size() - 2].node).loops[0].by = constant(target::kDeviceLanes);
  vectors.back() = VectorizeStep{{{last, target::kDeviceLanes}}};
  return WhenStep{std::move(*tests), std::move(vectors), {}};
}

}  // namespace

Steps alonePositions(const ir::Kernel& kernel, const ir::StructuredOp& op, const Shared& shared,
                     bool inVectors) {
  std::vector<std::string> positions;
  for (const auto& names : shared) positions.push_back(names[0]);
  Steps steps = loopsOver(positions);
  auto vectors = inVectors ? flatVectors(kernel, op, positions) : std::optional<WhenStep>();
  if (!vectors) return steps;
  vectors->otherwise = std::move(steps);
  return {std::move(*vectors)};
}

bool isLine(const ir::Kernel& kernel, const ir::StructuredOp& op, const Shared& shared) {
  bool isLine = shared.size() > 1;
  for (size_t o = 0; o < op.operandCount(); ++o)
    isLine &= kernel.tensors[op.operand(o).tensor].role != ir::Role::Local &&
              transforms::iteratorsOf(op.operand(o)).size() == shared.size();
  return isLine;
}

ir::Block asLine(transforms::Builder& builder, const ir::StructuredOp& op, const Shared& shared,
                 const ScheduleOptions& options, ir::Block otherwise) {
  ir::StructuredOp line = op;
  ir::Block names;
  transforms::canonicalize(builder, line, names);
  std::vector<std::string> all;
  for (const auto& name : shared) all.push_back(name[0]);
  const std::string one = collapse(builder, line, all, names);
  ir::Block vectors = apply(builder, line, {*flatVectors(builder.kernel(), line, {one})}, options);
  auto& test = std::get<ir::If>(vectors.back().node);
  std::vector<ir::Condition> conditions;
  for (const auto& name : shared)  // what is divided by
    conditions.push_back({ir::Condition::Kind::Less, constant(0), builder.extent(op, name[0])});
  test.conditions.insert(test.conditions.begin(), conditions.begin(), conditions.end());
  test.otherwise = std::move(otherwise);
  append(names, std::move(vectors));
  return names;
}

Steps flatSteps(const Positions& at, int64_t mostPrivate) {
  Steps steps = bindAll(at, BindStep::To::Invocations, 1);
  if (at.isAlone) {
    steps.push_back(LoopsStep{});
    return steps;
  }
  for (Step& step : keepAll(at, KeepStep::Where::Stack, mostPrivate, 1))
    steps.push_back(std::move(step));
  fuseAll(at, steps, [](size_t) { return Steps{LoopsStep{}}; });
  return steps;
}

}  // namespace einc::strategy
