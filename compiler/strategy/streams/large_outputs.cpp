// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/large_outputs.h"

#include <algorithm>

#include "compiler/ir/shape.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {
namespace {

// Bytes that one vector has in memory, below which it does not go around the caches.
constexpr int64_t kLeastStored = 16;

size_t usesOf(const ir::Kernel& kernel, unsigned tensor) {
  size_t uses = 0;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      uses += !op.operand(i).shapeOnly && op.operand(i).tensor == tensor;
  });
  return uses;
}

}  // namespace

std::optional<Beyond> beyondCaches(const std::vector<affine::Expr>& extents, int64_t bytes,
                                   int64_t large) {
  Beyond result{{}, transforms::constant(1), large / bytes};
  for (const affine::Expr& extent : extents) {
    result.count = result.count * extent;
    if (!extent.asConstant()) result.sizes.push_back(extent);
  }
  if (auto known = result.count.asConstant(); known && *known <= result.limit) return std::nullopt;
  return result;
}

int64_t largeOutput(const ir::StructuredOp& op, const target::Target& target) {
  const auto inputs =
      std::count_if(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
        return !input.shapeOnly && transforms::iteratorsOf(input).size() == op.iterators.size();
      });
  const int64_t caches = inputs == 0   ? target.numbers.writtenAlone
                         : inputs == 1 ? target.numbers.writtenWithOne
                                       : 1;
  return target.l3.bytes * caches;
}

std::optional<std::vector<Test>> whereLarge(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                            const ScheduleOptions& options, int64_t large,
                                            const ir::StructuredOp* whole) {
  const target::Target& target = *options.target;
  if (op.outputs.size() != 1 || ir::reduces(op) || target.vectorBytes == 0) return std::nullopt;
  const unsigned tensor = (whole ? *whole : op).outputs[0].tensor;
  const ir::Tensor& output = kernel.tensors[tensor];
  if (ir::readsOperand(op, op.inputs.size()) || usesOf(kernel, tensor) != 1 ||
      output.role != ir::Role::Output || ir::info(output.type).isPacked())
    return std::nullopt;
  const int64_t bytes = ir::info(output.type).bytes();
  if (target.lanes(transforms::registerBytes(op)) * bytes < kLeastStored) return std::nullopt;
  Space space(kernel, op);
  std::vector<affine::Expr> extents;
  for (const ir::Iterator& i : (whole ? *whole : op).iterators) {
    if (whole) {
      const auto extent = ir::extentOf(kernel, *whole, i.name);
      if (!extent || !(extent->extent.asConstant() || extent->extent.asSymbol()))
        return std::nullopt;
      extents.push_back(extent->extent);
      continue;
    }
    auto known = space.known(i.name);
    extents.push_back(known ? transforms::constant(*known) : extentOf(i.name));
  }
  auto beyond = beyondCaches(extents, bytes, large);
  if (!beyond) return std::nullopt;
  std::vector<Test> tests;
  for (const affine::Expr& size : beyond->sizes)
    tests.push_back({Test::Kind::Less, transforms::constant(0), size});
  tests.push_back({Test::Kind::Less, transforms::constant(beyond->limit), beyond->count});
  return tests;
}

}  // namespace einc::strategy
