// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/layout.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/streams/turned.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Whether another iterator moves with it.
bool isOfWindow(const ir::StructuredOp& op, const std::string& k) {
  return llvm::any_of(op.inputs, [&](const ir::Operand& input) {
    return llvm::any_of(input.map, [&](const affine::Expr& e) {
      return e.mentions(k) && e.iterators().size() > 1;
    });
  });
}

}  // namespace

bool holds(Test test, std::vector<Test>& tests) {
  const auto a = test.left.asConstant(), b = test.right.asConstant();
  if (a && b) return test.kind == Test::Kind::Equal ? *a == *b : *a <= *b;
  tests.push_back(std::move(test));
  return true;
}

void moveToEnd(std::vector<std::string>& group, const std::string& name) {
  auto found = std::find(group.begin(), group.end(), name);
  if (found != group.end()) std::rotate(found, found + 1, group.end());
}

std::optional<int64_t> strideInBytes(const ir::Kernel& kernel, const ir::Operand& operand,
                                     const std::string& iterator) {
  const ir::Tensor& tensor = kernel.tensors[operand.tensor];
  affine::Expr bytes = transforms::constant(ir::info(tensor.type).bytes());
  for (size_t d = transforms::dimOf(operand, iterator) + 1; d < tensor.shape.size(); ++d)
    bytes = bytes * tensor.shape[d];
  auto known = bytes.asConstant();
  return ir::isArgument(tensor.role) && known.value_or(0) > 0 ? known : std::nullopt;
}

void orderSums(const ir::StructuredOp& op, Groups& groups) {
  groups.anyOrder = true;
  for (size_t input : {groups.right[0], groups.left[0]})
    moveToEnd(groups.k, contiguousIn(op.inputs[input], groups.k));
}

void orderWords(const ir::Kernel& kernel, const ir::StructuredOp& op, int64_t terms,
                Groups& groups) {
  if (!groups.anyOrder) return;
  // Positions for each that is there, the zeros behind them included.
  auto filled = [&](const std::string& k) {
    const auto extent = ir::extentOf(kernel, op, k)->extent.asConstant();
    // Windows have few positions: three, as most have.
    if (!extent) return isOfWindow(op, k) ? 4.0 / 3.0 : 1.0;
    if (*extent < 1) return 1.0;
    const int64_t words = (*extent + terms - 1) / terms;
    return static_cast<double>(words * terms) / static_cast<double>(*extent);
  };
  const auto best =
      std::min_element(groups.k.rbegin(), groups.k.rend(),
                       [&](const auto& a, const auto& b) { return filled(a) < filled(b); });
  moveToEnd(groups.k, std::string(*best));
}

std::optional<CopyStep> arrange(transforms::Builder& builder, ir::StructuredOp& op,
                                const std::vector<OperandName>& names, Groups& groups,
                                const ScheduleOptions& options) {
  const ir::Operand& left = op.inputs[groups.left[0]];
  const ir::Operand& right = op.inputs[groups.right[0]];
  moveToEnd(groups.m, contiguousIn(left, groups.m));
  moveToEnd(groups.n, contiguousIn(op.outputs[0], groups.n));
  std::string own = contiguousIn(right, groups.n);
  if (own.empty() || own == groups.n.back() || !ir::isPlain(right)) return std::nullopt;
  std::vector<std::string> order = groups.batch;
  order.insert(order.end(), groups.k.begin(), groups.k.end());
  order.insert(order.end(), groups.n.begin(), groups.n.end());
  const OperandName& name = names[groups.right[0]];
  auto copy =
      turnedTo({order, "transposed_" + name.tensor}, name, groups.right[0], op, builder, options);
  if (copy) copy->how = {inFunction("transpose_" + name.tensor, std::move(copy->how))};
  return copy;
}

std::vector<affine::Expr> stepsOfK(
    const ir::StructuredOp& op, const Groups& groups, int64_t most, int64_t lanes,
    const std::function<affine::Expr(const std::string&, const affine::Expr&)>& least) {
  std::vector<affine::Expr> steps(groups.k.size());
  std::vector<bool> done(groups.k.size());
  affine::Expr left = transforms::constant(most);
  auto choose = [&](size_t i, const affine::Expr& atMost) {
    steps[i] = least(groups.k[i], atMost);
    done[i] = true;
    left = left.floorDiv(steps[i]);
  };
  for (size_t input : {groups.left[0], groups.right[0]}) {
    std::string own = contiguousIn(op.inputs[input], groups.k);
    for (size_t i = 0; i + 1 < groups.k.size() && groups.anyOrder; ++i)
      if (groups.k[i] == own && !done[i]) choose(i, transforms::constant(std::min(lanes, most)));
  }
  for (size_t i = groups.k.size(); i-- > 0;)
    if (!done[i]) choose(i, left);
  return steps;
}

}  // namespace einc::strategy
