// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/nest.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/grain.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;
using transforms::Tile;

// Why there are loops.
constexpr const char* kEach = "a matrix product for each";
constexpr const char* kBlock = "what is transposed of the right operand stays in the second cache";

class Nest {
 public:
  // `kernel` is one where the op is looked at.
  Nest(ir::Kernel& kernel, const std::vector<OperandName>& names, const Groups& groups,
       const ScheduleOptions& options, const OnProduct& product)
      : builder_(kernel),
        names_(names),
        groups_(groups),
        options_(options),
        numbers_(options.target->numbers),
        product_(product) {}

  Result<Nested> run(ir::StructuredOp op) {
    if (auto reason = choose(op)) return *reason;
    if (auto reason = fits(op)) return *reason;
    ir::Block unread;
    transforms::canonicalize(builder_, op, unread);
    Steps steps = loops(op, 0);
    return Nested{std::move(steps), text()};
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
      if (!ir::isPlain(*operand)) return Reason{"its indices are not plain iterators"};
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
            rows = extent(op, row_), terms = extent(op, groups_.k),
            room = target.l2.bytes / 4 * numbers_.nestQuarters;
    if (columns * 100 < (columns + lanes_ - 1) / lanes_ * lanes_ * numbers_.nestLanes)
      return Reason{"rows of results are short"};
    if (rows < numbers_.nestRows || rows * columns * terms < numbers_.nestIterations)
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
        columnsAtOnce_ = std::min(columns, numbers_.nestVectors * lanes_);
      together = std::min(together, fitted());
      if (together == 0) return Reason{"blocks to transpose do not fit in the second cache"};
      transposedAtOnce_ = together;
    }
    if (!inner_.empty() && columnsAtOnce_ * terms * together * bytes > room)
      return Reason{"the right operand does not stay in the second cache"};
    if (options_.threads > 1 &&
        (outer_.empty() || extent(op, outer_[0]) < numbers_.leastOuter * options_.threads))
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

  using Inside = std::function<Steps(const ir::StructuredOp&)>;

  // A loop, and what is done in it.
  Steps tile(const ir::StructuredOp& op, const TileStep& step, const std::string& why,
             const Inside& inside) {
    Steps steps = {Step(step, why)};
    transforms::tile(builder_, op, {step.iterator, step.by}, [&](const Tile& tile) {
      llvm::append_range(steps, inside(tile.op));
      return ir::Block();
    });
    return steps;
  }

  Steps loops(const ir::StructuredOp& op, size_t next) {
    if (next == outer_.size()) return blocks(op);
    TileStep step{outer_[next], constant(1)};
    if (next == 0 && options_.threads > 1) step.threads = Threads{numbers_.iterationsPerThread};
    return tile(op, step, kEach,
                [&](const ir::StructuredOp& part) { return loops(part, next + 1); });
  }

  // Of columns, and of what is transposed with them.
  Steps blocks(const ir::StructuredOp& op) {
    auto some = [&](const ir::StructuredOp& part) -> Steps {
      if (transposed_.empty() || transposedAtOnce_ == extent(part, transposed_))
        return arranged(part);
      return tile(part, {transposed_, constant(transposedAtOnce_)}, kBlock,
                  [&](const ir::StructuredOp& inner) { return arranged(inner); });
    };
    Steps whole, rest;
    int64_t positions = 0;
    transforms::wholeAndRest(
        builder_, op, column_, columnsAtOnce_,
        [&](const ir::StructuredOp& part, int64_t count) {
          positions = count;
          whole = count == columnsAtOnce_
                      ? some(part)
                      : tile(part, {column_, constant(columnsAtOnce_)}, kBlock, some);
          return ir::Block();
        },
        [&](const ir::StructuredOp& part, int64_t) {
          rest = some(part);
          return ir::Block();
        });
    if (whole.empty() || rest.empty()) return whole.empty() ? rest : whole;
    return {Step(CutStep{column_, constant(positions), {}, 0, std::move(whole), std::move(rest)},
                 "the last block is smaller")};
  }

  Steps arranged(ir::StructuredOp op) {
    Steps steps;
    if (transposes_)
      steps.push_back(Step(copy(op), "as it lies along another iterator than columns of results"));
    auto products = [&](const ir::StructuredOp& part) { return along(part, 0); };
    llvm::append_range(steps, transposed_.empty()
                                  ? products(op)
                                  : tile(op, {transposed_, constant(1)}, kEach, products));
    return steps;
  }

  Steps along(const ir::StructuredOp& op, size_t next) {
    if (next < inner_.size())
      return tile(op, {inner_[next], constant(1)}, kEach,
                  [&](const ir::StructuredOp& part) { return along(part, next + 1); });
    return product_(builder_.kernel(), op);
  }

  // The right operand goes to memory of its own: [transposed][k][column].
  CopyStep copy(ir::StructuredOp& op) {
    ir::Operand& right = op.inputs[groups_.right[0]];
    const OperandName& name = names_[groups_.right[0]];
    std::vector<std::string> order = groups_.k;
    if (!transposed_.empty()) order.insert(order.begin(), transposed_);
    order.push_back(column_);
    const std::string root = name.tensor.substr(0, name.tensor.find('_'));
    CopyStep step{name,
                  order,
                  "blocks_" + root,
                  {inFunction("transpose_" + root, inTransposeTiles(right, name))}};
    std::vector<Expr> shape, map;
    for (const std::string& dimension : order) {
      shape.push_back(builder_.extent(op, dimension));
      map.push_back(at(dimension));
    }
    const ir::ScalarType type = builder_.kernel().tensors[right.tensor].type;
    right = {builder_.tensor(step.name, type, std::move(shape), ir::Role::Local), map, nullptr};
    return step;
  }

  // Some lines of the operand at a time, each read on and on.
  Steps inTransposeTiles(const ir::Operand& from, const OperandName& name) const {
    std::vector<std::string> others;
    for (const Expr& index : from.map) others.push_back(*index.asIterator());
    const std::string own = others.back();
    others.pop_back();
    std::erase(others, column_);
    const std::string square = "squares that are transposed in registers";
    Steps steps = {Step(TileStep{column_, constant(lanes_)}, square)};
    for (const std::string& other : others)
      steps.push_back(Step(TileStep{other, constant(1)}, "squares for each"));
    steps.push_back(Step(TileStep{own, constant(lanes_)}, square));
    const std::vector<ir::Axis> axes = {{column_, lanes_}, {own, lanes_}};
    // Some lines of squares that are cut off do not exist.
    const Step cutOff = options_.target->hasMasks
                            ? Step(VectorizeStep{axes}, "with masks")
                            : Step(LoopsStep{}, "few elements are left at the end");
    auto isWhole = [&](const std::string& iterator) {
      return Test{Test::Kind::Equal, extentOf(iterator), constant(lanes_)};
    };
    steps.push_back(Step(
        WhenStep{
            {isWhole(column_), isWhole(own)},
            {Step(VectorizeStep{axes, ir::Ahead{own, numbers_.squaresAhead * lanes_}}, square)},
            {cutOff}},
        "squares at the ends are cut off"));
    return {Step(WhenStep{{{Test::Kind::Contiguous, {}, {}, name, own}},
                          std::move(steps),
                          {Step(LoopsStep{}, "its elements lie anywhere")}},
                 "else no vectors lie there")};
  }

  transforms::Builder builder_;
  const std::vector<OperandName>& names_;
  const Groups& groups_;
  const ScheduleOptions& options_;
  const target::Numbers& numbers_;
  const OnProduct& product_;
  std::string row_, column_;                // what is left of M and N
  std::vector<std::string> outer_, inner_;  // loops before what is transposed, and in it
  bool transposes_ = false;                 // whether the right operand is transposed
  std::string transposed_;                  // the iterator of N along which it is contiguous
  int64_t lanes_ = 1, columnsAtOnce_ = 0, transposedAtOnce_ = 0;
};

}  // namespace

Result<Nested> nest(const ir::Kernel& kernel, const ir::StructuredOp& op,
                    const std::vector<OperandName>& names, const Groups& groups,
                    const ScheduleOptions& options, const OnProduct& product) {
  ir::Kernel aside = kernel;
  return Nest(aside, names, groups, options, product).run(op);
}

}  // namespace einc::strategy
