// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/nest.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/transpose_tile.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::Tile;

// A row of results uses at least three of five lanes of its vectors.
constexpr int64_t kLeastUsed = 3, kLanesOf = 5;

// Rows, and iterations, of a product that are worth its start.
constexpr int64_t kLeastRows = 6, kLeastIterations = 4096;

// Squares that are asked for before they are transposed: their rows are far apart.
constexpr int64_t kAhead = 4;

// Vectors of columns in a block that is transposed, where all would be too much.
constexpr int64_t kVectors = 3;

class Nest {
 public:
  using Product = std::function<ir::Block(const ir::StructuredOp&)>;

  Nest(transforms::Builder& builder, const Groups& groups, const ScheduleOptions& options,
       const Product& product)
      : builder_(builder), groups_(groups), options_(options), product_(product) {}

  Result<Nested> run(ir::StructuredOp op) {
    if (auto reason = choose(op)) return *reason;
    if (auto reason = fits(op)) return *reason;
    Nested result;
    transforms::canonicalize(builder_, op, result.block);
    append(result.block, loops(op, 0));
    result.line = text();
    return result;
  }

 private:
  using No = std::optional<Reason>;

  int64_t extent(const ir::StructuredOp& op, const std::string& iterator) const {
    return *builder_.extent(op, iterator).asConstant();
  }
  int64_t extent(const ir::StructuredOp& op, const std::vector<std::string>& iterators) const {
    return *builder_.positions(op, iterators).asConstant();
  }

  // Those of the group but one, as the output has them.
  static std::vector<std::string> others(const ir::StructuredOp& op,
                                         const std::vector<std::string>& group,
                                         const std::string& but) {
    std::vector<std::string> result;
    for (const Expr& index : op.outputs[0].map) {
      auto name = index.asIterator();
      if (name && *name != but && llvm::is_contained(group, *name)) result.push_back(*name);
    }
    return result;
  }

  // Which iterators are loops, and which are left.
  No choose(const ir::StructuredOp& op) {
    for (const ir::Iterator& i : op.iterators)
      if (!builder_.extent(op, i.name).asConstant()) return Reason{"its sizes are not all known"};
    const ir::Operand &left = op.inputs[groups_.left[0]], &right = op.inputs[groups_.right[0]];
    for (const ir::Operand* operand : {&left, &right, &op.outputs[0]})
      if (!isPlain(*operand)) return Reason{"its indices are not plain iterators"};
    column_ = contiguousIn(op.outputs[0], groups_.n);
    row_ = contiguousIn(left, groups_.m);
    std::vector<std::string> rows = others(op, groups_.m, "");
    if (row_.empty()) row_ = rows.back();
    std::string own = *right.map.back().asIterator();
    if (column_.empty() || llvm::is_contained(groups_.batch, own))
      return Reason{"an operand is contiguous along a batch"};
    transposes_ = own != column_;
    transposed_ = transposes_ && llvm::is_contained(groups_.n, own) ? own : "";
    outer_ = others(op, groups_.batch, "");
    for (const std::string& name : others(op, groups_.n, column_))
      if (name != transposed_) outer_.push_back(name);
    inner_ = others(op, groups_.m, row_);
    return {};
  }

  No fits(const ir::StructuredOp& op) {
    const target::Target& target = *options_.target;
    auto bytesOf = [&](size_t input) {
      const ir::Tensor& tensor = builder_.kernel().tensors[op.inputs[input].tensor];
      return static_cast<int64_t>(ir::info(tensor.type).bytes());
    };
    lanes_ = target.lanes(transforms::registerBytes(op));
    int64_t bytes = bytesOf(groups_.right[0]), columns = extent(op, column_),
            rows = extent(op, row_), terms = extent(op, groups_.k), room = target.l2.bytes / 4 * 3;
    if (columns * kLanesOf < (columns + lanes_ - 1) / lanes_ * lanes_ * kLeastUsed)
      return Reason{"rows of results are short"};
    if (rows < kLeastRows || rows * columns * terms < kLeastIterations)
      return Reason{"its products are small"};
    int64_t left = extent(op, groups_.m) * terms * bytesOf(groups_.left[0]);
    bool again = extent(op, groups_.n) > columns;
    if (again && left > room) return Reason{"the left operand does not stay in the second cache"};
    int64_t together = 1;
    columnsAtOnce_ = columns;
    if (!transposed_.empty()) {
      together = extent(op, transposed_);
      auto fitted = [&] { return room / terms / bytes / columnsAtOnce_ / lanes_ * lanes_; };
      if (fitted() < std::min(together, lanes_))
        columnsAtOnce_ = std::min(columns, kVectors * lanes_);
      together = std::min(together, fitted());
      if (together == 0) return Reason{"blocks to transpose do not fit in the second cache"};
      transposedAtOnce_ = together;
    }
    if (!inner_.empty() && columnsAtOnce_ * terms * together * bytes > room)
      return Reason{"the right operand does not stay in the second cache"};
    if (options_.threads > 1 && (outer_.empty() || extent(op, outer_[0]) < 2 * options_.threads))
      return Reason{"its outermost loop is short"};
    return {};
  }

  std::string text() const {
    std::string names;
    for (const auto* group : {&outer_, &inner_})
      for (const std::string& name : *group) names += (names.empty() ? "" : ", ") + name;
    if (!transposed_.empty()) names += (names.empty() ? "" : ", ") + transposed_;
    std::string result = "loops over " + names + ", and in them products of matrices";
    if (transposes_) result += ", of which the right one is transposed first";
    return result;
  }

  ir::Block loops(const ir::StructuredOp& op, size_t next) {
    if (next == outer_.size()) return blocks(op);
    transforms::Tiling tiling{outer_[next], constant(1)};
    if (next == 0)
      tiling = amongThreads(builder_, options_.threads, op, tiling, kIterationsAThread);
    return only(transforms::tile(builder_, op, tiling,
                                 [&](const Tile& tile) { return loops(tile.op, next + 1); }));
  }

  // Of columns, and of what is transposed with them.
  ir::Block blocks(const ir::StructuredOp& op) {
    auto some = [&](const ir::StructuredOp& part, int64_t) {
      if (transposed_.empty() || transposedAtOnce_ == extent(part, transposed_))
        return arranged(part);
      return only(transforms::tile(builder_, part, {transposed_, constant(transposedAtOnce_)},
                                   [&](const Tile& tile) { return arranged(tile.op); }));
    };
    auto whole = [&](const ir::StructuredOp& part, int64_t count) {
      if (count == columnsAtOnce_) return some(part, count);
      return only(transforms::tile(builder_, part, {column_, constant(columnsAtOnce_)},
                                   [&](const Tile& tile) { return some(tile.op, 0); }));
    };
    return transforms::wholeAndRest(builder_, op, column_, columnsAtOnce_, whole, some);
  }

  ir::Block arranged(ir::StructuredOp op) {
    ir::Block block;
    if (transposes_) block = turn(op);
    append(block, transposed_.empty()
                      ? along(op, inner_, 0, product_)
                      : only(transforms::tile(builder_, op, {transposed_, constant(1)},
                                              [&](const Tile& tile) {
                                                return along(tile.op, inner_, 0, product_);
                                              })));
    return block;
  }

  // The right operand goes to memory of its own: [transposed][k][column].
  ir::Block turn(ir::StructuredOp& op) {
    ir::Operand& right = op.inputs[groups_.right[0]];
    const ir::Tensor tensor = builder_.kernel().tensors[right.tensor];
    std::vector<std::string> order = groups_.k;
    if (!transposed_.empty()) order.insert(order.begin(), transposed_);
    order.push_back(column_);
    std::vector<Expr> room, shape, map;
    for (const std::string& name : order) {
      shape.push_back(builder_.extent(op, name));
      room.push_back(name == transposed_ ? constant(transposedAtOnce_) : shape.back());
      map.push_back(at(name));
    }
    std::string root = tensor.name.substr(0, tensor.name.find('_'));
    unsigned buffer =
        builder_.tensor("blocks_" + root, tensor.type, std::move(room), ir::Role::Local);
    unsigned part =
        builder_.tensor("blocks_" + root + "_part", tensor.type, std::move(shape), ir::Role::View);
    ir::Block block;
    block.push_back({ir::Alloc{buffer, ir::Space::Heap}});
    block.push_back({ir::View{part, buffer, order, map, nullptr}});
    ir::StructuredOp copy;
    for (const std::string& name : order)
      copy.iterators.push_back({name, ir::IteratorKind::Parallel});
    copy.inputs = {right};
    copy.outputs = {{part, map, nullptr}};
    copy.results = {ir::makeValue(tensor.type, ir::OperandRef{0})};
    right = copy.outputs[0];
    block.push_back({ir::Outline{builder_.name("transpose_" + root), inTransposeTiles(copy)}});
    return block;
  }

  // Some lines of the operand at a time, each read on and on.
  ir::Block inTransposeTiles(const ir::StructuredOp& copy) {
    std::vector<std::string> others;
    for (const Expr& index : copy.inputs[0].map) others.push_back(*index.asIterator());
    std::string own = others.back();
    others.pop_back();
    std::erase(others, column_);
    ir::Condition unit{
        ir::Condition::Kind::Unit, {}, {}, copy.inputs[0].tensor, dimOf(copy.inputs[0], own)};
    ir::Block squares =
        only(transforms::tile(builder_, copy, {column_, constant(lanes_)}, [&](const Tile& rows) {
          return along(rows.op, others, 0, [&](const ir::StructuredOp& line) {
            return only(
                transforms::tile(builder_, line, {own, constant(lanes_)}, [&](const Tile& columns) {
                  ir::StructuredOp tile = columns.op;
                  tile.ahead = ir::Ahead{own, kAhead * lanes_};
                  return transposeTile(std::move(tile), {column_, transforms::size(rows.size)},
                                       {own, transforms::size(columns.size)}, lanes_,
                                       options_.target->hasMasks);
                }));
          });
        }));
    return only({ir::If{{unit}, std::move(squares), only({copy})}});
  }

  ir::Block along(const ir::StructuredOp& op, const std::vector<std::string>& iterators,
                  size_t next, const Product& inner) {
    if (next == iterators.size()) return inner(op);
    return only(transforms::tile(
        builder_, op, {iterators[next], constant(1)},
        [&](const Tile& tile) { return along(tile.op, iterators, next + 1, inner); }));
  }

  transforms::Builder& builder_;
  const Groups& groups_;
  const ScheduleOptions& options_;
  const Product& product_;
  std::string row_, column_;                // what is left of M and N
  std::vector<std::string> outer_, inner_;  // loops before what is transposed, and in it
  bool transposes_ = false;                 // whether the right operand is transposed
  std::string transposed_;                  // the iterator of N along which it is contiguous
  int64_t lanes_ = 1, columnsAtOnce_ = 0, transposedAtOnce_ = 0;
};

}  // namespace

Result<Nested> nest(transforms::Builder& builder, const ir::StructuredOp& op, const Groups& groups,
                    const ScheduleOptions& options,
                    const std::function<ir::Block(const ir::StructuredOp&)>& product) {
  return Nest(builder, groups, options, product).run(op);
}

}  // namespace einc::strategy
