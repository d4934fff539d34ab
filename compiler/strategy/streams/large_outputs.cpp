// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/large_outputs.h"

#include <algorithm>

#include "compiler/facts/views.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

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

// Whether ops read what is in the memory of this tensor.
bool isRead(const ir::Kernel& kernel, const facts::Views& views, unsigned memory) {
  bool result = false;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      result |= !op.operand(i).shapeOnly && ir::readsOperand(op, i) &&
                views.rootOf(op.operand(i).tensor) == memory;
  });
  return result;
}

std::vector<affine::Expr> extentsOf(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  std::vector<affine::Expr> extents;
  for (const ir::Iterator& i : op.iterators) {
    const auto extent = ir::extentOf(kernel, op, i.name);
    extents.push_back(extent ? extent->extent : extentOf(i.name));
  }
  return extents;
}
// As steps name them.
std::vector<affine::Expr> extentsIn(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  const Space space(kernel, op);
  std::vector<affine::Expr> extents;
  for (const ir::Iterator& i : op.iterators) {
    const auto known = space.known(i.name);
    extents.push_back(known ? transforms::constant(*known) : extentOf(i.name));
  }
  return extents;
}

// Of all that one op or its tiles write: sizes, or numbers.
std::optional<std::vector<affine::Expr>> sizesOf(const std::vector<affine::Expr>& shape) {
  const bool areKnown = llvm::all_of(
      shape, [](const affine::Expr& size) { return size.asConstant() || size.asSymbol(); });
  return areKnown ? std::optional(shape) : std::nullopt;
}

}  // namespace

unsigned memoryOf(const ir::Kernel& kernel, unsigned tensor) {
  return facts::viewsIn(kernel).rootOf(tensor);
}

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
  const facts::Views views = facts::viewsIn(kernel);
  const unsigned tensor = (whole ? *whole : op).outputs[0].tensor, memory = views.rootOf(tensor);
  const ir::Tensor& output = kernel.tensors[memory];
  if (usesOf(kernel, tensor) != 1 || isRead(kernel, views, memory) ||
      output.role != ir::Role::Output || ir::info(output.type).isPacked())
    return std::nullopt;
  const int64_t bytes = ir::info(output.type).bytes();
  if (target.lanes(transforms::registerBytes(op)) * bytes < kLeastStored) return std::nullopt;
  const auto extents = memory != tensor ? sizesOf(output.shape)
                       : whole          ? sizesOf(extentsOf(kernel, *whole))
                                        : std::optional(extentsIn(kernel, op));
  if (!extents) return std::nullopt;
  auto beyond = beyondCaches(*extents, bytes, large);
  if (!beyond) return std::nullopt;
  std::vector<Test> tests;
  for (const affine::Expr& size : beyond->sizes)
    tests.push_back({Test::Kind::Less, transforms::constant(0), size});
  tests.push_back({Test::Kind::Less, transforms::constant(beyond->limit), beyond->count});
  return tests;
}

}  // namespace einc::strategy
