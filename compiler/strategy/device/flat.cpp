// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/flat.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler/strategy/device/private_values.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::only;

class Flat {
 public:
  Flat(transforms::Builder& builder, Ops ops, const std::vector<std::vector<std::string>>& shared)
      : builder_(builder), ops_(std::move(ops)), shared_(shared) {}

  ir::Block run(const std::set<unsigned>& others, int64_t mostPrivate) {
    privates_ = privateValues(builder_.kernel(), ops_, shared_, others, mostPrivate);
    ir::Block block;
    for (ir::StructuredOp& op : ops_) transforms::canonicalize(builder_, op, block);
    append(block, loop(0));
    return block;
  }

 private:
  ir::Block loop(size_t next) {
    if (next == shared_.size()) return inside();
    ir::TileLoop loop = transforms::tileLoop(builder_, shared_[next][0] + "0",
                                             builder_.extent(ops_[0], shared_[next][0]),
                                             constant(1), ir::IteratorKind::Parallel);
    for (size_t op = 0; op < ops_.size(); ++op)
      ops_[op] = transforms::onPositions(builder_, ops_[op], shared_[next][op], {}, at(loop.var),
                                         "_" + loop.var, loop.body);
    append(loop.body, this->loop(next + 1));
    return only({std::move(loop)});
  }

  ir::Block inside() {
    ir::Block block, last;
    for (const PrivateValue& kept : privates_) {
      const ir::Tensor whole = builder_.kernel().tensors[kept.tensor];
      unsigned memory =
          builder_.tensor(whole.name + "_private", whole.type, kept.shape, ir::Role::Local);
      block.push_back({ir::Alloc{memory, ir::Space::Stack}});
      ir::Operand there = kept.uses.front().in(ops_), here{memory, {}, nullptr};
      if (kept.isStored && kept.readsFirst)
        block.push_back({copyOp(builder_.kernel(), there, here)});
      if (kept.isStored) last.push_back({copyOp(builder_.kernel(), here, there)});
      for (const PrivateValue::Use& use : kept.uses) use.in(ops_) = {memory, use.map, nullptr};
    }
    for (const ir::StructuredOp& op : ops_) block.push_back({op});
    append(block, std::move(last));
    return block;
  }

  transforms::Builder& builder_;
  Ops ops_;
  const std::vector<std::vector<std::string>>& shared_;
  std::vector<PrivateValue> privates_;
};

// Of a vec4.
constexpr int64_t kLanes = 4;

// Neighbours along the iterator are neighbours in each operand that uses it, and lines of it begin
// at multiples of so many. Nothing if one of them can never be so.
std::optional<std::vector<ir::Condition>> together(const ir::Kernel& kernel,
                                                   const ir::StructuredOp& op,
                                                   const std::string& iterator) {
  using Kind = ir::Condition::Kind;
  std::vector<ir::Condition> result;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const ir::Operand& operand = op.operand(i);
    if (operand.shapeOnly) continue;
    if (operand.pad) return std::nullopt;
    int64_t bytes = kLanes * ir::info(kernel.tensors[operand.tensor].type).bytes();
    bool isUsed = false;
    for (unsigned d = 0; d < operand.map.size(); ++d) {
      std::vector<std::string> used = operand.map[d].iterators();
      if (std::find(used.begin(), used.end(), iterator) == used.end()) continue;
      if (operand.map[d].asIterator() != iterator || isUsed) return std::nullopt;
      isUsed = true;
      const ir::Tensor& tensor = kernel.tensors[operand.tensor];
      if (tensor.role == ir::Role::Local) {  // row-major from 0 on
        if (d + 1 < tensor.shape.size()) return std::nullopt;
        result.push_back({Kind::Equal, tensor.shape[d].mod(constant(kLanes)), constant(0)});
        continue;
      }
      result.push_back({Kind::Unit, {}, {}, operand.tensor, d});
      result.push_back({Kind::Aligned, constant(bytes), {}, operand.tensor, d});
    }
  }
  return result;
}

}  // namespace

std::optional<FlatVectors> flatVectors(transforms::Builder& builder, ir::StructuredOp op,
                                       const std::vector<std::vector<std::string>>& shared) {
  if (shared.empty() || ir::reduces(op)) return std::nullopt;
  const std::string last = shared.back()[0];
  auto conditions = together(builder.kernel(), op, last);
  if (!conditions) return std::nullopt;
  FlatVectors result{std::move(*conditions), {}};
  affine::Expr extent = builder.extent(op, last);
  result.conditions.push_back(
      {ir::Condition::Kind::Equal, extent.mod(constant(kLanes)), constant(0)});
  transforms::canonicalize(builder, op, result.block);
  std::function<ir::Block(size_t)> loops = [&](size_t next) {
    if (next == shared.size()) {
      op.axes = {{last, kLanes}};
      return only({op});
    }
    bool isLast = next + 1 == shared.size();
    const std::string& name = shared[next][0];
    ir::TileLoop loop =
        transforms::tileLoop(builder, name + "0", builder.extent(op, name),
                             constant(isLast ? kLanes : 1), ir::IteratorKind::Parallel);
    std::vector<transforms::Dimension> dims;
    if (isLast) dims.push_back({name, constant(kLanes), constant(1)});
    op = transforms::onPositions(builder, op, name, dims, at(loop.var), "_" + loop.var, loop.body);
    append(loop.body, loops(next + 1));
    return only({std::move(loop)});
  };
  append(result.block, loops(0));
  return result;
}

ir::Block flat(transforms::Builder& builder, const target::Device& device, const Ops& ops,
               const std::vector<std::vector<std::string>>& shared,
               const std::set<unsigned>& others) {
  return Flat(builder, ops, shared).run(others, device.numbers.mostPrivate);
}

}  // namespace einc::strategy
