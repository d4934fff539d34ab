// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/panels.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/affine/interval.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/plan/padding.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// How many positions several iterators have together.
Expr extentsOf(const std::vector<std::string>& iterators) {
  Expr result = constant(1);
  for (const std::string& name : iterators) result = result * extentOf(name);
  return result;
}

class InPanels {
 public:
  explicit InPanels(const Contraction& what)
      : what_(what),
        groups_(what.groups),
        tiles_(what.tiles),
        m_(what.groups.m[0]),
        n_(what.groups.n[0]) {}

  Steps run() {
    sizes();
    for (const std::string& name : groups_.batch)
      steps_.push_back(Step(onThreads({name, constant(1)}, /*outer=*/true), "a product for each"));
    collapse(groups_.m);
    collapse(groups_.n);
    order();
    add(TileStep{n_, nc_}, "the panel of the right operand stays in the last cache");
    if (groups_.n.size() > 1) add(TablesStep{n_}, "where each column is, found once");
    if (!what_.isAlone)
      add(KeepStep{{{m_, sumsRows_}, {n_, nc_}}},
          "unfinished sums, where there are several tiles of K");
    for (size_t i = 0; i < groups_.k.size(); ++i)
      add(TileStep{groups_.k[i], kSteps_[i]}, "a panel of columns stays in the first cache");
    add(pack(groups_.right[0], groups_.n, tiles_.nr, /*threads=*/true),
        whyPacked(groups_.right[0]));
    add(onThreads({m_, mc_}), "the block of the left operand stays in the second cache");
    if (groups_.m.size() > 1) add(TablesStep{m_}, "where each row is, found once");
    add(pack(groups_.left[0], groups_.m, tiles_.mr, /*threads=*/false), whyPacked(groups_.left[0]));
    add(onThreads({n_, constant(tiles_.nr)}), tiles_.why("nr"));
    add(TileStep{m_, constant(tiles_.mr)}, tiles_.why("mr"));
    steps_.push_back(registerTile());
    return std::move(steps_);
  }

 private:
  template <typename Verb>
  void add(Verb verb, const std::string& why) {
    steps_.push_back(Step(std::move(verb), why));
  }
  Expr let(const std::string& wanted, std::vector<Expr> of, const std::string& why) {
    std::string name = what_.freeName(wanted);
    add(LetStep{name, std::move(of)}, why);
    return Expr::symbol(name);
  }

  void sizes() {
    kSteps_ = stepsOfK(what_.op, groups_, tiles_.kc * packedTerms(what_.words), tiles_.lanes,
                       [&](const std::string& k, const Expr& most) {
                         return let(k + "_step", {extentOf(k), most}, tiles_.why("kc"));
                       });
    Expr all = constant(1);
    for (const Expr& step : kSteps_) all = all * step;
    let("kc", {all}, "terms of a tile of K");
    auto rounded = [](const Expr& extent, int64_t unit) {
      return extent.ceilDiv(constant(unit)) * constant(unit);
    };
    // Threads get as many rows each.
    const int64_t threads = what_.options.threads;
    Expr rows = extentsOf(groups_.m);
    Expr rounds = rows.ceilDiv(constant(threads * tiles_.mc));
    if (threads > 1) rows = rows.ceilDiv(constant(threads) * rounds);
    mc_ = let("mc", {constant(tiles_.mc), rounded(rows, tiles_.mr)}, tiles_.why("mc"));
    nc_ = let("nc", {constant(tiles_.nc), rounded(extentsOf(groups_.n), tiles_.nr)},
              tiles_.why("nc"));
    if (!what_.isAlone)
      sumsRows_ = let("sums_rows", what_.sumsRows(groups_.k, kSteps_),
                      "of which sums are kept, if any are");
  }

  // Threads have a left panel each, and a right one where they have a product each.
  TileStep onThreads(TileStep step, bool outer = false) const {
    if (what_.options.threads > 1)
      step.threads = Threads{what_.options.target->numbers.iterationsPerThread, outer};
    return step;
  }

  void collapse(const std::vector<std::string>& group) {
    if (group.size() > 1)
      add(CollapseStep{group, group[0]}, "one dimension of a matrix, whatever its iterators");
  }

  // Rows before columns.
  void order() {
    std::vector<std::string> names;
    bool isColumn = false, isOrdered = true;
    for (const ir::Iterator& i : what_.op.iterators) {
      isOrdered &= i.name != m_ || !isColumn;
      isColumn |= i.name == n_;
      if (i.kind == ir::IteratorKind::Reduction) names.push_back(i.name);
    }
    names.insert(names.begin(), {m_, n_});
    if (!isOrdered) add(OrderStep{names}, "rows before columns");
  }

  std::string whyPacked(size_t input) const {
    if (haveSeveral(groups_) &&
        computedOf(what_.op, input == groups_.left[0] ? groups_.left : groups_.right))
      return "so that tiles read on and on what is computed once";
    if (!what_.words) return "so that tiles read on and on";
    const Instructed& by = *what_.words;
    std::string why = std::to_string(what_.terms()) + " products are added at once";
    if (by.isMoved[by.side(input)]) why += "; elements are moved by half their range";
    if (by.isSummed(input)) why += "; its sums make up for how the other one is moved";
    return why;
  }

  PackStep pack(size_t input, const std::vector<std::string>& group, int64_t width, bool threads) {
    PackStep step{what_.names[input], {group[0], width}, groups_.k, what_.freeName("p")};
    step.piece = pieceOf(group, width);
    if (what_.words) {
      step.instruction = what_.words->instruction->name;
      return onThreads(std::move(step), threads);
    }
    const ir::ScalarType type = castType(what_.kernel, what_.op, input);
    const std::vector<size_t>& side = input == groups_.left[0] ? groups_.left : groups_.right;
    for (size_t other : llvm::drop_begin(side)) step.with.push_back(what_.names[other]);
    step.isComputed = computedOf(what_.op, side) != nullptr;
    if (!step.isComputed && type != what_.kernel.tensors[what_.op.inputs[input].tensor].type)
      step.type = type;
    return onThreads(std::move(step), threads);
  }
  PackStep onThreads(PackStep step, bool threads) const {
    if (threads && what_.options.threads > 1)
      step.threads = what_.options.target->numbers.elementsPerThread;
    return step;
  }

  // Positions of a group of several iterators that are neighbours in memory, if those of the last one
  // are: a divisor of `width`, so that pieces begin where panels do, and where the iterator's
  // stretches do, if their length is known and has that divisor; or else as many as a vector has
  // lanes, of which most pieces are then without a gap. 1 for a group of one.
  int64_t pieceOf(const std::vector<std::string>& group, int64_t width) const {
    if (group.size() == 1) return 1;
    int64_t whole = std::min<int64_t>(tiles_.lanes, width & -width);
    auto stretch = ir::extentOf(what_.kernel, what_.op, group.back())->extent.asConstant();
    if (!stretch || *stretch < 1) return whole;
    int64_t aligned = std::min<int64_t>(tiles_.lanes, width);
    while (width % aligned != 0 || *stretch % aligned != 0) --aligned;
    // Cycles for an element: an element on its own takes about as long as a vector.
    auto gaps = static_cast<double>(std::min(whole - 1, *stretch)) / static_cast<double>(*stretch);
    double byLanes = (1 - gaps) / static_cast<double>(whole) + gaps;
    return byLanes < 1 / static_cast<double>(aligned) ? whole : aligned;
  }

  Step registerTile() const {
    const std::vector<ir::Axis> axes = {{m_, tiles_.mr}, {n_, tiles_.nr}};
    const std::string sums = "all sums of the tile stay in registers";
    const Step plain(VectorizeStep{axes}, sums),
        whole(VectorizeStep{axes, {}, "", /*early=*/true}, sums),
        narrow(VectorizeStep{axes, {}, n_, /*early=*/false, /*variant=*/tiles_.nr > tiles_.lanes},
               sums);
    const Steps tile = {inFunction("tile", {whole})};
    Steps onScratch = {tiles_.masks ? plain : narrow};
    // As whole tiles on the output are, so that both are one function.
    if (what_.isAlone && tiles_.masks) onScratch = tile;
    // A tile that is cut off, or whose output is not contiguous along n.
    const Steps edge = {inFunction(
        "edge", {Step(ScratchStep{axes[0], axes[1], pieceOf(groups_.n, tiles_.nr), onScratch},
                      "a whole tile, of which what exists is written back")})};
    std::vector<Test> full = {equals(m_, tiles_.mr), equals(n_, tiles_.nr)};
    const std::vector<Test> unit = Contraction::along(what_.written, n_);
    if (tiles_.masks) {
      Steps inside = {Step(WhenStep{full, tile, {inFunction("masked", {narrow})}},
                           "at the ends tiles have masks, and no more vectors than they need")};
      // Else each vector of them is tested.
      if (!what_.readAlong.empty())
        inside = {Step(WhenStep{Contraction::along(what_.readAlong, n_), inside, inside},
                       "else what is read with results is no vectors in memory")};
      return Step(WhenStep{unit, std::move(inside), edge}, "else results are no vectors in memory");
    }
    llvm::append_range(full, unit);
    return Step(WhenStep{full, tile, edge}, "at the ends, or else, results are no whole vectors");
  }

  const Contraction& what_;
  const Groups& groups_;
  const ContractionTiles& tiles_;
  const std::string m_, n_;
  Steps steps_;
  std::vector<Expr> kSteps_;
  Expr mc_, nc_, sumsRows_;
};

}  // namespace

Expr Contraction::positions(const std::vector<std::string>& iterators) const {
  Expr result = constant(1);
  for (const std::string& name : iterators)
    result = result * ir::extentOf(kernel, op, name)->extent;
  return result;
}
std::optional<int64_t> Contraction::most(const std::vector<std::string>& iterators) const {
  return affine::intervalOf(positions(iterators),
                            [&](const affine::Atom& atom) -> affine::Interval {
                              auto known = options.most.find(atom.name);
                              if (known == options.most.end()) return {0, std::nullopt};
                              return {0, known->second};
                            })
      .high;
}
std::vector<Test> Contraction::along(const std::vector<OperandName>& operands,
                                     const std::string& columns) {
  std::vector<Test> tests;
  for (const OperandName& name : operands)
    tests.push_back({Test::Kind::Contiguous, {}, {}, name, columns});
  return tests;
}
int64_t Contraction::terms() const { return words ? words->instruction->count : 1; }
int64_t packedTerms(const std::optional<Instructed>& words) {
  return words ? 4 / ir::info(words->instruction->elements[0]).bytes() : 1;
}
std::vector<Expr> Contraction::sumsRows(const std::vector<std::string>& k,
                                        const std::vector<Expr>& kSteps) const {
  Expr rows = extentsOf(groups.m), tiles = constant(1);
  for (size_t i = 0; i < kSteps.size(); ++i) tiles = tiles * extentOf(k[i]).ceilDiv(kSteps[i]);
  return {rows, rows * (tiles - constant(1))};
}
std::string Contraction::freeName(const std::string& wanted) const {
  return strategy::freeName(kernel, op, wanted);
}

std::optional<std::vector<Test>> whereBordered(const Contraction& contraction, size_t input,
                                               const std::optional<ir::Axis>& blocks) {
  ir::Kernel aside = contraction.kernel;
  transforms::Builder builder(aside);
  const auto copy = padded(builder, contraction.before, input, contraction.tiles.lanes,
                           contraction.options.target->numbers.convertedVectors, blocks);
  if (!copy) return std::nullopt;
  std::vector<Test> tests;
  for (const ir::Condition& condition : copy->conditions)
    tests.push_back({Test::Kind::LessEqual, condition.left, condition.right});
  return tests;
}

Result<Form> inPanels(const Contraction& contraction) {
  const ProductCost& cost = contraction.cost;
  return Form{"panels", InPanels(contraction).run(),
              cost.tile + cost.packedLeft + cost.packedRight + cost.far};
}

Result<Form> inBorderedPanels(const Contraction& contraction) {
  if (!contraction.words) return Reason{"what is outside is tested once for each vector"};
  const std::vector<ir::Operand>& inputs = contraction.before.inputs;
  const auto outside =
      llvm::find_if(inputs, [](const ir::Operand& input) { return input.pad != nullptr; });
  if (outside == inputs.end()) return Reason{"nothing is read outside its tensor"};
  const auto input = static_cast<size_t>(outside - inputs.begin());
  auto where = whereBordered(contraction, input);
  if (!where) return Reason{"there can be no copy with a border"};
  Form form = *inPanels(contraction);
  form.why = "a copy with a border has all positions, and is not large";
  form.where = std::move(*where);
  form.steps.insert(form.steps.begin(),
                    Step(BorderStep{contraction.names[input]}, "so that nothing is read outside"));
  form.lines = {"where it is read outside its tensor, words are packed from a copy with a border"};
  return form;
}

}  // namespace einc::strategy
