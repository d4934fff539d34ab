// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/streams.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "compiler/strategy/estimate.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/large_outputs.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

// What can be set; more would not stay in registers.
constexpr int64_t kMostVectors = 64;

class Stream {
 public:
  Stream(const ir::Kernel& kernel, const ir::StructuredOp& op,
         const std::vector<OperandName>& names, const ScheduleOptions& options)
      : kernel_(kernel),
        op_(op),
        names_(names),
        options_(options),
        target_(*options.target),
        numbers_(target_.numbers),
        lanes_(target_.lanes(transforms::registerBytes(op))) {}

  Result<Form> run(OpSettings& settings) {
    if (target_.vectorBytes == 0) return Reason{"the target has no vectors"};
    if (!arePositionsNear(kernel_, op_))
      return Reason{"positions may be so far apart that 64 bits cannot say them"};
    chooseAxis();
    std::vector<std::string> iterators;
    for (const ir::Iterator& i : op_.iterators) iterators.push_back(i.name);
    axis_ = settings.word("axis", iterators).value_or(axis_);
    vectors_ = settings.number("vectors", 1, kMostVectors).value_or(vectors_);
    if (axis_.empty())
      return Reason{iterators.empty() ? "it is computed once"
                                      : "each result is computed from the one before it"};
    if (auto reason = refusal()) return *reason;
    Form result{"stream", {}, cycles()};
    result.grain = numbers_.elementsPerThread;
    result.tilesResults = !isReduction(axis_);
    result.settings = {{"axis", axis_}, {"vectors", std::to_string(vectors_)}};
    std::string line = "vectors along '" + axis_ + "', ";
    std::vector<Test> tests = contiguousTests();
    result.steps = vectorSteps(line);
    if (!tests.empty()) {  // else lanes are read and written one by one, wherever they are
      line += ", where operands are contiguous as the spec has them";
      result.steps = {WhenStep{std::move(tests), std::move(result.steps), Steps{LoopsStep{}}}};
    }
    if (!isReduction(axis_) && contiguous(kernel_, op_.outputs[0]) == axis_ &&
        whereLarge(kernel_, op_, options_))
      line += "; outputs above " + std::to_string(target_.l3.bytes / (int64_t{1024} * 1024)) +
              " MiB are written around the caches, in lines";
    result.lines = {line};
    return result;
  }

 private:
  // ---- Along which iterator ----

  bool isReduction(const std::string& name) const {
    return llvm::is_contained(op_.iterators, ir::Iterator{name, ir::IteratorKind::Reduction});
  }
  bool mayReorder() const { return transforms::mayReorder(op_, options_.keepsOrder); }

  // The iterator in which most elements are contiguous: an operand counts by how many iterators it
  // has; the output decides, where there is a choice. Where nothing is contiguous, the innermost.
  // None along which each term needs the one before it.
  void chooseAxis() {
    std::map<std::string, int64_t> votes;
    for (const ir::Iterator& i : op_.iterators)
      if (i.kind == ir::IteratorKind::Parallel || mayReorder()) votes[i.name] = 0;
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (std::string name = contiguous(kernel_, op_.operand(i)); votes.contains(name)) {
        size_t rank = std::min<size_t>(transforms::iteratorsOf(op_.operand(i)).size(), 14);
        votes[name] += int64_t{i < op_.inputs.size() ? 2 : 3} << (4 * rank);
      }
    int64_t best = -1;
    for (const ir::Iterator& i : op_.iterators)
      if (votes.contains(i.name) && (votes[i.name] > best || best == 0)) {
        best = votes[i.name];
        axis_ = i.name;
      }
  }

  std::optional<Reason> refusal() const {
    if (isReduction(axis_) && transforms::partsOf(op_) && !mayReorder())
      return Reason{"the order of the sum along '" + axis_ + "' is kept"};
    if (isReduction(axis_) && !transforms::partsOf(op_))
      return Reason{"the reduction '" + axis_ + "' is not by one associative function"};
    if (llvm::any_of(op_.results, transforms::takesLong)) return std::nullopt;
    for (size_t i = 0; i < op_.operandCount(); ++i)
      if (!suitsLanes(op_.operand(i), axis_, target_.hasMasks))
        return Reason{"lanes along '" + axis_ + "' of operand " + std::to_string(i) +
                      " are read one by one, and little is computed of them"};
    return std::nullopt;
  }

  // Lanes that are read one by one take an instruction each, and the place of each takes more; where
  // the vectors' axis is not, an element serves a whole vector.
  double cycles() const {
    Cost cost;
    const auto lanes = static_cast<double>(lanes_);
    cost.operations = operationsOf(op_, target_) / lanes;
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      const ir::Operand& operand = op_.operand(i);
      // Results of a reduction stay in registers.
      if (operand.shapeOnly || (i >= op_.inputs.size() && ir::reduces(op_))) continue;
      const bool moves = llvm::is_contained(transforms::iteratorsOf(operand), axis_);
      const bool isWhole = !moves || contiguous(kernel_, operand) == axis_;
      const bool isSuited = isWhole || suitsLanes(operand, axis_, target_.hasMasks);
      cost.moves += isWhole ? 1 / lanes : isSuited ? 1 : static_cast<double>(numbers_.lookups);
      if (moves) cost.bytes += ir::info(kernel_.tensors[operand.tensor].type).bytes();
    }
    return cyclesOf(cost, target_);
  }

  // The operands that the steps read or write along what they are contiguous along.
  std::vector<Test> contiguousTests() const {
    const std::string across = isReduction(axis_) ? "" : transposedAxis();
    std::vector<Test> tests;
    for (size_t i = 0, next = 0; i < op_.operandCount(); ++i) {
      if (op_.operand(i).shapeOnly) continue;
      const OperandName& name = names_[next++];
      const std::string along = contiguous(kernel_, op_.operand(i));
      if (along != axis_ && (across.empty() || along != across)) continue;
      tests.push_back({Test::Kind::Contiguous, {}, {}, name, along});
    }
    return tests;
  }

  // Where an input is contiguous along another iterator that the output has, too.
  std::string transposedAxis() const {
    if (ir::reduces(op_) || op_.outputs.size() != 1 || contiguous(kernel_, op_.outputs[0]) != axis_)
      return "";
    std::string found;
    for (const ir::Operand& input : op_.inputs) {
      std::string name = contiguous(kernel_, input);
      bool both = llvm::is_contained(transforms::iteratorsOf(input), axis_);
      if (name.empty() || name == axis_ || !both || input.pad) continue;
      if (!found.empty() && found != name) return "";
      found = name;
    }
    return found;
  }

  // The innermost reduction, where an input that has all iterators is used once: its lines are then
  // read in order, instead of some vectors of each.
  std::string columnsDown() const {
    std::string down;
    for (const ir::Iterator& i : op_.iterators)
      if (i.kind == ir::IteratorKind::Reduction) down = i.name;
    if (down.empty() || !mayReorder() || !transforms::combinerOf(op_)) return "";
    std::set<std::string> moving;
    for (const ir::Iterator& i : op_.iterators)
      if (whole().known(i.name) != 1) moving.insert(i.name);
    for (const ir::Operand& input : op_.inputs) {
      std::set<std::string> used;
      bool own = !input.pad && !input.shapeOnly;  // and each iterator in an index of its own
      for (const Expr& index : input.map) {
        size_t count = 0;
        for (const std::string& name : index.iterators())
          if (moving.count(name)) own &= used.insert(name).second && ++count < 2;
      }
      if (own && used == moving) return down;
    }
    return "";
  }

  // ---- The steps ----

  Space whole() const { return {kernel_, op_}; }

  Steps vectorSteps(std::string& form) {
    if (isReduction(axis_)) {
      form += "with partial results that are combined at the end";
      return transforms::combinerOf(op_) ? reducing() : inLanes();
    }
    if (std::string down = columnsDown(); !down.empty()) {
      form += "in which several lines are added at once";
      return columns(down);
    }
    if (std::string across = transposedAxis(); !across.empty()) {
      form += "in squares that are read along '" + across + "'";
      return transposed(across);
    }
    form += "each computed on its own";
    return runs();
  }

  TileStep onThreads(const std::string& iterator, int64_t by, bool outer = false) const {
    TileStep step{iterator, constant(by)};
    if (options_.threads > 1) step.threads = Threads{numbers_.elementsPerThread, outer};
    return step;
  }

  // Loops over all parallel iterators but some, then `inner`. They may be on threads, and so may
  // loops of `inner`, if it has `loopsOnThreads`.
  using Inner = std::function<Steps(const Space&)>;
  Steps outer(Space space, const std::vector<std::string>& but, const Inner& inner,
              bool loopsOnThreads = false) const {
    std::vector<std::string> loops = space.parallel();
    llvm::erase_if(loops, [&](const std::string& i) { return llvm::is_contained(but, i); });
    Steps steps;
    for (size_t i = 0; i < loops.size(); ++i) {
      steps.push_back(onThreads(loops[i], 1, i + 1 < loops.size() || loopsOnThreads));
      space.tile(loops[i], 1);
    }
    llvm::append_range(steps, inner(space));
    return steps;
  }

  // So many vectors along the axis, or as many as it is known to have: in positions.
  int64_t widthOf(const Space& space, int64_t vectors) const {
    int64_t last = space.known(axis_).value_or(INT64_MAX) - 1;
    return std::min(vectors, std::max<int64_t>(last, 0) / lanes_ + 1) * lanes_;
  }

  // What memory that is only read is asked for early, where that is faster.
  std::optional<ir::Ahead> ahead() const {
    if (numbers_.ahead == 0) return std::nullopt;
    return ir::Ahead{axis_, numbers_.ahead / target_.vectorBytes * lanes_};
  }

  static Test equals(const std::string& iterator, int64_t number) {
    return {Test::Kind::Equal, extentOf(iterator), constant(number)};
  }

  // Long lines of outputs go around the caches.
  Steps runs() const {
    auto through = [&](const Space& space) { return tiles(space, vectors_); };
    auto lines = [&](const Space&) { return line(); };
    auto tests = whereLarge(kernel_, op_, options_);
    if (!tests || contiguous(kernel_, op_.outputs[0]) != axis_) return inParts(whole(), through);
    tests->push_back(
        {Test::Kind::LessEqual, constant(numbers_.writtenVectors * lanes_), extent(axis_)});
    return {WhenStep{std::move(*tests),
                     then(NonTemporalStep{output()}, inOrderOf(read(), inParts(asRead(), lines))),
                     inParts(whole(), through)}};
  }
  Expr extent(const std::string& iterator) const {
    auto known = whole().known(iterator);
    return known ? constant(*known) : extentOf(iterator);
  }
  OperandName output() const { return names_.back(); }
  // What a new iterator is called that takes a part of this one.
  std::string named(const std::string& iterator, const std::string& suffix) const {
    return freeName(kernel_, op_, iterator + suffix);
  }

  // In the order of the inputs that have all iterators, if they agree: the CPU reads on by itself,
  // but it writes lines anywhere. (Measured on Zen 5, f32, GB/s, as written and as read: 400 x 410
  // x 420 to 410 x 400 x 420 29 and 41; 90 times 91 x 92 x 93 to 92 x 91 x 93 16 and 26.)
  std::vector<std::string> read() const {
    std::vector<std::string> order, own;
    for (const ir::Iterator& i : op_.iterators) own.push_back(i.name);
    for (const ir::Operand& input : op_.inputs) {
      std::vector<std::string> used = transforms::iteratorsOf(input);
      if (input.shapeOnly || used.size() != op_.iterators.size()) continue;
      if (!order.empty() && order != used) return own;
      order = std::move(used);
    }
    return order.empty() ? own : order;
  }
  Space asRead() const {
    Space space = whole();
    space.order(read());
    return space;
  }
  Steps inOrderOf(const std::vector<std::string>& order, Steps steps) const {
    bool isOwn =
        std::equal(order.begin(), order.end(), op_.iterators.begin(), op_.iterators.end(),
                   [](const std::string& a, const ir::Iterator& b) { return a == b.name; });
    return isOwn ? steps : then(OrderStep{order}, std::move(steps));
  }

  // All lines, part by part where threads may share them.
  Steps inParts(Space space, const Inner& inner) const {
    if (options_.threads == 1) return outer(std::move(space), {axis_}, inner);
    const int64_t part = numbers_.elementsPerThread / numbers_.streamParts;
    space.tile(axis_, part);
    return then(onThreads(axis_, part, /*outer=*/true), outer(std::move(space), {axis_}, inner));
  }

  // Whole tiles of several vectors, then what is left, a vector at a time.
  Steps tiles(const Space& space, int64_t vectors) const {
    return tilesOf(widthOf(space, vectors));
  }
  Steps tilesOf(int64_t width) const {
    const Steps whole = {VectorizeStep{{{axis_, width}}}};
    const bool isOne = width <= lanes_;
    const TileStep tile{axis_, constant(width)};
    if (isOne && target_.hasMasks) return then(tile, whole);
    // Without masks lanes are read and written one by one, which a long computation outweighs.
    const bool isLong = llvm::any_of(op_.results, transforms::takesLong);
    return {tile, WhenStep{{equals(axis_, width)},
                           whole,
                           isOne ? isLong ? whole : Steps{LoopsStep{}} : tilesOf(lanes_)}};
  }

  // One line along the axis: up to where the output is aligned; whole vectors in several places at
  // once, if the target likes that, then one by one; the rest. (Lines of 93 elements, Zen 5, f32,
  // GB/s: 16; 12 four by four, with what is left through the caches.)
  Steps line() const {
    const ir::Tensor& tensor = kernel_.tensors[op_.outputs[0].tensor];
    const int64_t bytes = lanes_ * ir::info(tensor.type).bytes(), places = numbers_.places;
    const Steps end = {target_.hasMasks ? Step(VectorizeStep{{{axis_, lanes_}}}) : LoopsStep{}};
    Steps rest = {wholeAnd(
        lanes_, {SplitStep{axis_, lanes_, named(axis_, "_run")}, VectorizeStep{{{axis_, lanes_}}}},
        end)};
    if (places > 1) {
      const int64_t each = numbers_.writtenVectors / places * lanes_;
      const std::string place = named(axis_, "_place");
      rest = {
          wholeAnd(places * each,
                   {SpreadStep{axis_, places, place}, SplitStep{axis_, each, named(axis_, "_run")},
                    VectorizeStep{{{place, places}, {axis_, each}}}},
                   std::move(rest))};
    }
    return {CutStep{axis_, {}, output(), bytes, end, std::move(rest)}};
  }

  // As many positions as make up whole multiples, then the others.
  Step wholeAnd(int64_t of, Steps whole, Steps rest) const {
    return wholeAnd(axis_, of, std::move(whole), std::move(rest));
  }
  static Step wholeAnd(const std::string& iterator, int64_t of, Steps whole, Steps rest) {
    const Expr unit = constant(of);
    return CutStep{
        iterator,       extentOf(iterator).floorDiv(unit) * unit, {}, 0, std::move(whole),
        std::move(rest)};
  }

  // ---- Transposes ----

  // Blocks of several squares each way, so that lines are read on and on, and written while they are
  // at hand. What is larger than the caches goes around them.
  Steps transposed(const std::string& across) const {
    if (whereLarge(kernel_, op_, options_)) return {TransposeStep{across, axis_}};
    return outer(
        whole(), {across, axis_},
        [&](const Space&) {
          const int64_t block = numbers_.transposeSquares * lanes_;
          Steps steps = {onThreads(across, block), TileStep{axis_, constant(block)},
                         TileStep{across, constant(lanes_)}, TileStep{axis_, constant(lanes_)}};
          const Steps square = {VectorizeStep{{{across, lanes_}, {axis_, lanes_}}}};
          steps.push_back(WhenStep{{equals(across, lanes_), equals(axis_, lanes_)},
                                   square,
                                   target_.hasMasks ? square : Steps{LoopsStep{}}});
          return steps;
        },
        /*loopsOnThreads=*/true);
  }

  // ---- Reductions down the columns ----

  // Several lines at once, in pieces of which that of the output stays in the second cache.
  Steps columns(const std::string& down) const {
    const int64_t piece = target_.l2.bytes / numbers_.columnsPiece / target_.vectorBytes * lanes_;
    const int64_t width = widthOf(whole(), numbers_.streamVectors),
                  together = linesTogether(whole().known(down));
    const std::string line = named(down, "_line");
    const Steps square = {VectorizeStep{{{line, together}, {axis_, width}}, ahead()}};
    const Steps lines = {
        TileStep{down, constant(1)}, TileStep{axis_, constant(width)},
        WhenStep{{equals(axis_, width)}, square, target_.hasMasks ? square : Steps{LoopsStep{}}}};
    Space space = whole();
    space.tile(axis_, piece);
    return then(
        onThreads(axis_, piece, /*outer=*/true), outer(space, {axis_}, [&](const Space& inner) {
          Steps steps;
          for (const std::string& name : inner.reductions())
            if (name != down) steps.push_back(TileStep{name, constant(1)});
          steps.push_back(farApart(inner, down, together, line, lines, tiles(inner, vectors_)));
          return steps;
        }));
  }

  // Few lines are read all at once, if some would be left otherwise (measured on Zen 5, 7 x 7 x
  // 2048: 2.8 us four at a time, 1.9 us seven).
  int64_t linesTogether(std::optional<int64_t> extent) const {
    int64_t all = extent.value_or(numbers_.lines);
    return all > numbers_.lines && all < 2 * numbers_.lines ? all : numbers_.lines;
  }

  // `together` lines, as far apart as there are groups of them, and what is left, if there is any.
  Step farApart(const Space& space, const std::string& iterator, int64_t together,
                const std::string& line, Steps lines, Steps rest) const {
    const Test some{Test::Kind::Less, constant(0), extentOf(iterator)};
    if (!space.known(iterator)) rest = {WhenStep{{some}, std::move(rest), {}}};
    return wholeAnd(iterator, together,
                    then(SpreadStep{iterator, together, line}, std::move(lines)), std::move(rest));
  }

  // ---- Reductions along the lanes ----

  // Four results at a time, where there are several: what they share is loaded once.
  Steps reducing() const {
    std::string rows;
    for (const std::string& i : whole().parallel()) rows = i;
    if (rows.empty()) return inBlocks(whole(), "", vectors_);
    const std::string row = named(rows, "_line");
    return outer(
        whole(), {rows},
        [&](const Space& inner) -> Steps {
          Steps several =
              then(onThreads(rows, 1),
                   inBlocks(inner, row, std::min(vectors_, numbers_.streamVectorsOfLines)));
          Steps one = then(TileStep{rows, constant(1)}, inBlocks(inner, "", vectors_));
          return {farApart(inner, rows, numbers_.lines, row, std::move(several), std::move(one))};
        },
        /*loopsOnThreads=*/true);
  }

  // The reduction as two: blocks of `vectors`, and what is left behind them: with masks the same
  // once more, of which both are one sum, or blocks of one vector and what is left behind those.
  Steps inBlocks(const Space& space, const std::string& rows, int64_t vectors) const {
    const int64_t width = vectors * lanes_;
    auto axes = [&](int64_t positions) {
      std::vector<ir::Axis> result = {{axis_, positions}};
      if (!rows.empty()) result.insert(result.begin(), {rows, numbers_.lines});
      return result;
    };
    Steps whole = {SplitStep{axis_, width, named(axis_, "_block")},
                   VectorizeStep{axes(width), ahead()}};
    const bool isShort = space.known(axis_).value_or(width) < width;
    Steps rest = {LoopsStep{}};
    if (target_.hasMasks)
      rest = {VectorizeStep{axes(isShort ? widthOf(space, vectors) : width)}};
    else if (vectors > 1)
      rest = inBlocks(space, rows, 1);
    return {wholeAnd(width, std::move(whole), std::move(rest))};
  }

  Steps inLanes() const {
    return outer(whole(), {}, [&](const Space& one) -> Steps {
      auto width =
          static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(widthOf(one, vectors_))));
      return {AccumulateStep{axis_, width, ahead()}};
    });
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const std::vector<OperandName>& names_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const int64_t lanes_;
  std::string axis_;
  int64_t vectors_ = numbers_.streamVectors;  // computed at once
};

}  // namespace

Result<Form> stream(const Task& task) {
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  return Stream(task.kernel, op, task.names, task.options).run(task.settings);
}

}  // namespace einc::strategy
