// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/device/private_values.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::only;
using transforms::size;

class OnRows {
 public:
  OnRows(transforms::Builder& builder, Ops ops, const std::vector<std::vector<std::string>>& shared,
         const DeviceRows& shape)
      : builder_(builder), ops_(std::move(ops)), shared_(shared), shape_(shape) {}

  ir::Block run(const std::set<unsigned>& others) {
    privates_ = privateValues(builder_.kernel(), ops_, shared_, others, 1);
    std::erase_if(privates_, [](const PrivateValue& kept) { return !kept.shape.empty(); });
    ir::Block block;
    for (ir::StructuredOp& op : ops_) {
      op = transforms::asSum(op);
      transforms::canonicalize(builder_, op, block);
    }
    append(block, loop(0));
    return block;
  }

 private:
  // All shared iterators but the last by 1, that in rows.
  ir::Block loop(size_t next) {
    bool isLast = next + 1 >= shared_.size();
    Expr extent = shared_.empty() ? constant(1) : builder_.extent(ops_[0], shared_[next][0]);
    ir::TileLoop loop = transforms::tileLoop(
        builder_, shared_.empty() ? "all" : shared_[next][0] + "0", extent,
        constant(isLast && !shared_.empty() ? shape_.rows : 1), ir::IteratorKind::Parallel);
    for (size_t op = 0; op < ops_.size() && !shared_.empty(); ++op) {
      const std::string& name = shared_[next][op];
      std::vector<transforms::Dimension> dims;
      if (isLast) dims.push_back({name, size(loop.size), constant(1)});
      ops_[op] = transforms::onPositions(builder_, ops_[op], name, dims, at(loop.var),
                                         "_" + loop.var, loop.body);
    }
    if (!isLast) {
      append(loop.body, this->loop(next + 1));
    } else {
      count_ = shared_.empty() ? constant(1) : size(loop.size);
      append(loop.body, workgroup());
    }
    return only({std::move(loop)});
  }

  // The iterator over rows of an op; empty if there is one row.
  std::string rowOf(size_t op) const { return shared_.empty() ? "" : shared_.back()[op]; }

  ir::Block workgroup() {
    ir::Block block, last;
    for (const PrivateValue& kept : privates_) keep(kept, block, last);
    for (size_t op = 0; op < ops_.size(); ++op) append(block, code(op));
    append(block, std::move(last));
    return block;
  }

  // One element for each row, in the memory of the workgroup.
  void keep(const PrivateValue& kept, ir::Block& block, ir::Block& last) {
    const ir::Tensor whole = builder_.kernel().tensors[kept.tensor];
    unsigned memory =
        builder_.tensor(whole.name + "_rows", whole.type, {constant(shape_.rows)}, ir::Role::Local);
    block.push_back({ir::Alloc{memory, ir::Space::Workgroup}});
    ir::Operand there = kept.uses.front().in(ops_);
    std::string row = builder_.name("row");
    std::vector<Expr> sizes, map;
    if (!shared_.empty()) {
      sizes = {count_};
      map = {at(row)};
    }
    unsigned part = builder_.tensor(whole.name + "_part", whole.type, sizes, ir::Role::View);
    ir::View view{part, memory, {}, {constant(0)}, nullptr};
    if (!shared_.empty()) view = {part, memory, {row}, {at(row)}, nullptr};
    block.push_back({std::move(view)});
    auto here = [&](const std::string& name) {
      return shared_.empty() ? ir::Operand{part, {}, nullptr}
                             : ir::Operand{part, {at(name)}, nullptr};
    };
    std::string name = rowOf(kept.uses.front().op);
    if (kept.isStored && kept.readsFirst)
      block.push_back({copyOp(builder_.kernel(), there, here(name))});
    if (kept.isStored) last.push_back({copyOp(builder_.kernel(), here(name), there)});
    for (const PrivateValue::Use& use : kept.uses) use.in(ops_) = here(rowOf(use.op));
  }

  ir::Block code(size_t number) {
    ir::StructuredOp op = ops_[number];
    std::string row = rowOf(number);
    std::vector<std::string> parallel, reductions;
    for (const ir::Iterator& i : op.iterators)
      if (i.name != row)
        (i.kind == ir::IteratorKind::Parallel ? parallel : reductions).push_back(i.name);
    ir::Block block;
    if (!parallel.empty())
      append(block, alongLanes(op, row, parallel, block));
    else if (!reductions.empty())
      append(block, reduced(op, row, reductions, block));
    else
      block.push_back({op});
    return block;
  }

  using Inside = std::function<ir::Block(const std::string& r, const std::string& t)>;

  // An invocation each; only the first lanes of each row, if it is said.
  ir::Block invocations(int64_t lanes, const Inside& inside) {
    using Kind = ir::Condition::Kind;
    ir::TileLoop rows = transforms::tileLoop(builder_, "r", constant(shape_.rows), constant(1),
                                             ir::IteratorKind::Parallel);
    ir::TileLoop along = transforms::tileLoop(builder_, "t", constant(lanes), constant(1),
                                              ir::IteratorKind::Parallel);
    ir::Block body = inside(rows.var, along.var);
    if (count_.asConstant() != shape_.rows)
      body = only({ir::If{{{Kind::Less, at(rows.var), count_}}, std::move(body), {}}});
    along.body = std::move(body);
    rows.body = only({std::move(along)});
    return only({std::move(rows)});
  }

  // The op on one row, and on the positions t, t + lanes, ... of `along`.
  ir::StructuredOp onLane(const ir::StructuredOp& op, const std::string& row,
                          const std::string& along, const std::string& r, const std::string& t,
                          ir::Block& block) {
    ir::StructuredOp part = op;
    if (!row.empty())
      part = transforms::onPositions(builder_, part, row, {}, at(r), "_" + r, block);
    Expr lanes = constant(shape_.lanes);
    std::string count = builder_.name(along + "_count");
    block.push_back({ir::Bound{count, {(builder_.extent(part, along) - at(t)).ceilDiv(lanes)}}});
    return transforms::onPositions(builder_, part, along, {{along, size(count), lanes}}, at(t),
                                   "_" + t, block);
  }

  ir::Block alongLanes(ir::StructuredOp op, const std::string& row,
                       const std::vector<std::string>& parallel, ir::Block& before) {
    std::string along = collapse(builder_, op, parallel, before);
    return invocations(shape_.lanes, [&](const std::string& r, const std::string& t) {
      ir::Block block;
      ir::StructuredOp part = onLane(op, row, along, r, t, block);
      block.push_back({std::move(part)});
      return block;
    });
  }

  using Operands = std::vector<ir::Operand>;

  // What a lane of a row has, of each output.
  Operands lane(const std::vector<unsigned>& parts, const Expr& r, const Expr& t,
                const std::string& suffix, ir::Block& block) {
    Operands result;
    for (unsigned part : parts) {
      const ir::Tensor whole = builder_.kernel().tensors[part];
      unsigned view = builder_.tensor(whole.name + suffix, whole.type, {}, ir::Role::View);
      block.push_back({ir::View{view, part, {}, {r, t}, nullptr}});
      result.push_back({view, {}, nullptr});
    }
    return result;
  }

  static ir::StructuredOp merged(const ir::Combiner& combiner, Operands what, Operands to) {
    ir::StructuredOp op;
    for (const std::string& name : transforms::iteratorsOf(to[0]))
      op.iterators.push_back({name, ir::IteratorKind::Parallel});
    op.inputs = std::move(what);
    op.outputs = std::move(to);
    op.results = transforms::inputsIntoOutputs(combiner);
    return op;
  }

  ir::Block reduced(ir::StructuredOp op, const std::string& row,
                    const std::vector<std::string>& reductions, ir::Block& before) {
    ir::Combiner combiner = *transforms::partsOf(op);
    if (auto function = transforms::combinerOf(op))
      combiner.neutral = {transforms::neutral(*function, op.results[0]->type)};
    const Operands outputs = op.outputs;
    op.combiner = nullptr;
    std::string along = collapse(builder_, op, reductions, before);
    std::vector<unsigned> parts;
    ir::Block block;
    for (const ir::Operand& output : outputs) {
      const ir::ScalarType type = builder_.kernel().tensors[output.tensor].type;
      parts.push_back(builder_.tensor(
          "parts", type, {constant(shape_.rows), constant(shape_.lanes)}, ir::Role::Local));
      block.push_back({ir::Alloc{parts.back(), ir::Space::Workgroup}});
    }
    append(block, invocations(shape_.lanes, [&](const std::string& r, const std::string& t) {
             ir::Block inside;
             ir::StructuredOp part = onLane(op, row, along, r, t, inside);
             part.outputs = lane(parts, at(r), at(t), "_" + t, inside);
             ir::StructuredOp start;
             start.outputs = part.outputs;
             start.results = combiner.neutral;
             inside.push_back({std::move(start)});
             inside.push_back({std::move(part)});
             return inside;
           }));
    for (int64_t half = shape_.lanes / 2; half > 0; half /= 2)
      append(block, invocations(half, [&](const std::string& r, const std::string& t) {
               ir::Block inside;
               Operands to = lane(parts, at(r), at(t), "_" + t, inside);
               Operands what = lane(parts, at(r), at(t) + constant(half), "_other", inside);
               inside.push_back({merged(combiner, std::move(what), std::move(to))});
               return inside;
             }));
    append(block, total(combiner, parts, row, outputs));
    return block;
  }

  // What the lanes have, combined into the outputs.
  ir::Block total(const ir::Combiner& combiner, const std::vector<unsigned>& parts,
                  const std::string& row, const Operands& outputs) {
    ir::Block block;
    Operands first;
    for (unsigned part : parts) {
      const ir::Tensor whole = builder_.kernel().tensors[part];
      std::vector<Expr> sizes;
      ir::View view{0, part, {}, {constant(0), constant(0)}, nullptr};
      if (!row.empty()) {
        sizes = {count_};
        view = {0, part, {row}, {at(row), constant(0)}, nullptr};
      }
      view.view = builder_.tensor(whole.name + "_first", whole.type, sizes, ir::Role::View);
      first.push_back({view.view, {}, nullptr});
      if (!row.empty()) first.back().map = {at(row)};
      block.push_back({std::move(view)});
    }
    block.push_back({merged(combiner, std::move(first), outputs)});
    return block;
  }

  transforms::Builder& builder_;
  Ops ops_;
  const std::vector<std::vector<std::string>>& shared_;
  const DeviceRows& shape_;
  std::vector<PrivateValue> privates_;
  Expr count_;  // of the rows of a workgroup
};

}  // namespace

bool mayShareRows(const Ops& ops, bool keepsOrder) {
  return std::all_of(ops.begin(), ops.end(), [&](const ir::StructuredOp& op) {
    return !ir::reduces(op) || transforms::mayReorder(transforms::asSum(op), keepsOrder);
  });
}

DeviceRows thatFit(DeviceRows rows, const ir::Kernel& kernel, const Ops& ops, int64_t sharedBytes) {
  int64_t row = 0, lane = 0;
  for (const ir::StructuredOp& op : ops)
    for (const ir::Operand& output : op.outputs) {
      const int64_t bytes =
          std::max<int64_t>(ir::info(kernel.tensors[output.tensor].type).bytes(), 4);
      row += bytes;
      if (ir::reduces(op)) lane += bytes;
    }
  auto bytes = [&] { return rows.rows * (row + rows.lanes * lane); };
  while (bytes() > sharedBytes && rows.rows > 1) rows.rows /= 2;
  while (bytes() > sharedBytes && rows.lanes > 1) rows.lanes /= 2;
  return rows;
}

ir::Block onRows(transforms::Builder& builder, const Ops& ops,
                 const std::vector<std::vector<std::string>>& shared,
                 const std::set<unsigned>& others, const DeviceRows& rows) {
  return OnRows(builder, ops, shared, rows).run(others);
}

}  // namespace einc::strategy
