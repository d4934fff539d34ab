// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/in_place.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/contractions/pack.h"
#include "compiler/strategy/contractions/padding.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/widths.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using Kind = ir::Condition::Kind;

// Up to so many results, and elements on the left, which are read again for each block of columns
// (measured: with 0.8M results and 0.2M elements this gained 5 %, with 6M elements packing gained
// 14 %). Any number, if so few columns are known to be there that they are one block or two.
constexpr int64_t kMostElements = 1 << 20;
constexpr int64_t kFewColumns = 192;

// So few rows do not make up for packing what is on the right before anything is computed
// (measured on Zen 5: 256 cubed 240 to 255 GFLOP/s, 64 x 2048 x 2048 207 to 240, 511 cubed 253 to
// 247).
constexpr int64_t kFewRows = 384;

// Where windows move over an image, rows begin at offsets from a table, and cost more.
constexpr int64_t kFewPlaces = 256;

// Terms ahead of those that the first tile reads, which come from memory or the last cache
// (measured on Zen 5: 32 x 4096 x 4096 142 to 179 GFLOP/s, 16 x 1024 x 1024 210 to 216).
constexpr int64_t kAhead = 32;

class RowsInPlace {
 public:
  RowsInPlace(transforms::Builder& builder, const Region& region, const Groups& groups,
              const ContractionTiles& tiles, const ScheduleOptions& options)
      : builder_(builder), region_(region), groups_(groups), tiles_(tiles), options_(options) {}

  std::optional<InPlace> run(const ir::StructuredOp& before, ir::StructuredOp op) {
    if (!tiles_.masks || groups_.n.size() > 1 || groups_.left.size() != 1) return std::nullopt;
    // Packing converts once (i8 to i32, 257 cubed, Zen 5: 164 and 191 GFLOP/s).
    if (isConverted(builder_.kernel(), before, groups_.left[0])) return std::nullopt;
    auto columns = builder_.positions(before, groups_.n).asConstant();
    bool plain = groups_.m.size() == 1 && groups_.k.size() == 1;
    chooseTile(op);
    copies_ = mayCopy(before, op, plain ? kFewRows : kFewPlaces);
    bool any = (columns && *columns <= kFewColumns) || (plain && copies_);
    if (plain && !any) return std::nullopt;
    // Threads would need a panel each.
    if (options_.threads > 1 && !groups_.batch.empty()) return std::nullopt;
    const ir::Operand& left = before.inputs[groups_.left[0]];
    if (contiguousIn(left, groups_.k).empty()) return std::nullopt;
    Expr results = builder_.positions(before, groups_.m) * builder_.positions(before, groups_.n),
         elements = constant(1);
    for (const Expr& extent : builder_.kernel().tensors[left.tensor].shape)
      elements = elements * extent;
    InPlace result;
    for (const Expr& count : {results, elements}) {
      if (any) break;
      auto known = count.asConstant();
      if (known && *known > kMostElements) return std::nullopt;
      if (!known) result.conditions.push_back({Kind::LessEqual, count, constant(kMostElements)});
    }
    for (const ir::Operand& output : region_.written(op))
      result.conditions.push_back({Kind::Unit, {}, {}, output.tensor, dimOf(output, groups_.n[0])});
    // An offset table costs nothing here; a matrix that lies the other way round is packed.
    const ir::Operand& own = op.inputs[groups_.left[0]];
    if (plain)
      result.conditions.push_back({Kind::Unit, {}, {}, own.tensor, dimOf(own, groups_.k[0])});
    if (left.pad) {
      auto border = padded(builder_, before, groups_.left[0], tiles_.lanes);
      if (!border) return std::nullopt;
      result.conditions.insert(result.conditions.end(), border->conditions.begin(),
                               border->conditions.end());
      result.block = std::move(border->copy);
      op.inputs[groups_.left[0]] = std::move(border->operand);
      transforms::canonicalize(builder_, op, result.block);
    }
    // The loops over K run in its order.
    auto next = groups_.k.begin();
    for (ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction) i.name = *next++;
    if (copies_) {
      const ir::Operand& right = op.inputs[groups_.right[0]];
      result.conditions.push_back({Kind::Unit, {}, {}, right.tensor, dimOf(right, groups_.n[0])});
    }
    blockSizes(op, result.block);
    append(result.block, batches(op, 0));
    result.line = (any ? "" : "with up to " + std::to_string(kMostElements) + " results, ") +
                  "the left operand is read in place, not packed: tiles of " + std::to_string(mr_) +
                  " x " + std::to_string(nr_);
    if (copies_) result.line += "; the first packs the right one on the way";
    if (left.pad) result.line += "; where it is read outside its tensor, from a copy with a border";
    result.isFirst = plain && copies_ && isFarAway(before);
    return result;
  }

 private:
  // Whether the first tile of each panel packs it on the way (measured: 49 to 196 rows gained 4 to
  // 13 %, 784 lost 4 %): rows are few, but make up a tile, and on the right lines are read.
  bool mayCopy(const ir::StructuredOp& before, const ir::StructuredOp& op, int64_t most) const {
    auto rows = builder_.positions(op, groups_.m).asConstant();
    const ir::Operand& right = before.inputs[groups_.right[0]];
    return options_.threads == 1 && rows && *rows >= mr_ && *rows <= most && !right.pad &&
           contiguousIn(right, groups_.n) == groups_.n[0];
  }

  // Whether the right operand is so far away that one pass over it, asked for early, is faster than
  // what direct.h does: beyond the second cache where rows make up whole tiles, beyond the last one
  // where they nearly do (measured on Zen 5, GFLOP/s: 8 x 1024 x 1024 143 to 193, 32 x 2048 x 2048
  // 135 to 231, 6 x 2048 x 2048 155 to 189; 6 x 1024 x 1024 217 to 190, 16 x 256 x 256 267 to 241).
  bool isFarAway(const ir::StructuredOp& op) const {
    constexpr int64_t kLeastRows = 5;
    auto rows = builder_.positions(op, groups_.m).asConstant(),
         columns = builder_.positions(op, groups_.n).asConstant(),
         terms = builder_.positions(op, groups_.k).asConstant();
    if (!rows || !columns || !terms || *columns <= kFewColumns || *terms <= tiles_.nr) return false;
    const ir::Tensor& tensor = builder_.kernel().tensors[op.inputs[groups_.right[0]].tensor];
    auto beyond = [&](const target::Cache& cache) {
      return *columns > cache.bytes / static_cast<int64_t>(ir::info(tensor.type).bytes()) / *terms;
    };
    return *rows >= tiles_.mr ? beyond(options_.target->l2)
                              : *rows >= kLeastRows && beyond(options_.target->l3);
  }

  // Half cycles for each step of K: what its FMAs and their loads take, and four cycles of latency
  // at least.
  static int64_t stepCost(int64_t rows, int64_t vectors) {
    return std::max<int64_t>(rows * vectors + 2, 8);
  }

  // Nothing is transposed, so that any number of rows will do: the tile that leaves least over.
  void chooseTile(const ir::StructuredOp& op) {
    mr_ = tiles_.mr;
    nr_ = tiles_.nr;
    int64_t accumulators = mr_ * nr_ / tiles_.lanes, best = INT64_MAX;
    auto rows = builder_.positions(op, groups_.m).asConstant(),
         columns = builder_.extent(op, groups_.n[0]).asConstant();
    if (!rows || !columns || *rows < 1 || *columns < 1) return;
    int64_t vectors = (*columns - 1) / tiles_.lanes + 1;
    for (int64_t wide : {nr_ / tiles_.lanes, nr_ / tiles_.lanes + 1})
      for (int64_t mr = accumulators / wide; mr > accumulators / wide - 3 && mr > 2; --mr) {
        auto cost = [&](int64_t width) {
          if (width == 0) return int64_t{0};
          return *rows / mr * stepCost(mr, width) + *rows % mr * stepCost(1, width);
        };
        int64_t total = vectors / wide * cost(wide) + cost(vectors % wide);
        if (total >= best) continue;
        best = total;
        mr_ = mr;
        nr_ = wide * tiles_.lanes;
      }
  }

  Expr bound(const std::string& wanted, std::vector<Expr> of, ir::Block& block) {
    std::string name = builder_.name(wanted);
    block.push_back({ir::Bound{name, std::move(of)}});
    return size(name);
  }

  // K in blocks of twice what is packed on both sides, if there are rows to use them; as many
  // columns as stay in the L2 cache, or one panel, half as long.
  void blockSizes(const ir::StructuredOp& op, ir::Block& block) {
    bool few = builder_.positions(op, groups_.m).asConstant().value_or(INT64_MAX) <= kFewPlaces;
    int64_t steps = copies_ ? std::max<int64_t>(tiles_.kc / 2, 1) : few ? tiles_.kc : 2 * tiles_.kc;
    kSteps_ = stepsOfK(builder_, op, groups_, steps, tiles_.lanes, block);
    Expr all = constant(1);
    for (const Expr& step : kSteps_) all = all * step;
    Expr kc = bound("kc", {all}, block), width = constant(nr_);
    Expr fit = constant(tiles_.resident).ceilDiv(kc * width) * width;
    std::vector<Expr> columns = {builder_.positions(op, groups_.n).ceilDiv(width) * width};
    if (!copies_) columns.push_back(fit);
    nc_ = bound("nc", std::move(columns), block);
    const ir::Operand& right = op.inputs[groups_.right[0]];
    const ir::Tensor tensor = builder_.kernel().tensors[right.tensor];
    right_ = {0, nr_, tensor.type, 1, tiles_.masks};
    right_.buffer =
        builder_.tensor("packed_" + tensor.name.substr(0, tensor.name.find("_at")), tensor.type,
                        {copies_ ? constant(1) : nc_.floorDiv(width), kc, width}, ir::Role::Local);
    block.push_back({ir::Alloc{right_.buffer, ir::Space::Heap}});
    sums_ = sumsBuffer(builder_, region_, op, groups_, kSteps_, nc_, block);
    if (sums_) block.push_back({ir::Alloc{*sums_, ir::Space::Heap}});
  }

  ir::Block batches(const ir::StructuredOp& op, size_t next) {
    if (next == groups_.batch.size()) return columns(op);
    return only(transforms::tile(builder_, op, {groups_.batch[next], constant(1)},
                                 [&](const Tile& tile) { return batches(tile.op, next + 1); }));
  }

  ir::Block columns(const ir::StructuredOp& op) {
    ir::Block block;
    ir::StructuredOp flat = op;
    m_ = collapse(builder_, flat, groups_.m, block);
    n_ = groups_.n[0];
    append(block, only(transforms::tile(builder_, flat, {n_, nc_}, [&](const Tile& tile) {
             ir::StructuredOp some = tile.op;
             if (sums_) region_.keepSums(some, {*sums_, {at(m_), at(n_)}, nullptr});
             return reductions(some, 0);
           })));
    return block;
  }

  ir::Block reductions(const ir::StructuredOp& op, size_t next) {
    if (next < groups_.k.size())
      return only(
          transforms::tile(builder_, op, {groups_.k[next], kSteps_[next]}, [&](const Tile& tile) {
            terms_.add(tile, builder_.extent(op, groups_.k[next]));
            ir::Block inside = reductions(tile.op, next + 1);
            terms_.drop();
            return inside;
          }));
    if (copies_) return panelByPanel(op);
    ir::Block block =
        pack(builder_, op, groups_.right[0], right_, n_, groups_.k, tiles_.lanes, options_.threads);
    transforms::Tiling blocks = amongThreads(builder_, options_.threads, op,
                                             {m_, constant(rowsAtOnce())}, kIterationsAThread);
    append(block, only(transforms::tile(builder_, op, blocks, [&](const Tile& tile) {
             ir::Block inside;
             if (groups_.m.size() > 1) offsetTables(builder_, tile.op, m_, rowsAtOnce(), inside);
             append(inside, rows(tile.op, [&](const auto& some, const auto& axes) {
                      return acrossPanels(some, axes);
                    }));
             return inside;
           })));
    return block;
  }

  // Some rows of all columns, a panel at a time: the first tile packs it, the others use it.
  ir::Block panelByPanel(const ir::StructuredOp& op) {
    Expr one = constant(1), first = constant(mr_);
    return only(
        transforms::tile(builder_, op, {m_, constant(rowsTogether(op))}, [&](const Tile& some) {
          ir::Block block;
          if (groups_.m.size() > 1) offsetTables(builder_, some.op, m_, rowsTogether(op), block);
          block.push_back(
              transforms::tile(builder_, some.op, {n_, constant(nr_)}, [&](const Tile& columns) {
                ir::Block inner;
                auto part = [&](const Expr& from, const Expr& length, const std::string& suffix) {
                  return transforms::onPositions(builder_, columns.op, m_, {{m_, length, one}},
                                                 from, suffix, inner);
                };
                Expr count = builder_.extent(columns.op, m_);
                bool isAll = count.asConstant() == mr_;
                append(inner, registers(part(constant(0), first, "_top"), columns, {{m_, mr_}},
                                        isAll ? Right::AsItLies : Right::Copied));
                if (isAll) return inner;
                append(inner,
                       rows(part(first, count - first, "_below"),
                            [&](const ir::StructuredOp& tile, const std::vector<ir::Axis>& axes) {
                              return registers(tile, columns, axes);
                            }));
                return inner;
              }));
          return block;
        }));
  }

  // Known, and at least a tile in each block.
  int64_t rowsTogether(const ir::StructuredOp& op) const {
    int64_t all = *builder_.extent(op, m_).asConstant(),
            rows = std::max(tiles_.mc / mr_, int64_t{1}) * mr_;
    while (all % rows > 0 && all % rows < mr_) rows += mr_;
    return std::min(rows, all);
  }

  // Threads take fewer, so that each gets some.
  int64_t rowsAtOnce() const { return options_.threads > 1 ? 4 * mr_ : tiles_.mc; }

  using OnTile = std::function<ir::Block(const ir::StructuredOp&, const std::vector<ir::Axis>&)>;

  // Whole tiles, then rows one by one.
  ir::Block rows(const ir::StructuredOp& op, const OnTile& onTile) {
    return only(transforms::tile(builder_, op, {m_, constant(mr_)}, [&](const Tile& some) {
      ir::If test{
          {{Kind::Equal, size(some.size), constant(mr_)}}, onTile(some.op, {{m_, mr_}}), {}};
      test.otherwise = only(transforms::tile(builder_, some.op, {m_, constant(1)},
                                             [&](const Tile& row) { return onTile(row.op, {}); }));
      return only({std::move(test)});
    }));
  }

  // A row of register tiles.
  ir::Block acrossPanels(const ir::StructuredOp& op, const std::vector<ir::Axis>& rows) {
    return only(transforms::tile(builder_, op, {n_, constant(nr_)}, [&](const Tile& columns) {
      return registers(columns.op, columns, rows);
    }));
  }

  // What a tile reads on the right: a panel, or what is to be packed, which it may copy to one.
  enum class Right : uint8_t { Packed, Copied, AsItLies };

  ir::Block registers(const ir::StructuredOp& op, const Tile& columns,
                      const std::vector<ir::Axis>& rows, Right right = Right::Packed) {
    ir::Block block;
    ir::StructuredOp inner = op;
    if (right == Right::Packed)
      inner.inputs[groups_.right[0]] = panel(columns, block);
    else if (right == Right::Copied)
      inner.copied = ir::Copied{static_cast<unsigned>(groups_.right[0]), panel(columns, block)};
    if (right != Right::Packed) inner.ahead = ir::Ahead{groups_.k.back(), kAhead};
    inner.axes = rows;
    inner.axes.push_back({n_, nr_});
    ir::If test{
        {{Kind::Equal, size(columns.size), constant(nr_)}},
        outlined("tile", region_.tile(inner, terms_)),
        outlined("masked", byWidth(size(columns.size), nr_, tiles_.lanes, [&](int64_t width) {
                   ir::StructuredOp narrow = inner;
                   narrow.axes.back().size = width;
                   narrow.variant = nr_ > tiles_.lanes;
                   return region_.tile(narrow, terms_);
                 }))};
    block.push_back({std::move(test)});
    return block;
  }

  // The panel's rows, by the iterators of K.
  ir::Operand panel(const Tile& columns, ir::Block& block) {
    std::vector<std::string> dims = groups_.k;
    std::vector<Expr> sizes, plain;
    Expr position;
    for (const std::string& k : groups_.k) {
      sizes.push_back(builder_.extent(columns.op, k));
      position = position * sizes.back() + at(k);
    }
    sizes.push_back(size(columns.size));
    dims.push_back(n_);
    for (const std::string& dim : dims) plain.push_back(at(dim));
    unsigned view = builder_.tensor(builder_.kernel().tensors[right_.buffer].name + "_panel",
                                    right_.type, std::move(sizes), ir::Role::View);
    block.push_back(
        {ir::View{view,
                  right_.buffer,
                  dims,
                  {copies_ ? Expr() : at(columns.origin).floorDiv(constant(nr_)), position, at(n_)},
                  nullptr}});
    return {view, std::move(plain), nullptr};
  }

  ir::Block outlined(const std::string& name, ir::Block body) {
    return only({ir::Outline{builder_.name(name), std::move(body)}});
  }

  transforms::Builder& builder_;
  const Region& region_;
  const Groups& groups_;
  const ContractionTiles& tiles_;
  const ScheduleOptions& options_;
  int64_t mr_ = 0, nr_ = 0;
  bool copies_ = false;
  std::string m_, n_;
  std::vector<Expr> kSteps_;
  Expr nc_;
  Panels right_{};
  std::optional<unsigned> sums_;  // that are not finished
  Terms terms_;                   // of the tile of K
};

}  // namespace

std::optional<InPlace> inPlace(transforms::Builder& builder, const ir::StructuredOp& before,
                               const ir::StructuredOp& op, const Region& region,
                               const Groups& groups, const ContractionTiles& tiles,
                               const ScheduleOptions& options) {
  return RowsInPlace(builder, region, groups, tiles, options).run(before, op);
}

}  // namespace einc::strategy
