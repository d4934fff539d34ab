// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/flat.h"

#include <algorithm>
#include <utility>

namespace einc::strategy {
namespace {

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

// Whether all of each operand may be one line.
bool isLine(const ir::Kernel& kernel, const ir::StructuredOp& op,
            const std::vector<std::string>& positions) {
  bool isLine = positions.size() > 1;
  for (size_t o = 0; o < op.operandCount(); ++o)
    isLine &= kernel.tensors[op.operand(o).tensor].role != ir::Role::Local &&
              transforms::iteratorsOf(op.operand(o)).size() == positions.size();
  return isLine;
}

// What is done where it is.
WhenStep lineVectors(const ir::Kernel& kernel, const ir::StructuredOp& op,
                     const std::vector<std::string>& positions) {
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
    const int64_t bytes =
        target::kDeviceLanes * ir::info(kernel.tensors[op.operand(i).tensor].type).bytes();
    tests.push_back({Kind::Contiguous, {}, {}, name, positions[0], inner});
    tests.push_back({Kind::Aligned, constant(bytes), {}, name, positions[0], inner});
  }
  affine::Expr all = constant(1);
  for (const std::string& name : positions) all = all * extentOf(name);
  tests.push_back({Kind::Equal, all.mod(constant(target::kDeviceLanes))});
  const std::string& one = positions[0];
  Steps vectors = {CollapseStep{positions, one},
                   BindStep{one, constant(target::kDeviceLanes), BindStep::To::Invocations},
                   VectorizeStep{{{one, target::kDeviceLanes}}}};
  return {std::move(tests), std::move(vectors), {}};
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
  steps = {std::move(*vectors)};
  if (!isLine(kernel, op, positions)) return steps;
  WhenStep line = lineVectors(kernel, op, positions);
  line.otherwise = std::move(steps);
  return {std::move(line)};
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
