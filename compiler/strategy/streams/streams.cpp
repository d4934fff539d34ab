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
#include "compiler/strategy/streams/axis.h"
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
constexpr int64_t kMostAtOnce = 64;

class Stream {
 public:
  Stream(const ir::Kernel& kernel, const ir::StructuredOp& op,
         const std::vector<OperandName>& names, const ScheduleOptions& options,
         const ir::StructuredOp* whole = nullptr)
      : kernel_(kernel),
        op_(op),
        names_(names),
        options_(options),
        target_(*options.target),
        numbers_(target_.numbers),
        lanes_(target_.lanes(transforms::registerBytes(op))),
        axis_(kernel, op, names, options, whole) {}

  Result<Form> run(OpSettings& settings) {
    if (target_.vectorBytes == 0) return Reason{"the target has no vectors"};
    // Where there is nothing for certain, loops say so, and the output counts as written.
    for (const ir::Iterator& i : op_.iterators)
      if (whole().known(i.name) == 0) return Reason{"'" + i.name + "' has no positions"};
    if (!arePositionsNear(kernel_, op_))
      return Reason{"positions may be so far apart that 64 bits cannot say them"};
    std::vector<std::string> iterators;
    for (const ir::Iterator& i : op_.iterators) iterators.push_back(i.name);
    if (auto set = settings.word("axis", iterators)) axis_.set(*set);
    vectors_ = settings.number("vectors", 1, kMostAtOnce).value_or(vectors_);
    if (axis_.name().empty())
      return Reason{iterators.empty() ? "it is computed once"
                                      : "each result is computed from the one before it"};
    isBordered_ = axis_.needsInterior();
    if (auto reason = axis_.refusal(); reason && !isBordered_) return *reason;
    Form result{"stream", {}, cycles()};
    result.grain = numbers_.elementsPerThread;
    result.tilesResults = !axis_.isReduction(axis_.name());
    result.settings = {{"axis", axis_.name()}, {"vectors", std::to_string(vectors_)}};
    std::string line = "vectors along '" + axis_.name() + "', ";
    // Pairs take longer than the question whether the lanes of a wide vector are neighbours.
    // (Measured on Zen 4, argmax of rows, in place of two ways: with AVX-512 as fast, with AVX2 8%
    // slower.)
    std::vector<Test> tests;
    if (!isInLanes() || !target_.hasMasks) tests = axis_.contiguousTests();
    result.steps = vectorSteps(line);
    if (!tests.empty()) {  // else lanes are read and written one by one, wherever they are
      line += ", where operands are contiguous as the spec has them";
      result.steps = {Step(WhenStep{std::move(tests), std::move(result.steps), elsewhere()},
                           "else no vectors lie along '" + axis_.name() + "'")};
    }
    if (!axis_.isReduction(axis_.name()) && contiguous(kernel_, op_.outputs[0]) == axis_.name() &&
        whereLarge(kernel_, op_, options_, largeOutput(op_, target_)))
      line += "; outputs above " +
              std::to_string(largeOutput(op_, target_) / (int64_t{1024} * 1024)) +
              " MiB are written around the caches, in lines";
    result.lines = {line};
    return result;
  }

  // What is done where operands lie otherwise than the spec has them: along the iterator beside the
  // axis, if they are contiguous in that (all are transposed), else a vector at a time.
  Steps elsewhere() const {
    const std::string beside = axis_.beside();
    Steps rest = strided();
    if (beside.empty()) return rest;
    Stream across(*this);
    across.axis_.set(beside);
    if (across.axis_.refusal()) return rest;
    return {Step(WhenStep{axis_.besideTests(), across.one(), std::move(rest)},
                 "all operands may lie the other way round")};
  }

  // For steps of another form. Loops, if there are no vectors.
  Steps elsewhereFor(OpSettings& settings) {
    return run(settings) ? elsewhere() : scalars("there are no vectors");
  }
  Steps anywhereFor(OpSettings& settings) {
    return run(settings) ? one() : scalars("there are no vectors");
  }

 private:
  // ---- The estimate ----

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
      const bool moves = llvm::is_contained(transforms::iteratorsOf(operand), axis_.name());
      const bool isWhole = !moves || contiguous(kernel_, operand) == axis_.name();
      const bool isSuited = isWhole || suitsLanes(inside(operand), axis_.name(), target_.hasMasks);
      cost.moves += isWhole ? 1 / lanes : isSuited ? 1 : static_cast<double>(numbers_.lookups);
      if (moves) cost.bytes += ir::info(kernel_.tensors[operand.tensor].type).bytes();
    }
    return cyclesOf(cost, target_);
  }

  // As it is read between borders, if vectors lie there.
  ir::Operand inside(ir::Operand operand) const {
    if (isBordered_) operand.pad = nullptr;
    return operand;
  }

  // ---- The steps ----

  Space whole() const { return axis_.whole(); }

  Steps vectorSteps(std::string& form) {
    if (axis_.isReduction(axis_.name())) {
      form += "with partial results that are combined at the end";
      return isInLanes() ? inLanes() : reducing();
    }
    if (std::string down = axis_.columnsDown(); !down.empty() && !isBordered_) {
      form += "in which several lines are added at once";
      return columns(down);
    }
    if (std::string across = axis_.transposed(); !across.empty()) {
      form += "in squares that are read along '" + across + "'";
      return transposed(across);
    }
    form += isBordered_ ? "each computed on its own, those at borders one by one"
                        : "each computed on its own";
    return isBordered_ ? interior() : runs();
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
      steps.push_back(Step(onThreads(loops[i], 1, i + 1 < loops.size() || loopsOnThreads),
                           "lines along '" + axis_.name() + "', one by one"));
      space.tile(loops[i], 1);
    }
    llvm::append_range(steps, inner(space));
    return steps;
  }

  // So many vectors along the axis, or as many as it is known to have: in positions.
  int64_t widthOf(const Space& space, int64_t vectors) const {
    int64_t last = space.known(axis_.name()).value_or(INT64_MAX) - 1;
    return std::min(vectors, std::max<int64_t>(last, 0) / lanes_ + 1) * lanes_;
  }

  // What memory that is only read is asked for early, where that is faster.
  std::optional<ir::Ahead> ahead() const {
    if (numbers_.ahead == 0) return std::nullopt;
    return ir::Ahead{axis_.name(), numbers_.ahead / target_.vectorBytes * lanes_};
  }

  static Test equals(const std::string& iterator, int64_t number) {
    return {Test::Kind::Equal, extentOf(iterator), constant(number)};
  }

  // Long lines of outputs go around the caches.
  Steps runs() const {
    auto through = [&](const Space& space) { return tiles(space, vectors_); };
    auto lines = [&](const Space&) { return line(); };
    auto tests = whereLarge(kernel_, op_, options_, largeOutput(op_, target_));
    if (!tests || contiguous(kernel_, op_.outputs[0]) != axis_.name())
      return inParts(whole(), through);
    tests->push_back(
        {Test::Kind::LessEqual, constant(numbers_.writtenVectors * lanes_), extent(axis_.name())});
    return {
        Step(WhenStep{std::move(*tests),
                      then(Step(NonTemporalStep{output()},
                                "it is larger than the caches, which keep what else is in them"),
                           inOrderOf(read(), inParts(asRead(), lines))),
                      inParts(whole(), through)},
             "large outputs are written around the caches, in long lines")};
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
    return isOwn ? steps
                 : then(Step(OrderStep{order}, "as it is read: the CPU reads on by itself"),
                        std::move(steps));
  }

  // All lines, part by part where threads may share them.
  Steps inParts(Space space, const Inner& inner) const {
    if (options_.threads == 1) return outer(std::move(space), {axis_.name()}, inner);
    const int64_t part = numbers_.elementsPerThread / numbers_.streamParts;
    space.tile(axis_.name(), part);
    return then(Step(onThreads(axis_.name(), part, /*outer=*/true), "parts of lines, for threads"),
                outer(std::move(space), {axis_.name()}, inner));
  }

  // Whole tiles of several vectors, then what is left, a vector at a time: with a mask where it is not whole, as what is
  // read soon after a store with a mask, beside it or at the same place of another page, waits for it. (Measured on
  // Zen 5, 128 MiB, ms, always with masks and not: unpack from tiles of 16 x 16 12.4 and 6.6, pack into them 8.3 and
  // 6.1, batch_norm of 48 channels 8.6 and 2.9.)
  Steps tiles(const Space& space, int64_t vectors) const {
    return tilesOf(widthOf(space, vectors));
  }
  Steps tilesOf(int64_t width) const {
    const bool isOne = width <= lanes_;
    const std::string many = isOne ? "a vector" : "several vectors at once";
    const Steps whole = {Step(VectorizeStep{{{axis_.name(), width}}}, many)};
    const Step tile(TileStep{axis_.name(), constant(width)}, many);
    // Without any masks lanes are read and written one by one, which a long computation outweighs.
    const bool isLong = llvm::any_of(op_.results, transforms::takesLong);
    return {tile,
            Step(WhenStep{{equals(axis_.name(), width)},
                          whole,
                          isOne ? isLong ? whole : end(whole) : tilesOf(lanes_)},
                 isOne ? "the last vector is not whole" : "at the end there are fewer vectors")};
  }
  // Fewer positions than a vector has lanes. Where whole vectors are faster, little is done as soon one by one.
  Steps end(Steps vector) const {
    const bool pays = target_.hasMasks || (target_.masksEnds && axis_.computesMuch());
    return pays ? std::move(vector) : scalars("few elements, for which masks are no faster");
  }
  static Steps scalars(const std::string& why) { return {Step(LoopsStep{}, why)}; }
  // Where masks cannot say which lanes are inside.
  Steps interior() const {
    return outer(whole(), {axis_.name()}, [&](const Space& line) -> Steps {
      Steps vectors = whereInside(tiles(line, vectors_));
      if (options_.threads > 1)
        vectors =
            then(Step(onThreads(axis_.name(), numbers_.elementsPerThread / numbers_.streamParts,
                                /*outer=*/true),
                      "parts of lines, for threads"),
                 std::move(vectors));
      return between({axis_.name()}, std::move(vectors));
    });
  }
  static Steps whereInside(Steps steps) {
    return {Step(WhenStep{{{Test::Kind::Inside}}, std::move(steps), scalars("some is outside")},
                 "else each element is tested")};
  }
  // The steps between the borders of these; at them one by one.
  static Steps between(const std::vector<std::string>& iterators, Steps steps) {
    std::vector<Test> known;
    for (const std::string& name : iterators) {
      known.push_back({Test::Kind::Borders, {}, {}, {}, name});
      steps = {Step(InteriorStep{name, std::move(steps), scalars("what is outside is tested")},
                    "between its borders all is inside")};
    }
    return {Step(WhenStep{std::move(known), std::move(steps), scalars("borders are anywhere")},
                 "else it is not known where the borders are")};
  }

  // One line along the axis: up to where the output is aligned; whole vectors in several places at
  // once, if the target likes that, then one by one; the rest. (Lines of 93 elements, Zen 5, f32,
  // GB/s: 16; 12 four by four, with what is left through the caches.)
  Steps line() const {
    const ir::Tensor& tensor = kernel_.tensors[op_.outputs[0].tensor];
    const int64_t bytes = lanes_ * ir::info(tensor.type).bytes(), places = numbers_.places;
    const Step vector = this->vector();
    const Steps end = this->end({vector});
    const std::string run = "whole vectors, which are written around the caches";
    Steps rest = {wholeAnd(
        lanes_, {Step(SplitStep{axis_.name(), lanes_, named(axis_.name(), "_run")}, run), vector},
        end)};
    if (places > 1) {
      const int64_t each = numbers_.writtenVectors / places * lanes_;
      const std::string place = named(axis_.name(), "_place");
      rest = {wholeAnd(places * each,
                       {Step(SpreadStep{axis_.name(), places, place},
                             "memory is faster where a line is written in several places"),
                        Step(SplitStep{axis_.name(), each, named(axis_.name(), "_run")}, run),
                        Step(VectorizeStep{{{place, places}, {axis_.name(), each}}},
                             "some vectors in each place")},
                       std::move(rest))};
    }
    return {Step(CutStep{axis_.name(), {}, output(), bytes, end, std::move(rest)},
                 "stores around the caches are to be aligned")};
  }

  static Test isAny(const std::string& name) {
    return {Test::Kind::Less, constant(0), extentOf(name)};
  }

  // As many positions as make up whole multiples, then the others.
  Step wholeAnd(int64_t of, Steps whole, Steps rest) const {
    return wholeAnd(axis_.name(), of, std::move(whole), std::move(rest));
  }
  static Step wholeAnd(const std::string& iterator, int64_t of, Steps whole, Steps rest) {
    const Expr unit = constant(of);
    return Step(CutStep{iterator,
                        extentOf(iterator).floorDiv(unit) * unit,
                        {},
                        0,
                        std::move(whole),
                        std::move(rest)},
                "as many as make up whole multiples, then what is left");
  }

  // ---- Transposes ----

  // Blocks of several squares each way, so that lines are read on and on, and written while they are
  // at hand. What is larger than the caches goes around them.
  Steps transposed(const std::string& across) const {
    const std::vector<std::string> both = {across, axis_.name()};
    const std::vector<std::string> bordered = axis_.bordered(both);
    if (bordered.empty() && whereLarge(kernel_, op_, options_, target_.l3.bytes))
      return {Step(TransposeStep{across, axis_.name()},
                   "it is read along '" + across + "', and larger than the caches")};
    const bool isWhole = bordered.empty();
    auto inside = [&](const Space&) {
      return isWhole ? squares(across) : between(bordered, whereInside(squares(across)));
    };
    Steps steps = outer(isWhole ? whole() : asRead(), both, inside, /*loopsOnThreads=*/true);
    return isWhole ? steps : inOrderOf(read(), std::move(steps));
  }
  Steps squares(const std::string& across) const {
    const int64_t block = numbers_.transposeSquares * lanes_;
    const std::string blocks = "lines are read on and on, and written while they are at hand",
                      squares = "a square that is transposed in registers";
    Steps steps = {Step(onThreads(across, block), blocks),
                   Step(TileStep{axis_.name(), constant(block)}, blocks),
                   Step(TileStep{across, constant(lanes_)}, squares),
                   Step(TileStep{axis_.name(), constant(lanes_)}, squares)};
    const Steps square = {Step(VectorizeStep{{{across, lanes_}, {axis_.name(), lanes_}}}, squares)};
    steps.push_back(
        Step(WhenStep{{equals(across, lanes_), equals(axis_.name(), lanes_)},
                      square,
                      target_.masksEnds ? square : scalars("few elements are left at the end")},
             "squares at the ends are cut off"));
    return steps;
  }

  // ---- Reductions down the columns ----

  // Several lines at once, in pieces of which that of the output stays in the second cache.
  Steps columns(const std::string& down) const {
    const int64_t piece = target_.l2.bytes / numbers_.columnsPiece / target_.vectorBytes * lanes_;
    const int64_t width = widthOf(whole(), numbers_.streamVectors),
                  together = linesTogether(whole().known(down));
    const std::string line = named(down, "_line");
    const std::string each = "several lines at once, for each vector of results";
    const Steps square = {Step(VectorizeStep{{{line, together}, {axis_.name(), width}}, ahead()},
                               "results are loaded and stored once for several lines")};
    const Steps lines = {Step(TileStep{down, constant(1)}, each),
                         Step(TileStep{axis_.name(), constant(width)}, each),
                         Step(WhenStep{{equals(axis_.name(), width)}, square, end(square)},
                              "the last vectors are not whole")};
    Space space = whole();
    space.tile(axis_.name(), piece);
    return then(
        Step(onThreads(axis_.name(), piece, /*outer=*/true),
             "this piece of the output stays in the second cache"),
        outer(space, {axis_.name()}, [&](const Space& inner) {
          Steps steps;
          for (const std::string& name : inner.reductions())
            if (name != down) steps.push_back(Step(TileStep{name, constant(1)}, "as it lies"));
          steps.push_back(farApart(inner, down, together, line, lines, tiles(inner, vectors_)));
          return steps;
        }));
  }

  // Few lines are read all at once, if some would be left otherwise.
  int64_t linesTogether(std::optional<int64_t> extent) const {
    int64_t all = extent.value_or(numbers_.lines);
    return all > numbers_.lines && all < numbers_.linesMore * numbers_.lines ? all : numbers_.lines;
  }

  // `together` lines, as far apart as there are groups of them, and what is left, if there is any.
  Step farApart(const Space& space, const std::string& iterator, int64_t together,
                const std::string& line, Steps lines, Steps rest) const {
    if (!space.known(iterator))
      rest = {Step(WhenStep{{isAny(iterator)}, std::move(rest), {}}, "if any are left")};
    return wholeAnd(
        iterator, together,
        then(Step(SpreadStep{iterator, together, line}, "lines far apart, each read on and on"),
             std::move(lines)),
        std::move(rest));
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
              then(Step(onThreads(rows, 1), "what several results share is loaded once"),
                   inBlocks(inner, row, std::min(vectors_, numbers_.streamVectorsOfLines)));
          Steps one =
              then(Step(TileStep{rows, constant(1)}, "one by one"), inBlocks(inner, "", vectors_));
          return {farApart(inner, rows, numbers_.lines, row, std::move(several), std::move(one))};
        },
        /*loopsOnThreads=*/true);
  }

  // The reduction as two: blocks of `vectors`, and what is left behind them: with masks the same
  // once more, of which both are one sum, or blocks of one vector and what is left behind those.
  Steps inBlocks(const Space& space, const std::string& rows, int64_t vectors) const {
    const int64_t width = vectors * lanes_;
    auto axes = [&](int64_t positions) {
      std::vector<ir::Axis> result = {{axis_.name(), positions}};
      if (!rows.empty()) result.insert(result.begin(), {rows, numbers_.lines});
      return result;
    };
    const std::string sums = "sums in lanes, which are added up at the end";
    Steps whole = {Step(SplitStep{axis_.name(), width, named(axis_.name(), "_block")},
                        "several vectors, so that sums do not wait for each other"),
                   Step(VectorizeStep{axes(width), ahead()}, sums)};
    const bool isShort = space.known(axis_.name()).value_or(width) < width;
    Steps rest = end({Step(VectorizeStep{axes(isShort ? widthOf(space, vectors) : width)}, sums)});
    if (!target_.hasMasks && vectors > 1)
      rest = inBlocks(space, rows, 1);
    else if (!target_.hasMasks && !space.known(axis_.name()))
      rest = {Step(WhenStep{{isAny(axis_.name())}, std::move(rest), {}}, "if any are left")};
    return {wholeAnd(width, std::move(whole), std::move(rest))};
  }

  bool isInLanes() const { return axis_.isReduction(axis_.name()) && !transforms::combinerOf(op_); }
  Steps inLanes() const {
    return outer(whole(), {}, [&](const Space& one) -> Steps {
      auto width =
          static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(widthOf(one, vectors_))));
      return {Step(AccumulateStep{axis_.name(), width, ahead()},
                   "results in lanes, which are combined at the end")};
    });
  }

  // ---- Operands that lie otherwise than the spec has them ----

  // Of a reduction several vectors at a time, so that sums do not wait for each other; else one.
  Steps one() const {
    if (!axis_.isReduction(axis_.name()))
      return inParts(whole(), [&](const Space&) { return tilesOf(lanes_); });
    if (isInLanes()) return inLanes();
    return outer(whole(), {}, [&](const Space&) { return sum(); });
  }

  // Blocks, and what is left behind them: nowhere is a place computed that does not exist, as
  // strides may be huge.
  Steps sum() const {
    const int64_t width = numbers_.stridedVectors * lanes_;
    return {wholeAnd(width,
                     {Step(SplitStep{axis_.name(), width, named(axis_.name(), "_block")},
                           "several vectors, so that sums do not wait for each other"),
                      Step(VectorizeStep{{{axis_.name(), width}}},
                           "sums in lanes, which are added up at the end")},
                     {Step(TileStep{axis_.name(), constant(lanes_)}, "a vector"), vector()})};
  }
  Step vector() const { return Step(VectorizeStep{{{axis_.name(), lanes_}}}, "a vector"); }

  // Vectors of elements that are read and written one by one, where more is computed than that.
  // (Measured on Zen 4, f32, 600 x 700, times as fast as scalars: exp of every second column 5.8,
  // to every second one 4.1, of what is transposed 5.1; but A + B 1.1, 0.7 and 1.0, and a copy 1.3,
  // 0.8 and 1.0.)
  Steps strided() const {
    if (axis_.isReduction(axis_.name())) return one();
    if (!axis_.computesMuch()) return scalars("elements lie apart, and little is computed");
    return inParts(whole(), [&](const Space&) -> Steps {
      return {Step(TileStep{axis_.name(), constant(lanes_)}, "elements are moved one by one"),
              vector()};
    });
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const std::vector<OperandName>& names_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const int64_t lanes_;
  Axis axis_;
  int64_t vectors_ = numbers_.streamVectors;  // computed at once
  bool isBordered_ = false;                   // along the axis
};

}  // namespace

Result<Form> stream(const Task& task) {
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  return Stream(task.kernel, op, task.names, task.options, task.whole).run(task.settings);
}

Steps elsewhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
                const std::vector<OperandName>& names, const ScheduleOptions& options) {
  OpSettings none({}, kernel.name, 0);
  return Stream(kernel, op, names, options).elsewhereFor(none);
}

Steps anywhere(const ir::Kernel& kernel, const ir::StructuredOp& op,
               const std::vector<OperandName>& names, const ScheduleOptions& options) {
  OpSettings none({}, kernel.name, 0);
  return Stream(kernel, op, names, options).anywhereFor(none);
}

}  // namespace einc::strategy
