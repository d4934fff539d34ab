// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/streaming_common.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

// Bytes that one vector has in memory, below which it does not go around the caches.
constexpr int64_t kLeastStored = 16;

}  // namespace

bool StreamingCommon::has(const ir::Operand& operand, const std::string& name) {
  auto used = transforms::iteratorsOf(operand);
  return std::find(used.begin(), used.end(), name) != used.end();
}

int64_t StreamingCommon::lanes(const ir::StructuredOp& op) const {
  return target_.lanes(transforms::registerBytes(op));
}

bool StreamingCommon::mayReorder(const ir::StructuredOp& op) const {
  return transforms::mayReorder(op, options_.keepsOrder);
}

transforms::Tiling StreamingCommon::onThreads(const ir::StructuredOp& op,
                                              const std::string& iterator, int64_t step,
                                              bool outer) const {
  return amongThreads(builder_, options_.threads, op, {iterator, constant(step)}, kElementsAThread,
                      outer);
}

ir::Block StreamingCommon::outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                                 const Inner& inner, bool loopsOnThreads) {
  std::vector<std::string> loops;
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == ir::IteratorKind::Parallel &&
        std::find(but.begin(), but.end(), i.name) == but.end())
      loops.push_back(i.name);
  if (loops.empty()) return inner(op);
  bool more = loops.size() > 1 || loopsOnThreads;
  return only(transforms::tile(
      builder_, op, onThreads(op, loops[0], 1, more),
      [&](const Tile& tile) { return outer(tile.op, but, inner, loopsOnThreads); }));
}

std::optional<ir::If> StreamingCommon::whereLarge(const ir::StructuredOp& op) const {
  if (op.outputs.size() != 1 || ir::reduces(op) || target_.vectorBytes == 0) return std::nullopt;
  const ir::Tensor& output = builder_.kernel().tensors[rootOf(op.outputs[0].tensor)];
  bool isRead = ir::readsOperand(op, op.inputs.size());
  // What other ops of the kernel do with it, they do soon.
  size_t uses = 0;
  ir::forEachOp(builder_.kernel().body, [&](const ir::StructuredOp& other) {
    for (size_t i = 0; i < other.operandCount(); ++i)
      uses +=
          !other.operand(i).shapeOnly && other.operand(i).tensor == rootOf(op.outputs[0].tensor);
  });
  if (isRead || uses != 1 || output.role != ir::Role::Output) return std::nullopt;
  auto bytes = static_cast<int64_t>(ir::info(output.type).bytes());
  if (lanes(op) * bytes < kLeastStored) return std::nullopt;
  // Sizes that are not 0 have a product: their elements are in memory.
  ir::If test{{}, {}, {}};
  Expr count = constant(1);
  for (const ir::Iterator& i : op.iterators) {
    Expr extent = builder_.extent(op, i.name);
    count = count * extent;
    if (!extent.asConstant())
      test.conditions.push_back({ir::Condition::Kind::Less, constant(0), extent});
  }
  Expr limit = constant(target_.l3.bytes / bytes);
  if (auto known = count.asConstant(); known && *known * bytes <= target_.l3.bytes)
    return std::nullopt;
  test.conditions.push_back({ir::Condition::Kind::Less, limit, count});
  return test;
}

int64_t StreamingCommon::widthOf(const ir::StructuredOp& op, int64_t vectors) const {
  int64_t all = builder_.extent(op, axis_).asConstant().value_or(INT64_MAX) - 1;
  return std::min(vectors, std::max<int64_t>(all, 0) / lanes(op) + 1) * lanes(op);
}

std::optional<ir::Ahead> StreamingCommon::ahead(const ir::StructuredOp& op) const {
  if (target_.ahead == 0) return std::nullopt;
  return ir::Ahead{axis_, target_.ahead / target_.vectorBytes * lanes(op)};
}

unsigned StreamingCommon::rootOf(unsigned tensor) const {
  auto base = bases_.find(tensor);
  return base == bases_.end() ? tensor : base->second;
}

ir::Block StreamingCommon::line(const ir::StructuredOp& op) {
  const ir::Operand& output = op.outputs[0];
  int64_t width = lanes(op);
  ir::Block block;
  int64_t bytes = ir::info(builder_.kernel().tensors[output.tensor].type).bytes();
  ir::Lead lead{builder_.name("lead"), output.tensor, dimOf(output, axis_), width * bytes};
  Expr done = size(lead.name), extent = builder_.extent(op, axis_);
  std::string run = builder_.name(axis_ + "_run");
  auto on = [&](const std::vector<transforms::Dimension>& dims, const Expr& from,
                std::vector<ir::Axis> axes) {
    ir::StructuredOp part =
        transforms::onPositions(builder_, op, axis_, dims, from, "_part", block);
    part.axes = std::move(axes);
    block.push_back({std::move(part)});
  };
  auto end = [&](const Expr& from, const Expr& count) {
    std::vector<ir::Axis> axes;
    if (target_.hasMasks) axes.push_back({axis_, width});
    on({{axis_, count, constant(1)}}, from, std::move(axes));
  };
  // As many times `places` places, one behind the other, as there are.
  auto vectors = [&](int64_t places) {
    int64_t each = places == 1 ? width : kVectors / places * width;
    ir::Bound times{builder_.name("times"), {(extent - done).floorDiv(constant(places * each))}};
    block.push_back({times});
    Expr length = size(times.name);
    std::vector<transforms::Dimension> dims{{run, length, constant(each)}};
    std::vector<ir::Axis> axes{{axis_, each}};
    if (places > 1) {
      std::string place = builder_.name("place");
      dims.push_back({place, constant(places), length * constant(each)});
      axes.insert(axes.begin(), {place, places});
    }
    dims.push_back({axis_, constant(each), constant(1)});
    on(dims, done, axes);
    done = done + length * constant(places * each);
  };
  block.push_back({lead});
  end(constant(0), done);
  if (target_.places > 1) vectors(target_.places);
  vectors(1);
  end(done, extent - done);
  return block;
}

}  // namespace einc::strategy
