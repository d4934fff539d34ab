// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/contraction.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/contractions/direct.h"
#include "compiler/strategy/contractions/in_place.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/contractions/pack.h"
#include "compiler/strategy/contractions/write_back.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/widths.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

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
using transforms::Tiling;

ir::Condition equals(Expr left, int64_t right) {
  return {ir::Condition::Kind::Equal, std::move(left), constant(right)};
}

// All of `some` are among `all`.
bool implies(const std::vector<ir::Condition>& all, const std::vector<ir::Condition>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](const ir::Condition& c) { return llvm::is_contained(all, c); });
}

class MacroKernel {
 public:
  MacroKernel(transforms::Builder& builder, Region& region, const Groups& groups,
              const ContractionTiles& tiles, const ScheduleOptions& options,
              std::vector<std::string>& lines)
      : builder_(builder),
        region_(region),
        groups_(groups),
        tiles_(tiles),
        options_(options),
        threads_(options.threads),
        lines_(lines) {}

  ir::Block run(ir::StructuredOp op) {
    ir::Block block;
    // Nothing to add up: the reference says what happens then.
    ir::If test{{}, {}, {}};
    for (const ir::Iterator& i : op.iterators)
      if (i.kind == ir::IteratorKind::Reduction || threads_ > 1)
        test.conditions.push_back(
            {ir::Condition::Kind::LessEqual, constant(1), builder_.extent(op, i.name)});
    test.otherwise = region_.withoutTerms();
    const ir::StructuredOp before = op;
    transforms::canonicalize(builder_, op, test.then);
    region_.attach(op, test.then);
    op_ = op;
    auto rows = inPlace(builder_, before, op, region_, groups_, tiles_, options_);
    ir::Block inPanels;
    blockSizes(op, inPanels);
    left_ = panels(op, groups_.left[0], tiles_.mr, mc_);
    right_ = panels(op, groups_.right[0], tiles_.nr, nc_);
    sums_ = sumsBuffer(builder_, region_, op, groups_, kSteps_, nc_, inPanels);
    if (threads_ == 1) append(inPanels, allocs());
    append(inPanels, batches(op, 0, [&](const ir::StructuredOp& one) { return packed(one); }));
    Direct direct(builder_, op, region_, groups_, tiles_, options_);
    auto conditions = direct.conditions();
    bool rowsFirst = rows && rows->isFirst;
    if (rows && !rowsFirst && conditions && implies(rows->conditions, *conditions)) rows.reset();
    if (rows) lines_.push_back(std::move(rows->line));
    if (conditions) lines_.push_back(direct.line(*conditions));
    auto where = [&](std::vector<ir::Condition> test, ir::Block code) {
      inPanels = only({ir::If{std::move(test), std::move(code), std::move(inPanels)}});
    };
    if (rows && !rowsFirst) where(std::move(rows->conditions), std::move(rows->block));
    if (conditions)
      where(std::move(*conditions),
            batches(op, 0, [&](const ir::StructuredOp& one) { return direct.run(one); }));
    if (rowsFirst) where(std::move(rows->conditions), std::move(rows->block));
    append(test.then, std::move(inPanels));
    block.push_back({std::move(test)});
    return block;
  }

 private:
  // A new size: the least of several expressions.
  Expr bound(const std::string& wanted, std::vector<Expr> of, ir::Block& block) {
    std::string name = builder_.name(wanted);
    block.push_back({ir::Bound{name, std::move(of)}});
    return size(name);
  }

  void blockSizes(const ir::StructuredOp& op, ir::Block& block) {
    kSteps_ = stepsOfK(builder_, op, groups_, tiles_.kc, tiles_.lanes, block);
    Expr all = constant(1);
    for (const Expr& step : kSteps_) all = all * step;
    kc_ = bound("kc", {all}, block);
    auto rounded = [](const Expr& extent, int64_t unit) {
      return extent.ceilDiv(constant(unit)) * constant(unit);
    };
    // Threads get as many rows each.
    Expr rows = builder_.positions(op, groups_.m);
    Expr rounds = rows.ceilDiv(constant(threads_ * tiles_.mc));
    if (threads_ > 1) rows = rows.ceilDiv(constant(threads_) * rounds);
    mc_ = bound("mc", {constant(tiles_.mc), rounded(rows, tiles_.mr)}, block);
    nc_ = bound("nc", {constant(tiles_.nc), rounded(builder_.positions(op, groups_.n), tiles_.nr)},
                block);
  }

  Panels panels(const ir::StructuredOp& op, size_t input, int64_t width, const Expr& length) {
    const ir::Tensor tensor = builder_.kernel().tensors[op.inputs[input].tensor];
    const auto& group = input == groups_.left[0] ? groups_.m : groups_.n;
    Panels result{0, width, castType(builder_.kernel(), op, input),
                  pieceOf(builder_, op, group, width, tiles_.lanes), tiles_.masks};
    std::string name = tensor.name.substr(0, tensor.name.find("_at"));
    result.buffer =
        builder_.tensor("packed_" + name, result.type,
                        {length.floorDiv(constant(width)), kc_, constant(width)}, ir::Role::Local);
    return result;
  }

  // Threads have a left panel each, and a right one where they have a product each.
  ir::Block allocs() const {
    ir::Block block;
    block.push_back({ir::Alloc{left_.buffer, ir::Space::Heap}});
    block.push_back({ir::Alloc{right_.buffer, ir::Space::Heap}});
    if (sums_) block.push_back({ir::Alloc{*sums_, ir::Space::Heap}});
    return block;
  }

  Tiling onThreads(const ir::StructuredOp& op, Tiling tiling, bool outer = false) const {
    return amongThreads(builder_, threads_, op, std::move(tiling), kIterationsAThread, outer);
  }

  using Inner = std::function<ir::Block(const ir::StructuredOp&)>;

  ir::Block batches(const ir::StructuredOp& op, size_t next, const Inner& inner) {
    if (next == groups_.batch.size()) return inner(op);
    return only(transforms::tile(
        builder_, op, onThreads(op, {groups_.batch[next], constant(1)}, /*outer=*/true),
        [&](const Tile& tile) { return batches(tile.op, next + 1, inner); }));
  }

  ir::Block packed(const ir::StructuredOp& op) {
    ir::Block block;
    if (threads_ > 1) block.push_back({ir::Alloc{right_.buffer, ir::Space::Heap}});
    if (threads_ > 1 && sums_) block.push_back({ir::Alloc{*sums_, ir::Space::Heap}});
    ir::StructuredOp flat = op;
    m_ = collapse(builder_, flat, groups_.m, block);
    n_ = collapse(builder_, flat, groups_.n, block);
    append(block, only(transforms::tile(builder_, flat, {n_, nc_}, [&](const Tile& tile) {
             ir::Block inside = tables(tile.op, groups_.n, n_, tiles_.nc);
             ir::StructuredOp columns = tile.op;
             if (sums_) region_.keepSums(columns, {*sums_, {at(m_), at(n_)}, nullptr});
             append(inside, reductions(columns, 0));
             return inside;
           })));
    return block;
  }

  ir::Block tables(const ir::StructuredOp& op, const std::vector<std::string>& group,
                   const std::string& iterator, int64_t length) {
    ir::Block block;
    if (group.size() > 1) offsetTables(builder_, op, iterator, length, block);
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
    ir::Block block =
        pack(builder_, op, groups_.right[0], right_, n_, groups_.k, tiles_.lanes, threads_);
    append(block,
           only(transforms::tile(builder_, op, onThreads(op, {m_, mc_}), [&](const Tile& tile) {
             ir::Block inside;
             if (threads_ > 1) inside.push_back({ir::Alloc{left_.buffer, ir::Space::Heap}});
             append(inside, tables(tile.op, groups_.m, m_, tiles_.mc));
             append(inside,
                    pack(builder_, tile.op, groups_.left[0], left_, m_, groups_.k, tiles_.lanes));
             append(inside, registers(tile.op));
             return inside;
           })));
    return block;
  }

  ir::Block registers(const ir::StructuredOp& op) {
    Tiling byColumns = onThreads(op, {n_, constant(tiles_.nr)});
    return only(transforms::tile(builder_, op, byColumns, [&](const Tile& columns) {
      return only(transforms::tile(builder_, columns.op, {m_, constant(tiles_.mr)},
                                   [&](const Tile& rows) { return registerTile(rows, columns); }));
    }));
  }

  // The op on packed panels: one reduction iterator is left, along the panels.
  ir::StructuredOp onPanels(const Tile& rows, const Tile& columns, ir::Block& block) {
    ir::StructuredOp op = rows.op;
    Expr length = builder_.positions(op, groups_.k);
    std::string p = builder_.name("p");
    op.iterators = {{m_, ir::IteratorKind::Parallel},
                    {n_, ir::IteratorKind::Parallel},
                    {p, ir::IteratorKind::Reduction}};
    op.inputs[groups_.left[0]] =
        panelView(builder_, left_, rows.origin, size(rows.size), m_, p, length, block);
    op.inputs[groups_.right[0]] =
        panelView(builder_, right_, columns.origin, size(columns.size), n_, p, length, block);
    onCastType(op, groups_.left[0], left_.type);
    onCastType(op, groups_.right[0], right_.type);
    return op;
  }

  ir::Block registerTile(const Tile& rows, const Tile& columns) {
    ir::Block block;
    ir::StructuredOp op = onPanels(rows, columns, block);
    std::vector<ir::Condition> full = {equals(size(rows.size), tiles_.mr),
                                       equals(size(columns.size), tiles_.nr)};
    std::vector<ir::Condition> unit;
    for (const ir::Operand& output : region_.written(op))
      unit.push_back({ir::Condition::Kind::Unit, {}, {}, output.tensor, dimOf(output, n_)});
    ir::StructuredOp direct = op;
    direct.axes = {{m_, tiles_.mr}, {n_, tiles_.nr}};
    direct.early = true;
    ir::Block whole = outlined("tile", region_.tile(direct, terms_));
    ir::Block scratch = outlined("edge", region_.isAlone() ? scratchTile(op, rows, columns)
                                                           : regionOnScratch(direct, columns));
    if (tiles_.masks) {
      ir::Block masked =
          outlined("masked", narrower(op, columns, [&](const ir::StructuredOp& narrow) {
                     return region_.tile(narrow, terms_);
                   }));
      ir::If cut{full, std::move(whole), std::move(masked)};
      block.push_back({ir::If{unit, only({std::move(cut)}), std::move(scratch)}});
    } else {
      full.insert(full.end(), unit.begin(), unit.end());
      block.push_back({ir::If{full, std::move(whole), std::move(scratch)}});
    }
    return block;
  }

  ir::Block outlined(const std::string& name, ir::Block body) {
    return only({ir::Outline{builder_.name(name), std::move(body)}});
  }

  WriteBack writeBack() {
    const bool isStrided = tiles_.masks && region_.written(op_).size() == 1;
    return {m_, n_, pieceOf(builder_, op_, groups_.n, tiles_.nr, tiles_.lanes), {}, isStrided};
  }

  // A tile that is cut off, or whose output is not contiguous along n: computed whole, on scratch.
  ir::Block scratchTile(const ir::StructuredOp& op, const Tile& rows, const Tile& columns) {
    ir::StructuredOp inner = op;
    WriteBack how = writeBack();
    if (!options_.keepsOrder || transforms::isExact(op)) how.combiner = transforms::combinerOf(op);
    OnScratch around = onScratch(builder_, inner, how, tiles_, size(rows.size), size(columns.size));
    ir::Block block = std::move(around.before);
    if (tiles_.masks) {
      // As whole tiles on the output are, so that both are one function.
      inner.axes = {{m_, tiles_.mr}, {n_, tiles_.nr}};
      inner.early = true;
      append(block, outlined("tile", only({std::move(inner)})));
    } else {
      append(block, narrower(inner, columns, Region::onAxes));
    }
    append(block, std::move(around.after));
    return block;
  }

  // The same with a region's other ops, of which those that write are done as it suits their
  // outputs.
  ir::Block regionOnScratch(const ir::StructuredOp& op, const Tile& columns) {
    return region_.tile(
        op, terms_,
        [&](const ir::StructuredOp& sum) {
          return tiles_.masks ? only({sum}) : narrower(sum, columns, Region::onAxes);
        },
        [&](const ir::StructuredOp& reader) {
          return writtenBack(builder_, reader, writeBack(), tiles_);
        });
  }

  ir::Block narrower(const ir::StructuredOp& op, const Tile& columns, const Region::Code& code) {
    return byWidth(size(columns.size), tiles_.nr, tiles_.lanes, [&](int64_t width) {
      ir::StructuredOp narrow = op;
      narrow.axes = {{m_, tiles_.mr}, {n_, width}};
      narrow.variant = tiles_.nr > tiles_.lanes;
      return code(narrow);
    });
  }

  transforms::Builder& builder_;
  Region& region_;
  const Groups& groups_;
  const ContractionTiles& tiles_;
  const ScheduleOptions& options_;
  int64_t threads_;
  std::vector<std::string>& lines_;
  std::string m_, n_;
  std::vector<Expr> kSteps_;
  Expr kc_, mc_, nc_;
  Panels left_, right_;
  std::optional<unsigned> sums_;  // that are not finished
  Terms terms_;                   // of the tile of K
  ir::StructuredOp op_;           // canonical, all of it
};

}  // namespace

void note(const Groups& groups, const ContractionTiles& tiles, OpReport& report) {
  report.strategy = "contraction";
  report.settings = {{"mr", std::to_string(tiles.mr)},
                     {"nr", std::to_string(tiles.nr)},
                     {"kc", std::to_string(tiles.kc)},
                     {"mc", std::to_string(tiles.mc)},
                     {"nc", std::to_string(tiles.nc)}};
  report.lines.push_back((groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                         groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                         groupText("K", groups.k) +
                         ": packed panels and a register tile, vectors along N");
  report.lines.insert(report.lines.end(), tiles.reasons.begin(), tiles.reasons.end());
}

ir::Block contraction(transforms::Builder& builder, const ir::StructuredOp& op, Region& region,
                      const Groups& groups, const ContractionTiles& tiles,
                      const ScheduleOptions& options, std::vector<std::string>& lines) {
  return MacroKernel(builder, region, groups, tiles, options, lines).run(op);
}

}  // namespace einc::strategy
