// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/in_place.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/plan/words.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class RowsInPlace {
 public:
  explicit RowsInPlace(const Contraction& what)
      : what_(what),
        op_(what.op),
        groups_(what.groups),
        tiles_(what.tiles),
        numbers_(what.options.target->numbers),
        m_(what.groups.m[0]),
        n_(what.groups.n.back()) {}

  Result<Form> run() {
    blocks_ = inBlocks();
    if (auto reason = refusal()) return *reason;
    areLaid_ = what_.words && areWordsLaid(*what_.words);
    if (groups_.n.size() > 1 && !areLaid_) return Reason{"columns have several iterators"};
    chooseTile();
    copies_ = mayCopy(isPlain() ? numbers_.inPlaceRows : numbers_.inPlacePositions);
    const auto columns = what_.most(groups_.n);
    const bool any =
        areLaid_ || (columns && *columns <= numbers_.inPlaceColumns) || (isPlain() && copies_);
    Form result{"in place", {}, what_.cost.tile + what_.cost.packedRight};
    result.why = "too few columns use the left operand for packing it to pay";
    if (isPlain() && !any) return Reason{"columns are many, and rows are not few"};
    if (!any && !areFew(result.where)) return Reason{"there are many results"};
    llvm::append_range(result.where, Contraction::along(what_.written, n_));
    // An offset table costs nothing here; a matrix that lies the other way round is packed.
    if (what_.words)
      words(result.where);
    else if (isPlain())
      result.where.push_back(contiguous(name(groups_.left[0]), groups_.k[0]));
    const bool isPadded = left().pad != nullptr || blocks_;
    if (isPadded && !border(result.where)) return Reason{"there can be no copy with a border"};
    order();
    if (copies_) result.where.push_back(contiguous(name(groups_.right[0]), n_));
    if (areLaid_) result.where.push_back(laid());
    sizes();
    columnsAndTerms();
    result.steps = std::move(steps_);
    std::string line =
        (any ? "" : "with up to " + std::to_string(numbers_.inPlaceElements) + " results, ") +
        "the left operand is read in place, not packed: tiles of " + std::to_string(mr_) + " x " +
        std::to_string(nr_);
    if (copies_) line += "; the first packs the right one on the way";
    if (isPadded) line += "; where it is read outside its tensor, from a copy with a border";
    result.lines = {std::move(line)};
    return result;
  }

 private:
  const OperandName& name(size_t input) const { return what_.names[input]; }
  const ir::Operand& left() const { return what_.before.inputs[groups_.left[0]]; }
  bool isPlain() const { return groups_.m.size() == 1 && groups_.k.size() == 1; }

  std::optional<Reason> refusal() const {
    if (!tiles_.masks) return Reason{"the target has no masks"};
    if (auto reason = noWords()) return reason;
    if (groups_.left.size() != 1) return Reason{"there are several left operands"};
    // Packing converts once (i8 to i32, 257 cubed, Zen 5: 164 and 191 GFLOP/s).
    if (!what_.words && isConverted(what_.kernel, what_.before, groups_.left[0]))
      return Reason{"the left operand is converted"};
    if (what_.options.threads > 1 && !groups_.batch.empty())
      return Reason{"threads would need a panel each"};
    if (contiguousIn(left(), groups_.k).empty())
      return Reason{"the left operand is not contiguous along K"};
    return std::nullopt;
  }

  // Where windows move over an image with a few positions for each place (colours), a copy of it has blocks of them, which
  // are words: mostly of elements that there are.
  std::optional<ir::Axis> inBlocks() {
    if (!what_.words || isPlain()) return std::nullopt;
    const std::string own = contiguousIn(left(), groups_.k);
    const auto there = own.empty() ? std::nullopt : what_.positions({own}).asConstant();
    if (!there || *there < 1 || *there % what_.terms() == 0) return std::nullopt;
    const int64_t all = (*there + what_.terms() - 1) / what_.terms() * what_.terms();
    const Instructed& by = *what_.words;
    if (*there * 100 < all * numbers_.inPlaceFilled || by.shifts[0] || by.shifts[1] ||
        !ir::info(by.instruction->sum).isInteger())
      return std::nullopt;
    moveToEnd(groups_.k, own);
    return ir::Axis{own, what_.terms()};
  }

  // Why an instruction's words are not read in place.
  std::optional<Reason> noWords() const {
    if (!what_.words) return std::nullopt;
    const Instructed& by = *what_.words;
    const size_t input = groups_.left[0];
    if (by.isSummed(input)) return Reason{"the left operand is summed up while it is packed"};
    if (by.isMoved[by.side(input)] || !isWordInMemory(by, what_.kernel.tensors[left().tensor].type))
      return Reason{"words of the left operand are not as they lie in memory"};
    const std::string& k = groups_.k.back();
    if (contiguousIn(left(), groups_.k) != k ||
        llvm::count_if(left().map, [&](const Expr& e) { return e.mentions(k); }) != 1)
      return Reason{"words go along another iterator than the left operand lies along"};
    const auto terms = ir::extentOf(what_.kernel, op_, k)->extent.asConstant();
    if (terms && *terms % what_.terms() != 0 && !blocks_) return Reason{"words are not whole"};
    return std::nullopt;
  }
  // When the left operand lies in whole words.
  void words(std::vector<Test>& tests) const {
    const std::string& k = groups_.k.back();
    if (!left().pad && !blocks_) tests.push_back(contiguous(name(groups_.left[0]), k));
    if (!ir::extentOf(what_.kernel, op_, k)->extent.asConstant())
      tests.push_back({Test::Kind::Equal, extentOf(k).mod(constant(what_.terms())), Expr()});
  }

  // Whether words on the right may follow one another along the columns: none is moved or summed up, and each has all
  // positions of an iterator, inside of the columns.
  bool areWordsLaid(const Instructed& by) const {
    const size_t input = groups_.right[0];
    const ir::Operand& right = what_.before.inputs[input];
    const size_t rank = right.map.size();
    const auto columns = what_.positions({n_}).asConstant();
    return columns && *columns <= numbers_.inPlaceWords && !right.pad && !by.isSummed(input) &&
           isWordInMemory(by, what_.kernel.tensors[right.tensor].type) && rank >= 2 &&
           right.map[rank - 1].asIterator() == groups_.k.back() &&
           right.map[rank - 2].asIterator() == n_ &&
           ir::extentOf(what_.kernel, op_, groups_.k.back())->extent == constant(what_.terms());
  }
  Test laid() const {
    return {Test::Kind::Contiguous, {}, {}, name(groups_.right[0]), n_, {groups_.k.back()}};
  }

  static Test contiguous(const OperandName& operand, const std::string& iterator) {
    return {Test::Kind::Contiguous, {}, {}, operand, iterator};
  }
  // Results, and elements on the left.
  bool areFew(std::vector<Test>& tests) const {
    Expr results = what_.positions(groups_.m) * what_.positions(groups_.n), elements = constant(1);
    for (const Expr& extent : what_.kernel.tensors[left().tensor].shape)
      elements = elements * extent;
    for (const Expr& count : {results, elements}) {
      auto known = count.asConstant();
      if (known && *known > numbers_.inPlaceElements) return false;
      if (!known)
        tests.push_back({Test::Kind::LessEqual, count, constant(numbers_.inPlaceElements)});
    }
    return true;
  }

  // A copy with a border in place of the left operand, and when it can be made.
  bool border(std::vector<Test>& tests) {
    const auto where = whereBordered(what_, groups_.left[0], blocks_);
    if (!where) return false;
    llvm::append_range(tests, *where);
    add(BorderStep{name(groups_.left[0]), blocks_},
        blocks_ ? "so that nothing is read outside, and words are whole"
                : "so that nothing is read outside");
    return true;
  }

  // Whether the first tile of each panel packs it on the way: rows are few, but make up a tile, and on
  // the right lines are read.
  bool mayCopy(int64_t most) const {
    auto rows = what_.positions(groups_.m).asConstant();
    const ir::Operand& right = what_.before.inputs[groups_.right[0]];
    return !what_.words && what_.options.threads == 1 && rows && *rows >= mr_ && *rows <= most &&
           !right.pad && contiguousIn(right, groups_.n) == groups_.n[0];
  }

  // Half cycles for each step of K: what its FMAs and their loads take; the latency of one at least.
  int64_t stepCost(int64_t rows, int64_t vectors) const {
    return std::max<int64_t>(rows * vectors + 2, int64_t{2} * what_.options.target->fmaLatency);
  }

  // Nothing is transposed, so that any number of rows will do: the tile that leaves least over.
  void chooseTile() {
    mr_ = tiles_.mr;
    nr_ = tiles_.nr;
    int64_t accumulators = mr_ * nr_ / tiles_.lanes, best = INT64_MAX;
    const auto rows = what_.most(groups_.m), columns = what_.most({n_});
    if (!rows || !columns || *rows < 1 || *columns < 1) return;
    int64_t vectors = (*columns - 1) / tiles_.lanes + 1;
    for (int64_t wide : {nr_ / tiles_.lanes, nr_ / tiles_.lanes + 1})
      for (int64_t mr = accumulators / wide; mr > accumulators / wide - 3 && mr > 2; --mr) {
        auto cost = [&](int64_t width) {
          if (width == 0) return int64_t{0};
          const int64_t rest = *rows % mr;
          return *rows / mr * stepCost(mr, width) + (rest > 0 ? stepCost(rest, width) : 0);
        };
        int64_t total = vectors / wide * cost(wide) + cost(vectors % wide);
        if (total >= best) continue;
        best = total;
        mr_ = mr;
        nr_ = wide * tiles_.lanes;
      }
  }

  // The loops over K run in its order.
  void order() {
    std::vector<std::string> own, wanted;
    auto next = groups_.k.begin();
    for (const ir::Iterator& i : op_.iterators) {
      own.push_back(i.name);
      wanted.push_back(i.kind == ir::IteratorKind::Reduction ? *next++ : i.name);
    }
    if (wanted != own) add(OrderStep{wanted}, "sums go along what lies together");
  }

  template <typename Verb>
  void add(Verb verb, const std::string& why) {
    steps_.push_back(Step(std::move(verb), why));
  }
  Expr let(const std::string& wanted, std::vector<Expr> of, const std::string& why) {
    std::string name = what_.freeName(wanted);
    add(LetStep{name, std::move(of)}, why);
    return Expr::symbol(name);
  }

  // K in blocks of twice what is packed on both sides, if there are rows to use them; as many
  // columns as stay in the L2 cache, or one panel, which fills the first cache at most.
  void sizes() {
    bool few = what_.most(groups_.m).value_or(INT64_MAX) <= numbers_.inPlacePositions;
    // Panels have elements as products take them, not as they lie in memory.
    const target::Target& target = *what_.options.target;
    const int64_t row = nr_ / tiles_.lanes * target.vectorBytes;
    int64_t most = copies_ ? std::clamp<int64_t>(target.l1.bytes / row, 1, tiles_.kc)
                   : few   ? tiles_.kc
                           : numbers_.inPlaceTerms * tiles_.kc;
    // Words are whole: as many as fit, before other iterators have their share.
    Groups groups = groups_;
    if (what_.words) groups.anyOrder = false;
    // One that lies in memory is one position.
    if (areLaid_) groups.k.pop_back();
    const int64_t terms = packedTerms(what_.words) / (areLaid_ ? what_.terms() : 1);
    kSteps_ =
        stepsOfK(op_, groups, most * terms, tiles_.lanes, [&](const std::string& k, const Expr& e) {
          return let(k + "_step", {extentOf(k), e},
                     "a panel of so many terms stays in the first caches");
        });
    Expr all = constant(1);
    for (const Expr& step : kSteps_)
      all = all * (&step == &kSteps_.back() && !areLaid_ ? panelExtent(step, what_.words) : step);
    Expr kc = let("kc", {all}, "rows of a panel of a tile of K"), width = constant(nr_);
    std::vector<Expr> columns = {extentOf(n_).ceilDiv(width) * width};
    if (!copies_) columns.push_back(constant(tiles_.resident).ceilDiv(kc * width) * width);
    nc_ = let("nc", std::move(columns), "panels of so many columns stay in the second cache");
    if (!what_.isAlone)
      sumsRows_ = let("sums_rows", what_.sumsRows(groups_.k, kSteps_),
                      "of which sums are kept, if any are");
  }

  void columnsAndTerms() {
    for (const std::string& batch : groups_.batch)
      add(TileStep{batch, constant(1)}, "a product for each");
    for (const std::string& n : llvm::drop_end(groups_.n))
      add(TileStep{n, constant(1)}, "columns that lie together");
    if (groups_.m.size() > 1)
      add(CollapseStep{groups_.m, m_}, "one dimension of a matrix, whatever its iterators");
    if (what_.words)
      add(WordsStep{name(groups_.left[0]), groups_.k.back(),
                    std::string(what_.words->instruction->name)},
          std::to_string(what_.terms()) + " products are added at once");
    if (areLaid_)
      add(WordsStep{name(groups_.right[0]), groups_.k.back(),
                    std::string(what_.words->instruction->name)},
          "words lie side by side, as vectors read them");
    add(TileStep{n_, nc_}, "what is packed of the right operand stays in cache");
    if (!what_.isAlone)
      add(KeepStep{{{m_, sumsRows_}, {n_, nc_}}},
          "unfinished sums, where there are several tiles of K");
    for (size_t i = 0; i < kSteps_.size(); ++i)
      add(TileStep{groups_.k[i], kSteps_[i]}, "a panel of columns stays in the first cache");
    if (copies_) return panelByPanel();
    PackStep pack = panel();
    TileStep rows{m_, constant(rowsAtOnce())};
    if (what_.options.threads > 1) {
      pack.threads = numbers_.elementsPerThread;
      rows.threads = Threads{numbers_.iterationsPerThread};
    }
    if (!areLaid_) add(pack, "so that tiles read on and on");
    add(rows, "rows that are read where they are stay in the second cache");
    if (groups_.m.size() > 1) add(TablesStep{m_}, "where each row is, found once");
    llvm::append_range(
        steps_, byRows([&](const std::vector<ir::Axis>& axes) -> Steps {
          return {Step(TileStep{n_, constant(nr_)}, "the columns of a tile of registers"),
                  registers(axes)};
        }));
  }

  PackStep panel() const {
    PackStep step{name(groups_.right[0]), {n_, nr_}, groups_.k};
    if (what_.words) step.instruction = what_.words->instruction->name;
    return step;
  }

  // Some rows of all columns, a panel at a time: the first tile packs it, the others use it.
  void panelByPanel() {
    const int64_t together = rowsTogether();
    add(TileStep{m_, constant(together)}, "rows that share a panel");
    if (groups_.m.size() > 1) add(TablesStep{m_}, "where each row is, found once");
    add(TileStep{n_, constant(nr_)}, "a panel");
    const ir::Ahead ahead{groups_.k.back(), numbers_.inPlaceAhead};
    const Step first = registers({{m_, mr_}}, ahead);
    if (together == mr_ && *what_.positions(groups_.m).asConstant() % together == 0) {
      steps_.push_back(first);
      return;
    }
    add(CutStep{m_,
                constant(mr_),
                {},
                0,
                {first},
                byRows(
                    [&](const std::vector<ir::Axis>& axes) -> Steps { return {registers(axes)}; }),
                panel()},
        "the first tile packs the panel on the way, the others read that");
  }

  // Known, and at least a tile in each block.
  int64_t rowsTogether() const {
    int64_t all = *what_.positions(groups_.m).asConstant(),
            rows = std::max(tiles_.mc / mr_, int64_t{1}) * mr_;
    while (all % rows > 0 && all % rows < mr_) rows += mr_;
    return std::min(rows, all);
  }

  // Threads take fewer, so that each gets some.
  int64_t rowsAtOnce() const {
    return what_.options.threads > 1 ? numbers_.tilesAtOnce * mr_
                                     : std::max<int64_t>(tiles_.mc / mr_, 1) * mr_;
  }

  // Whole tiles, then what is known to be left as one, or rows one by one.
  template <typename OnTile>
  Steps byRows(const OnTile& onTile) const {
    Steps few = then(Step(TileStep{m_, constant(1)}, "one by one"), onTile({}));
    const int64_t left = what_.positions(groups_.m).asConstant().value_or(0) % mr_;
    if (left > 1)
      few = {Step(WhenStep{{equals(m_, left)}, onTile({{m_, left}}), std::move(few)},
                  "so many are left of all")};
    return {Step(TileStep{m_, constant(mr_)}, "the rows of a tile of registers"),
            Step(WhenStep{{equals(m_, mr_)}, onTile({{m_, mr_}}), std::move(few)},
                 "few rows are left at the end")};
  }

  Step registers(std::vector<ir::Axis> rows, const std::optional<ir::Ahead>& ahead = {}) const {
    rows.push_back({n_, nr_});
    VectorizeStep whole{rows, ahead}, narrow = whole;
    narrow.fit = n_;
    narrow.variant = nr_ > tiles_.lanes;
    const std::string sums = "all sums of the tile stay in registers";
    return Step(WhenStep{{equals(n_, nr_)},
                         {inFunction("tile", {Step(whole, sums)})},
                         {inFunction("masked", {Step(narrow, sums)})}},
                "at the end tiles have masks, and no more vectors than they need");
  }

  const Contraction& what_;
  const ir::StructuredOp& op_;
  Groups groups_;
  const ContractionTiles& tiles_;
  const target::Numbers& numbers_;
  const std::string m_, n_;
  int64_t mr_ = 0, nr_ = 0;
  std::optional<ir::Axis> blocks_;
  bool copies_ = false, areLaid_ = false;
  Steps steps_;
  std::vector<Expr> kSteps_;
  Expr nc_, sumsRows_;
};

}  // namespace

Result<Form> inPlace(const Contraction& contraction) { return RowsInPlace(contraction).run(); }

}  // namespace einc::strategy
