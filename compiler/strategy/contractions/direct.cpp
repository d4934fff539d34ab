// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/direct.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/conversion.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class Direct {
 public:
  explicit Direct(const Contraction& what)
      : what_(what),
        op_(what.op),
        groups_(what.groups),
        tiles_(what.tiles),
        target_(*what.options.target),
        numbers_(target_.numbers),
        m_(rowOf(what)),
        n_(columnOf(what)),
        k_(what.groups.k.back()),
        rows_(what.positions({m_}).asConstant()),
        columns_(what.positions({n_}).asConstant()),
        depth_(what.positions(groups_.k).asConstant()) {
    tile_ = directTile(target_, tiles_, static_cast<int>(op_.outputs.size()), rows_, columns_,
                       mostRows());
    resident_ = target_.l2.bytes / numbers_.residentPart / (target_.vectorBytes / tiles_.lanes);
    isFunction_ =
        !rows_ || !columns_ || !depth_ || *rows_ * *columns_ * *depth_ > numbers_.directIterations;
  }

  Result<Form> run() {
    auto tests = this->tests();
    if (!tests) return Reason{tests.reason()};
    Form result{"direct", {}, what_.cost.tile + what_.cost.far};
    result.where = std::move(*tests);
    result.why = "packing would take longer than it saves";
    for (const std::string& name : around()) {
      TileStep step{name, constant(1)};
      if (what_.options.threads > 1)
        step.threads = Threads{numbers_.iterationsPerThread, /*outer=*/true};
      result.steps.push_back(Step(std::move(step), "a matrix product for each"));
    }
    if (isConvertedFirst())
      result.steps.push_back(Step(ConvertStep{name(groups_.left[0]), castOf(groups_.left[0]),
                                              isSmall(*rows_ * *depth_, castOf(groups_.left[0]))},
                                  "once, and not wherever an element is broadcast"));
    llvm::append_range(result.steps, byForm());
    result.lines = {line(result.where)};
    return result;
  }

 private:
  const OperandName& name(size_t input) const { return what_.names[input]; }
  // A copy is on the stack, then.
  static bool isSmall(int64_t elements, ir::ScalarType type) {
    return elements * ir::info(type).bytes() <= kMostOnStack;
  }
  ir::ScalarType ownType(size_t input) const {
    return what_.kernel.tensors[op_.inputs[input].tensor].type;
  }
  ir::ScalarType castOf(size_t input) const { return castType(what_.kernel, op_, input); }

  // Rows of the left operand are read at once, as far apart as they are where it is contiguous.
  int64_t mostRows() const {
    auto stride = strideInBytes(what_.kernel, op_.inputs[groups_.left[0]], m_);
    return stride ? rowsInCache(target_, *stride) : INT64_MAX;
  }

  // What is left of M and N in the loops around: of N that along which the output is contiguous.
  static std::string rowOf(const Contraction& what) {
    const std::string own = contiguousIn(what.before.inputs[what.groups.left[0]], what.groups.m);
    return own.empty() ? what.groups.m.back() : own;
  }
  static std::string columnOf(const Contraction& what) {
    const std::string own = contiguousIn(what.before.outputs[0], what.groups.n);
    return own.empty() ? what.groups.n.back() : own;
  }
  // Iterators whose positions are done one by one: the batch, and of M and N all others.
  std::vector<std::string> around() const {
    std::vector<std::string> names = groups_.batch;
    for (const ir::Iterator& i : op_.iterators) {
      const bool isOther =
          llvm::is_contained(groups_.m, i.name) || llvm::is_contained(groups_.n, i.name);
      if (isOther && i.name != m_ && i.name != n_) names.push_back(i.name);
    }
    return names;
  }
  bool isNested() const { return groups_.n.size() > 1; }

  std::vector<Test> contiguousColumns() const {
    std::vector<Test> tests = {{Test::Kind::Contiguous, {}, {}, name(groups_.right[0]), n_}};
    llvm::append_range(tests, Contraction::along(what_.written, n_));
    return tests;
  }

  // With columns of several iterators, panels are packed by tables, which rows have to pay for; lines where they are
  // have idle lanes at their ends. Both operands of a line stay in the second cache, or are read again from beyond it.
  // (Measured on Zen 5, images in front of their lines, 3 x 3, GFLOP/s, packed and in place: 24 to 24 channels of 24 x
  // 24 133 and 190, 64 to 64 of 56 x 56 161 and 205, 256 to 256 of 18 x 18 188 and 142, of 14 x 14 180 and 147.)
  Result<std::vector<Test>> testsOfNested() const {
    const ir::Operand& right = what_.before.inputs[groups_.right[0]];
    if (contiguousIn(what_.before.outputs[0], groups_.n) != n_ || groups_.right.size() > 1 ||
        contiguous(what_.kernel, right) != n_ || !suitsLanes(right, n_, tiles_.masks) ||
        isConverted(what_.kernel, what_.before, groups_.left[0]))
      return Reason{"columns of several iterators are not in vectors where they are"};
    std::vector<Test> tests;
    if (what_.words &&
        !holds({Test::Kind::LessEqual, all(groups_.m), constant(numbers_.wordRows)}, tests))
      return Reason{"an instruction adds several products, of words that are packed"};
    const Expr rows = all(groups_.m), terms = all(groups_.k), columns = extent(n_);
    const Expr whole = constant(tiles_.lanes), lanes = columns.ceilDiv(whole) * whole;
    const bool fits =
        holds({Test::Kind::LessEqual, rows * (lanes - columns),
               lanes * constant(numbers_.tabledRows)},
              tests) &&
        holds({Test::Kind::LessEqual, rows * terms, constant(elementsIn(groups_.left[0]))},
              tests) &&
        holds({Test::Kind::LessEqual, terms * columns, constant(elementsIn(groups_.right[0]))},
              tests) &&
        (tiles_.masks || holds({Test::Kind::Equal, columns.mod(whole)}, tests)) &&
        (!isConverted(what_.kernel, what_.before,
                      groups_.right[0]) ||  // once for each tile of rows
         holds({Test::Kind::LessEqual, rows, constant(numbers_.tabledRows)}, tests));
    if (!fits) return Reason{"lines are short for their rows, or do not stay in the second cache"};
    llvm::append_range(tests, contiguousColumns());
    return tests;
  }
  // An instruction adds several products at once, but of words that are packed: that pays for few rows already, and
  // where there is little at all to do, never.
  Result<std::vector<Test>> testsOfWords() const {
    std::vector<Test> tests;
    const Expr rows = extent(m_) - constant(rowsOfTerms());
    // (Along terms, where columns are few: bf16, us, 100 x 4 x 1000 4.8, and 12.8 of words.)
    const bool isAlongTerms = isNarrow() && !isConverted(what_.kernel, op_, groups_.left[0]);
    if (!isAlongTerms && !holds({Test::Kind::LessEqual, rows * extent(n_) * all(groups_.k),
                                 constant(numbers_.wordIterations)},
                                tests))
      return Reason{"an instruction adds several products, of words that are packed"};
    llvm::append_range(tests, contiguousColumns());
    return tests;
  }
  // The more products are added at once, the sooner packing pays.
  int64_t rowsOfTerms() const {
    return std::max<int64_t>(numbers_.wordTerms / what_.words->instruction->count, 1);
  }
  Expr extent(const std::string& iterator) const {
    const auto known = what_.positions({iterator}).asConstant();
    return known ? constant(*known) : extentOf(iterator);
  }
  Expr all(const std::vector<std::string>& iterators) const {
    Expr result = constant(1);
    for (const std::string& name : iterators) result = result * extent(name);
    return result;
  }
  // So many stay in the second cache, with as many of the other.
  int64_t elementsIn(size_t input) const {
    return target_.l2.bytes * numbers_.lineInSecond / 8 /
           static_cast<int64_t>(ir::info(ownType(input)).bytes());
  }

  Result<std::vector<Test>> tests() const {
    if (groups_.n.size() > 1) return testsOfNested();
    if (groups_.m.size() > 1) return Reason{"rows have several iterators"};
    if (!tiles_.masks && !columns_) return Reason{"without masks columns are to be known"};
    if (what_.words) return testsOfWords();
    std::vector<Test> tests;
    bool fewRows = rows_ && *rows_ <= numbers_.directTiles * tiles_.mr;
    // Of many rows, what is converted on the left is packed.
    bool converts = isConverted(what_.kernel, op_, groups_.left[0]);
    bool fewColumns = !converts && columns_ && *columns_ <= tiles_.nr;
    bool fewTerms = !converts && depth_ && *depth_ <= tiles_.nr;
    if (!fewRows && !fewColumns && !fewTerms) {
      Expr all =
          what_.positions(groups_.m) * what_.positions(groups_.n) * what_.positions(groups_.k);
      auto known = all.asConstant();
      if (all.overflowed() || known.value_or(0) > numbers_.directIterations)
        return Reason{"there is much to do"};
      Expr count = extentOf(m_) * extentOf(n_);
      for (const std::string& k : groups_.k) count = count * extentOf(k);
      if (!known)
        tests.push_back({Test::Kind::LessEqual, count, constant(numbers_.directIterations)});
    }
    llvm::append_range(tests, contiguousColumns());
    return tests;
  }

  std::string line(const std::vector<Test>& tests) const {
    std::string result;
    if (isNested() && tests.front().kind != Test::Kind::Contiguous)
      result = "where lines are long enough for their rows, and stay in the second cache, ";
    else if (what_.words && tests.front().kind != Test::Kind::Contiguous)
      result = "with few rows, or little to do, ";
    else if (!isNested() && tests.front().kind != Test::Kind::Contiguous)
      result = "with up to " + std::to_string(numbers_.directIterations) + " iterations, ";
    result += "operands are read where they are, not packed, if columns are contiguous: tiles of " +
              std::to_string(tile_.rows) + " x " + std::to_string(tile_.columns);
    return isConvertedFirst() ? result + "; the left one is converted first" : result;
  }

  // Where elements on the left are converted wherever they are broadcast, and stay in cache.
  bool isConvertedFirst() const {
    const ir::Operand& left = op_.inputs[groups_.left[0]];
    bool plain = !left.pad && llvm::all_of(left.map, [](const Expr& e) { return e.asIterator(); });
    return plain && isConverted(what_.kernel, op_, groups_.left[0]) && columns_ &&
           *columns_ >= numbers_.convertedColumns && rows_ && depth_ &&
           *rows_ * *depth_ <= numbers_.convertedElements;
  }

  Steps byForm();

 public:
  // ---- Rows of forms.def ----

  Result<Steps> alongTerms() {
    if (isNested() || !isNarrow()) return Reason{"columns fill vectors, or terms are few"};
    const Test unit{Test::Kind::Contiguous, {}, {}, name(groups_.left[0]), k_};
    return Steps{Step(WhenStep{{unit}, termsInVectors(), rowAfterRow()},
                      "vectors along columns would be half empty, those along terms are not")};
  }

  Result<Steps> byLines() {
    if (isNested() || !isFlat()) return Reason{"there are many rows, or little is read"};
    return linesApart();
  }

  Result<Steps> byRows() {
    const bool inOrder = groups_.k.size() > 1 && (what_.options.keepsOrder || !groups_.anyOrder);
    const bool needsSums = !what_.isAlone && !rows_;  // for any number of rows
    const bool stays = columns_ && depth_ && *columns_ * *depth_ <= resident_;
    if (!isNested() && !inOrder && !needsSums && !stays)
      return Reason{"the right operand would be read again for each tile of rows"};
    return rowAfterRow();
  }

  Result<Steps> inTurn() {
    isLarge_ = rightIsLarge();
    const int64_t step = isLarge_                                   ? numbers_.directTermsFar
                         : rows_.value_or(0) <= numbers_.directRows ? numbers_.directTermsOfFew
                                                                    : numbers_.directTerms;
    Steps steps;
    if (!what_.isAlone)
      steps.push_back(Step(KeepStep{{{m_, extentOf(m_)}, {n_, extentOf(n_)}}}, "unfinished sums"));
    steps.push_back(Step(TileStep{k_, constant(step)},
                         "few terms at a time, so that the right operand is read in turn"));
    llvm::append_range(steps, byColumns());
    return steps;
  }

 private:
  // So large that it comes from memory: then fewer streams are faster, and what is next is asked
  // for.
  bool rightIsLarge() const {
    return columns_ && depth_ &&
           *columns_ > target_.l3.bytes / (target_.vectorBytes / tiles_.lanes) / *depth_;
  }

  // Steps for a tile of so many positions.
  using Inside = std::function<Steps(int64_t)>;

  // The right operand stays in cache, the others are read once, in order.
  Steps rowAfterRow() {
    return rowTiles(tile_.rows, [&](int64_t rows) {
      return columnTiles([&](int64_t columns) { return registerTile(rows, columns); });
    });
  }

  // The right operand is read once: few terms at a time, in so many streams as caches can follow.
  Steps byColumns() {
    return columnTiles([&](int64_t columns) {
      return rowTiles(tile_.rows, [&](int64_t rows) { return registerTile(rows, columns); });
    });
  }

  // ---- Vectors along K ----

  // Vectors along n would be half empty, or less, and there is enough to do to transpose the right
  // operand first, and to add up the lanes of each result.
  bool isNarrow() const {
    int64_t terms = depth_.value_or(0), lanes = tiles_.lanes;
    int64_t vectors = terms % lanes == 0 ? numbers_.narrowVectors : numbers_.narrowCutVectors;
    bool enough = terms >= vectors * lanes && rows_.value_or(INT64_MAX) >= numbers_.narrowRows;
    if (what_.options.keepsOrder && !transforms::isExact(op_)) return false;
    return enough && columns_ && *columns_ * 2 <= tiles_.lanes && groups_.k.size() == 1 &&
           groups_.batch.empty() && op_.outputs.size() == 1 && transforms::combinerOf(op_);
  }

  // A copy of the right operand that is contiguous along k, then tiles of rows, all columns, and as
  // many terms as a vector has lanes.
  Steps termsInVectors() {
    const int64_t rows = std::clamp<int64_t>(
        (target_.vectorRegisters - 1 - *columns_) / std::max<int64_t>(*columns_, 1), 1,
        numbers_.narrowTile);
    return then(Step(CopyStep{name(groups_.right[0]),
                              {n_, k_},
                              "transposed",
                              {Step(OrderStep{{k_, n_}}, "as it is read"),
                               Step(LoopsStep{}, "few elements, used by all rows")},
                              isSmall(*columns_ * *depth_, ownType(groups_.right[0]))
                                  ? CopyStep::Where::Stack
                                  : CopyStep::Where::Heap},
                     "so that its terms lie in vectors"),
                rowTiles(rows, [&](int64_t count) -> Steps {
                  return {inFunction("direct", termVectors(count))};
                }));
  }

  Steps termVectors(int64_t rows) const {
    const int64_t lanes = tiles_.lanes, whole = *depth_ / lanes * lanes;
    std::vector<ir::Axis> axes = {{m_, rows}, {n_, *columns_}};
    std::erase_if(axes, [&](const ir::Axis& axis) { return done_.count(axis.name) != 0; });
    const std::vector<ir::Axis> results = axes;
    axes.push_back({k_, lanes});
    const Step vector(VectorizeStep{axes}, "the lanes are added up at the end");
    const Steps vectors = {
        Step(SplitStep{k_, lanes, what_.freeName(k_ + "_block")}, "a vector of terms"), vector};
    Steps steps = vectors;
    if (whole < *depth_)
      steps = {Step(CutStep{k_, constant(whole), {}, 0, vectors, {vector}},
                    "the last vector is not whole")};
    if (what_.isAlone) return steps;
    ResultsStep tile{{}, std::move(steps)};
    for (const ir::Axis& axis : results) tile.sides.push_back({axis});
    return {Step(std::move(tile), "others are done with finished sums")};
  }

  // ---- A few lines at a time ----

  // So few rows that what counts is how the right operand is read, and this is beyond the first
  // cache, where the results of all rows take half of it at most.
  bool isFlat() const {
    const ir::Tensor& right = what_.kernel.tensors[op_.inputs[groups_.right[0]].tensor];
    int64_t elements = target_.l1.bytes / static_cast<int64_t>(ir::info(right.type).bytes());
    bool ordered = what_.options.keepsOrder && !transforms::isExact(op_);
    return rows_ && *rows_ <= numbers_.flatRows && columns_ && *columns_ >= tiles_.nr && depth_ &&
           *depth_ >= numbers_.flatTerms * numbers_.lines && *columns_ * *depth_ > elements &&
           *rows_ * *columns_ * numbers_.flatPart <= elements && groups_.k.size() == 1 &&
           what_.isAlone && !ordered && what_.options.threads == 1;
  }

  // Lines of the right operand far apart, each read on and on; results stay in the first cache.
  Steps linesApart() {
    const int64_t whole = *depth_ / numbers_.lines * numbers_.lines;
    Steps lines = {Step(SpreadStep{k_, numbers_.lines, what_.freeName(k_ + "_line")},
                        "lines far apart, each read on and on")};
    loop(lines, k_, 1, [&] { return rowAfterRow(); });
    if (whole == *depth_) return lines;
    return {Step(CutStep{k_, constant(whole), {}, 0, std::move(lines), rowAfterRow()},
                 "few lines are left at the end")};
  }

  // ---- Tiles ----

  // A loop, on threads if none around it is.
  template <typename Do>
  void loop(Steps& steps, const std::string& iterator, int64_t by, const Do& inside) {
    TileStep step{iterator, constant(by)};
    if (isFunction_ && !isOnThreads_ && what_.options.threads > 1)
      step.threads = Threads{numbers_.iterationsPerThread};
    steps.push_back(Step(std::move(step), iterator == n_   ? "the columns of a tile of registers"
                                          : iterator == m_ ? "the rows of a tile of registers"
                                                           : "a line of the right operand"));
    const bool before = std::exchange(isOnThreads_, isOnThreads_ || isFunction_);
    if (by == 1) done_.insert(iterator);
    llvm::append_range(steps, inside());
    if (by == 1) done_.erase(iterator);
    isOnThreads_ = before;
  }

  // Tiles of `step` positions, and one of those that are left.
  Steps known(const std::string& iterator, int64_t extent, int64_t step, const Inside& inside) {
    const int64_t whole = extent / step * step;
    auto tiles = [&](int64_t count) -> Steps {
      if (count == step) return inside(step);
      Steps steps;
      loop(steps, iterator, step, [&] { return inside(step); });
      return steps;
    };
    if (whole == extent) return tiles(extent);
    if (whole == 0) return inside(extent);
    return {Step(CutStep{iterator, constant(whole), {}, 0, tiles(whole), inside(extent - whole)},
                 "the last tile is smaller")};
  }

  Steps rowTiles(int64_t step, const Inside& inside) {
    if (rows_) return known(m_, *rows_, step, inside);
    Steps steps;
    loop(steps, m_, step, [&] { return step == 1 ? inside(1) : rowsOf(step, inside); });
    return steps;
  }

  // Tiles of so many rows, or of fewer.
  Steps rowsOf(int64_t step, const Inside& inside) {
    const std::vector<Test> isWhole = {{Test::Kind::Equal, extentOf(m_), constant(step)}},
                            isOne = {{Test::Kind::Equal, extentOf(m_), constant(1)}};
    Steps whole = inside(step);
    const std::string few = "few rows are left at the end";
    // Two rows of few vectors wait for each other; of six, four may be left. (Measured on Zen 3, 16 channels of 16 x 16,
    // four and two, us: 208 and 260; 21 defs, 2% faster in all.)
    const int64_t next = step > 4 && target_.vectorRegisters < 32 ? 4 : 2;
    return {Step(WhenStep{isWhole, std::move(whole),
                          step > 2 ? rowTiles(next, inside)
                                   : Steps{Step(WhenStep{isOne, inside(1), {}}, few)}},
                 few)};
  }

  Steps columnTiles(const Inside& inside) {
    if (columns_)
      return known(n_, *columns_, tile_.columns,
                   [&](int64_t count) { return inside(widthFor(count)); });
    Steps steps;
    loop(steps, n_, tile_.columns,
         [&] { return target_.hasMasks ? inside(kCutOff) : columnsOf(tile_.columns, inside); });
    return steps;
  }

  // A tile of so many columns, or of fewer: whole vectors, and one with a mask, which takes longer, if
  // there may be any.
  Steps columnsOf(int64_t step, const Inside& inside) {
    const std::vector<Test> isWhole = {{Test::Kind::Equal, extentOf(n_), constant(step)}};
    if (step <= tiles_.lanes) {
      Steps vector;
      loop(vector, n_, tiles_.lanes, [&]() -> Steps {
        if (!tiles_.masks) return inside(tiles_.lanes);
        return {Step(WhenStep{isWhole, inside(tiles_.lanes), inside(tiles_.lanes)},
                     "the last vector is not whole")};
      });
      return vector;
    }
    return {Step(WhenStep{isWhole, inside(step), columnsOf(step - tiles_.lanes, inside)},
                 "at the end there are fewer vectors")};
  }

  // Columns of a tile that may end before it does: then its vectors are counted first.
  static constexpr int64_t kCutOff = 0;

  // The axis for so many columns. With masks it may be longer than they are; the last vector is as
  // narrow as a power of two and 16 bytes allow. (Not a scalar: compilers gather those of all rows in
  // vectors of their own. Measured on Zen 5, 33 cubed in f64: 0.88 to 0.67 us.)
  int64_t widthFor(int64_t columns) const {
    if (!tiles_.masks) return columns;
    int64_t last = columns % tiles_.lanes;
    int64_t narrow = tiles_.lanes * 16 / target_.vectorBytes;
    if (last == 0) return columns;
    while (narrow < last) narrow *= 2;
    return columns - last + narrow;
  }

  Steps registerTile(int64_t rows, int64_t columns) const {
    const bool isCutOff = columns == kCutOff;
    VectorizeStep step{{{n_, isCutOff ? tile_.columns : columns}}};
    if (done_.count(m_) == 0) step.axes.insert(step.axes.begin(), {m_, rows});
    step.variant = isCutOff;
    if (isCutOff) step.fit = n_;
    if (isLarge_) step.ahead = ir::Ahead{n_, (rows <= numbers_.earlyRows ? 2 : 1) * tile_.columns};
    const Step vectors(std::move(step), "all sums of the tile stay in registers");
    if (!isFunction_) return {vectors};
    return {inFunction("direct", {vectors})};
  }

  const Contraction& what_;
  const ir::StructuredOp& op_;
  const Groups& groups_;
  const ContractionTiles& tiles_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const std::string m_, n_, k_;
  const std::optional<int64_t> rows_, columns_, depth_;  // where they are constants
  DirectTile tile_{};
  int64_t resident_;          // elements of the right operand that stay in cache from row to row
  bool isFunction_;           // register tiles are functions of their own
  bool isLarge_ = false;      // the right operand
  bool isOnThreads_ = false;  // a loop around has them already
  std::set<std::string> done_;
};

constexpr Result<Steps> (Direct::* kOrders[])() = {
#define EINC_DIRECT_FORM(function) &Direct::function,
#include "compiler/strategy/forms.def"
};

Steps Direct::byForm() {
  for (auto order : kOrders)
    if (auto steps = (this->*order)()) return std::move(*steps);
  return rowAfterRow();  // the last row takes all
}

}  // namespace

Result<Form> direct(const Contraction& contraction) { return Direct(contraction).run(); }

}  // namespace einc::strategy
