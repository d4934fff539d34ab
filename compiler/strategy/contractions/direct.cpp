// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/direct.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/strategy/widths.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

// Up to so many iterations, packing costs more than it saves (measured: between 64 and 96 cubed).
constexpr int64_t kFewIterations = int64_t{80} * 80 * 80;

// A tile of so few is done so soon that what comes from memory has to be asked for earlier.
constexpr int64_t kFewRows = 4;

// Up to so many rows, some lines of the right operand are read at once, far apart (measured on
// Zen 5, us: 2 x 256 x 256 2.0 to 1.3, 2 x 1024 x 1024 57 to 43; 3 x 256 x 1024 9.1 to 10.4).
constexpr int64_t kFlatRows = 2;

// Columns of a tile that may end before it does: then its vectors are counted first.
constexpr int64_t kCutOff = 0;

// So many elements on the left, at most, are converted before so many columns, at least, are
// computed. (Measured on Zen 5, left as it is and converted first: bool 16 cubed 117 and 180
// GFLOP/s, 64 cubed 496 and 895, 16 x 1024 x 1024 910 and 1114; i8 to i32 64 cubed 188 and 207.)
constexpr int64_t kConverted = 1 << 17, kBroadcasts = 16;

// A local buffer is on the stack up to so many bytes.
constexpr int64_t kOnStack = 32 << 10;

ir::Alloc allocate(const ir::Kernel& kernel, unsigned buffer, int64_t elements) {
  int64_t bytes = elements * ir::info(kernel.tensors[buffer].type).bytes();
  return {buffer, bytes <= kOnStack ? ir::Space::Stack : ir::Space::Heap};
}

}  // namespace

Direct::Direct(transforms::Builder& builder, const ir::StructuredOp& op, const Region& region,
               const Groups& groups, const ContractionTiles& tiles, const ScheduleOptions& options)
    : builder_(builder),
      op_(op),
      region_(region),
      groups_(groups),
      tiles_(tiles),
      options_(options) {
  const target::Target& target = *options.target;
  m_ = groups.m[0];
  n_ = groups.n[0];
  k_ = groups.k.back();
  rows_ = builder.positions(op, groups.m).asConstant();
  columns_ = builder.positions(op, groups.n).asConstant();
  depth_ = builder.positions(op, groups.k).asConstant();
  tile_ =
      directTile(target, tiles, static_cast<int>(op.outputs.size()), rows_, columns_, mostRows());
  resident_ = target.l2.bytes / 2 / (target.vectorBytes / tiles.lanes);
  int64_t narrow = columns_.value_or(1);
  narrowRows_ = std::clamp<int64_t>(
      (target.vectorRegisters - 1 - narrow) / std::max<int64_t>(narrow, 1), 1, 8);
  outline_ = !rows_ || !columns_ || !depth_ || *rows_ * *columns_ * *depth_ > kFewIterations;
}

// Rows of the left operand are read at once, as far apart as they are where it is contiguous.
int64_t Direct::mostRows() const {
  auto stride = strideInBytes(builder_.kernel(), op_.inputs[groups_.left[0]], m_);
  return stride ? rowsInCache(*options_.target, *stride) : INT64_MAX;
}

std::optional<std::vector<ir::Condition>> Direct::conditions() const {
  if (groups_.m.size() > 1 || groups_.n.size() > 1) return std::nullopt;
  if (!tiles_.masks && !columns_) return std::nullopt;
  using Kind = ir::Condition::Kind;
  std::vector<ir::Condition> conditions;
  bool fewRows = rows_ && *rows_ <= 6 * tiles_.mr;
  // Of many rows, what is converted on the left is packed.
  bool converts = isConverted(builder_.kernel(), op_, groups_.left[0]);
  bool fewColumns = !converts && columns_ && *columns_ <= tiles_.nr;
  bool fewTerms = !converts && depth_ && *depth_ <= tiles_.nr;
  if (!fewRows && !fewColumns && !fewTerms) {
    Expr all = builder_.positions(op_, groups_.m) * builder_.positions(op_, groups_.n) *
               builder_.positions(op_, groups_.k);
    auto known = all.asConstant();
    if (all.overflowed() || known.value_or(0) > kFewIterations) return std::nullopt;
    if (!known) conditions.push_back({Kind::LessEqual, all, constant(kFewIterations)});
  }
  const ir::Operand& right = op_.inputs[groups_.right[0]];
  conditions.push_back({Kind::Unit, {}, {}, right.tensor, dimOf(right, n_)});
  for (const ir::Operand& output : region_.written(op_))
    conditions.push_back({Kind::Unit, {}, {}, output.tensor, dimOf(output, n_)});
  return conditions;
}

std::string Direct::line(const std::vector<ir::Condition>& conditions) const {
  bool any = conditions.front().kind == ir::Condition::Kind::Unit;
  std::string result = any ? "" : "with up to " + std::to_string(kFewIterations) + " iterations, ";
  result += "operands are read where they are, not packed, if columns are contiguous: tiles of " +
            std::to_string(tile_.rows) + " x " + std::to_string(tile_.columns);
  return isConvertedFirst(op_) ? result + "; the left one is converted first" : result;
}

ir::Block Direct::run(const ir::StructuredOp& op) {
  if (!isConvertedFirst(op)) return byForm(op);
  ir::Block block;
  ir::StructuredOp plain = converted(op, block);
  append(block, byForm(plain));
  return block;
}

// Where elements on the left are converted wherever they are broadcast, and stay in cache.
bool Direct::isConvertedFirst(const ir::StructuredOp& op) const {
  const ir::Operand& left = op.inputs[groups_.left[0]];
  bool plain = !left.pad && llvm::all_of(left.map, [](const Expr& e) { return e.asIterator(); });
  return plain && isConverted(builder_.kernel(), op, groups_.left[0]) && columns_ &&
         *columns_ >= kBroadcasts && rows_ && depth_ && *rows_ * *depth_ <= kConverted;
}

ir::StructuredOp Direct::converted(const ir::StructuredOp& op, ir::Block& block) {
  size_t input = groups_.left[0];
  const ir::Operand& left = op.inputs[input];
  ir::ScalarType type = castType(builder_.kernel(), op, input);
  std::vector<Expr> shape;
  for (const Expr& e : left.map) shape.push_back(builder_.extent(op, *e.asIterator()));
  unsigned buffer = builder_.tensor("converted", type, shape, ir::Role::Local);
  block.push_back({allocate(builder_.kernel(), buffer, *rows_ * *depth_)});
  append(block, copyOf(builder_, left, buffer, std::vector<Expr>(shape.size()), tiles_.lanes));
  ir::StructuredOp result = op;
  result.inputs[input].tensor = buffer;
  onCastType(result, input, type);
  return result;
}

ir::Block Direct::byForm(const ir::StructuredOp& op) {
  const ir::Operand& left = op.inputs[groups_.left[0]];
  ir::Condition unit{ir::Condition::Kind::Unit, {}, {}, left.tensor, dimOf(left, k_)};
  if (isNarrow(op)) return only({ir::If{{unit}, alongTerms(op), byRows(op)}});
  if (isFlat(op)) return byLines(op);
  bool inOrder = options_.keepsOrder && groups_.k.size() > 1;
  bool needsSums = !region_.isAlone() && !rows_;  // for any number of rows
  if (inOrder || needsSums || (columns_ && depth_ && *columns_ * *depth_ <= resident_))
    return byRows(op);
  return inTurn(op);
}

// Few terms at a time.
ir::Block Direct::inTurn(const ir::StructuredOp& op) {
  isLarge_ = rightIsLarge();
  Expr step = constant(isLarge_ ? 16 : rows_.value_or(0) <= 16 ? 32 : 64);
  ir::Block block;
  ir::StructuredOp whole = op;
  if (!region_.isAlone()) {
    const ir::Tensor results = builder_.kernel().tensors[op.outputs[0].tensor];
    unsigned sums = builder_.tensor(
        "sums", results.type, {builder_.extent(op, m_), builder_.extent(op, n_)}, ir::Role::Local);
    block.push_back({ir::Alloc{sums, ir::Space::Heap}});
    region_.keepSums(whole, {sums, {transforms::at(m_), transforms::at(n_)}, nullptr});
  }
  append(block, only(transforms::tile(builder_, whole, {k_, step}, [&](const Tile& tile) {
           terms_.add(tile, builder_.extent(whole, k_));
           ir::Block inside = byColumns(tile.op);
           terms_.drop();
           return inside;
         })));
  return block;
}

// So large that it comes from memory: then fewer streams are faster, and what is next is asked for
// (measured: 32 x 11008 x 4096 gained 1.6 times, with 4 MiB on the right it lost 0.2).
bool Direct::rightIsLarge() const {
  const target::Target& target = *options_.target;
  return columns_ && depth_ &&
         *columns_ > target.l3.bytes / (target.vectorBytes / tiles_.lanes) / *depth_;
}

// The right operand stays in cache, the others are read once, in order.
ir::Block Direct::byRows(const ir::StructuredOp& op) {
  return rowTiles(op, tile_.rows, [&](const ir::StructuredOp& rows, int64_t count) {
    return columnTiles(rows, [&](const ir::StructuredOp& columns, int64_t width) {
      return registerTile(columns, count, width);
    });
  });
}

// The right operand is read once: few terms at a time, in so many streams as caches can follow.
ir::Block Direct::byColumns(const ir::StructuredOp& op) {
  return columnTiles(op, [&](const ir::StructuredOp& columns, int64_t width) {
    return rowTiles(columns, tile_.rows, [&](const ir::StructuredOp& rows, int64_t count) {
      return registerTile(rows, count, width);
    });
  });
}

// ---- Vectors along K ----

// Vectors along n would be half empty, or less, and there is enough to do to turn the right operand
// first, and to add up the lanes of each result (measured on Zen 5, 256 rows, GFLOP/s: 2 columns of
// 32 terms 31 to 100, 8 of 64 125 to 194, 6 of 40, a part of a vector, 90 to 68).
bool Direct::isNarrow(const ir::StructuredOp& op) const {
  int64_t terms = depth_.value_or(0), lanes = tiles_.lanes;
  bool enough = terms >= (terms % lanes == 0 ? 2 : 3) * lanes && rows_.value_or(INT64_MAX) >= 32;
  if (options_.keepsOrder && !transforms::isExact(op)) return false;
  return enough && columns_ && *columns_ * 2 <= tiles_.lanes && groups_.k.size() == 1 &&
         groups_.batch.empty() && op.outputs.size() == 1 && transforms::combinerOf(op);
}

// A copy of the right operand that is contiguous along k, then tiles of rows, all columns, and as
// many terms as a vector has lanes.
ir::Block Direct::alongTerms(const ir::StructuredOp& op) {
  ir::Block block;
  size_t right = groups_.right[0];
  const ir::Tensor tensor = builder_.kernel().tensors[op.inputs[right].tensor];
  unsigned buffer = builder_.tensor("transposed", tensor.type,
                                    {constant(*columns_), constant(*depth_)}, ir::Role::Local);
  block.push_back({allocate(builder_.kernel(), buffer, *columns_ * *depth_)});
  ir::StructuredOp transposed = op, copy;
  transposed.inputs[right] = {buffer, {transforms::at(n_), transforms::at(k_)}, nullptr};
  copy.iterators = {{k_, ir::IteratorKind::Parallel}, {n_, ir::IteratorKind::Parallel}};
  copy.inputs = {op.inputs[right]};
  copy.outputs = {transposed.inputs[right]};
  copy.results = {ir::makeValue(tensor.type, ir::OperandRef{0})};
  block.push_back({std::move(copy)});
  append(block, rowTiles(transposed, narrowRows_, [&](const ir::StructuredOp& rows, int64_t count) {
           ir::StructuredOp tile = rows;
           tile.axes = tileAxes(rows, count, *columns_);
           return only({ir::Outline{builder_.name("direct"),
                                    region_.tile(tile, terms_, [&](const ir::StructuredOp& sum) {
                                      return termVectors(sum, count);
                                    })}});
         }));
  return block;
}

ir::Block Direct::termVectors(const ir::StructuredOp& op, int64_t rows) {
  ir::Block block;
  int64_t lanes = tiles_.lanes, count = *depth_ / lanes;
  ir::StructuredOp whole =
      transforms::onPositions(builder_, op, k_,
                              {{builder_.name(k_ + "_block"), constant(count), constant(lanes)},
                               {k_, constant(lanes), constant(1)}},
                              constant(0), "_blocks", block);
  whole.axes = tileAxes(whole, rows, *columns_);
  whole.axes.push_back({k_, lanes});
  block.push_back({std::move(whole)});
  if (*depth_ % lanes == 0) return block;
  ir::StructuredOp rest = slice(op, k_, count * lanes, *depth_ % lanes, block);
  rest.axes = tileAxes(rest, rows, *columns_);
  block.push_back({std::move(rest)});
  return block;
}

// ---- A few lines at a time ----

// So few rows that what counts is how the right operand is read, and this is beyond the first
// cache, where the results of all rows take half of it at most.
bool Direct::isFlat(const ir::StructuredOp& op) const {
  const ir::Tensor& right = builder_.kernel().tensors[op.inputs[groups_.right[0]].tensor];
  int64_t elements = options_.target->l1.bytes / static_cast<int64_t>(ir::info(right.type).bytes());
  bool ordered = options_.keepsOrder && !transforms::isExact(op);
  return rows_ && *rows_ <= kFlatRows && columns_ && *columns_ >= tiles_.nr && depth_ &&
         *depth_ >= 4 * kLines && *columns_ * *depth_ > elements &&
         *rows_ * *columns_ * 2 <= elements && groups_.k.size() == 1 && region_.isAlone() &&
         !ordered && options_.threads == 1;
}

// Lines of the right operand far apart, each read on and on; results stay in the first cache.
ir::Block Direct::byLines(const ir::StructuredOp& op) {
  auto groups = [&](const ir::StructuredOp& lines, const std::string& at) {
    return loop(lines, at, 1, [&](const Tile& some) { return byRows(some.op); });
  };
  return transforms::strided(builder_, op, k_, kLines, k_, groups,
                             [&](const ir::StructuredOp& rest) { return byRows(rest); });
}

// ---- Tiles ----

// The `count` positions of the iterator from `from` on.
ir::StructuredOp Direct::slice(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t from, int64_t count, ir::Block& block) {
  return transforms::onPositions(builder_, op, iterator, {{iterator, constant(count), constant(1)}},
                                 constant(from), "_" + iterator + std::to_string(from), block);
}

// Tiles of `step` positions, and one of those that are left.
ir::Block Direct::known(const ir::StructuredOp& op, const std::string& iterator, int64_t step,
                        const Inside& inside) {
  auto tiles = [&](const ir::StructuredOp& whole, int64_t count) {
    if (count == step) return inside(whole, step);
    return loop(whole, iterator, step, [&](const Tile& tile) { return inside(tile.op, step); });
  };
  return transforms::wholeAndRest(builder_, op, iterator, step, tiles, inside);
}

ir::Block Direct::loop(const ir::StructuredOp& op, const std::string& iterator, int64_t step,
                       const transforms::Inside& inside) {
  transforms::Tiling tiling{iterator, constant(step)};
  bool before = onThreads_;
  if (outline_ && !std::exchange(onThreads_, true))
    tiling = amongThreads(builder_, options_.threads, op, tiling, kIterationsAThread);
  ir::Block block = only(transforms::tile(builder_, op, tiling, inside));
  onThreads_ = before;
  return block;
}

ir::Block Direct::rowTiles(const ir::StructuredOp& op, int64_t step, const Inside& inside) {
  if (builder_.extent(op, m_).asConstant()) return known(op, m_, step, inside);
  return loop(op, m_, step, [&](const Tile& tile) {
    auto where = [&](int64_t rows) {
      return ir::If{{{ir::Condition::Kind::Equal, size(tile.size), constant(rows)}},
                    inside(tile.op, rows),
                    {}};
    };
    ir::If test = where(step);
    if (step > 2) test.otherwise = rowTiles(tile.op, 2, inside);
    if (step == 2) test.otherwise = only({where(1)});
    return only({std::move(test)});
  });
}

ir::Block Direct::columnTiles(const ir::StructuredOp& op, const Inside& inside) {
  if (builder_.extent(op, n_).asConstant())
    return known(op, n_, tile_.columns, [&](const ir::StructuredOp& part, int64_t count) {
      return inside(part, widthFor(count));
    });
  return loop(op, n_, tile_.columns, [&](const Tile& tile) { return inside(tile.op, kCutOff); });
}

// The axis for so many columns. With masks it may be longer than they are; the last vector is as
// narrow as a power of two and 16 bytes allow. (Not a scalar: compilers gather those of all rows in
// vectors of their own. Measured on Zen 5, 33 cubed in f64: 0.88 to 0.67 us.)
int64_t Direct::widthFor(int64_t columns) const {
  if (!tiles_.masks) return columns;
  int64_t last = columns % tiles_.lanes;
  int64_t narrow = tiles_.lanes * 16 / options_.target->vectorBytes;
  if (last == 0) return columns;
  while (narrow < last) narrow *= 2;
  return columns - last + narrow;
}

// A tile of one row may have no iterator for it.
std::vector<ir::Axis> Direct::tileAxes(const ir::StructuredOp& op, int64_t rows,
                                       int64_t columns) const {
  std::vector<ir::Axis> axes;
  for (const ir::Axis& axis : {ir::Axis{m_, rows}, ir::Axis{n_, columns}})
    if (builder_.hasExtent(op, axis.name)) axes.push_back(axis);
  return axes;
}

ir::Block Direct::registerTile(const ir::StructuredOp& op, int64_t rows, int64_t columns) {
  auto ofWidth = [&](int64_t width) {
    ir::StructuredOp tile = op;
    tile.axes = tileAxes(op, rows, width);
    tile.variant = columns == kCutOff;
    if (isLarge_ && builder_.hasExtent(op, n_))
      tile.ahead = ir::Ahead{n_, (rows <= kFewRows ? 2 : 1) * tile_.columns};
    return region_.tile(tile, terms_);
  };
  ir::Block code = columns == kCutOff
                       ? byWidth(builder_.extent(op, n_), tile_.columns, tiles_.lanes, ofWidth)
                       : ofWidth(columns);
  if (!outline_) return code;
  return only({ir::Outline{builder_.name("direct"), std::move(code)}});
}

}  // namespace einc::strategy
