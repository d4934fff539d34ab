// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Vectors along an iterator of results, each on its own.
#include <algorithm>
#include <utility>

#include "compiler/strategy/streams/large_outputs.h"
#include "compiler/strategy/streams/ways.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

// One line along the axis: up to where the output is aligned; whole vectors in several places at
// once, if the target likes that, then one by one; the rest. (Lines of 93 elements, Zen 5, f32,
// GB/s: 16; 12 four by four, with what is left through the caches.)
Steps aligned(const Along& along, int64_t places) {
  const std::string& axis = along.axis.name();
  const ir::Tensor& tensor = along.kernel.tensors[along.op.outputs[0].tensor];
  const int64_t bytes = along.lanes * ir::info(tensor.type).bytes();
  // (What is asked for besides is slower: log_softmax of 65536 x 256, ms, 13.7 and 12.5.)
  const Step vector(VectorizeStep{{{axis, along.lanes}}}, "a vector");
  const Steps end = along.end({vector});
  const std::string run = "whole vectors, which are written around the caches";
  Steps rest = {
      wholeAnd(axis, along.lanes,
               {Step(SplitStep{axis, along.lanes, along.named(axis, "_run")}, run), vector}, end)};
  if (places > 1) {
    // Whole lines of memory, or they go there in parts. (Measured on a Xeon, f32 to i8, 288 x 288 x 288, ms: half a line 14.4, a
    // whole one 10.3.)
    const int64_t line = along.numbers.cacheLine / ir::info(tensor.type).bytes();
    const int64_t each = std::max(along.numbers.writtenVectors / places * along.lanes, line);
    const std::string place = along.named(axis, "_place");
    rest = {wholeAnd(
        axis, places * each,
        {Step(SpreadStep{axis, places, place},
              "memory is faster where a line is written in several places"),
         Step(SplitStep{axis, each, along.named(axis, "_run")}, run),
         Step(VectorizeStep{{{place, places}, {axis, each}}}, "some vectors in each place")},
        std::move(rest))};
  }
  return {Step(CutStep{axis, {}, along.names.back(), bytes, end, std::move(rest)},
               "stores around the caches are to be aligned")};
}

// Squares that are transposed in registers; of what is cut off, smaller ones.
Steps squaresOf(const Along& along, const std::string& across, int64_t side) {
  const std::string& axis = along.axis.name();
  const std::string why = "a square that is transposed in registers";
  const Steps square = {Step(VectorizeStep{{{across, side}, {axis, side}}}, why)};
  const int64_t smaller = along.numbers.cutSquare;
  const Steps cut = !along.target.masksEnds ? scalars("few elements are left at the end")
                    : side > smaller        ? squaresOf(along, across, smaller)
                                            : square;
  return {Step(TileStep{across, constant(side)}, why), Step(TileStep{axis, constant(side)}, why),
          Step(WhenStep{{equals(across, side), equals(axis, side)}, square, cut},
               "squares at the ends are cut off")};
}

// Those of a block.
Steps squares(const Along& along, const std::string& across) {
  const int64_t block = along.numbers.transposeSquares * along.lanes;
  const std::string why = "lines are read on and on, and written while they are at hand";
  Steps steps = {Step(along.onThreads(across, block), why),
                 Step(TileStep{along.axis.name(), constant(block)}, why)};
  llvm::append_range(steps, squaresOf(along, across, along.lanes));
  return steps;
}

Steps vectorsOfLines(const Along& along) {
  auto through = [&](const Space& space) { return along.tiles(space); };
  Steps steps = along.inParts(along.whole(), through);
  auto together = [&](const Steps& lines) {
    return along.outer(
        along.whole(), {along.beside(), along.axis.name()}, [&](const Space&) { return lines; },
        /*loopsOnThreads=*/true);
  };
  if (auto lines = along.longLines()) steps = together(*lines);
  if (auto isShort = along.whereShort()) {
    Steps all = together(along.linesTogether(along.numbers.linesTogether));
    steps = isShort->empty()
                ? std::move(all)
                : Steps{Step(WhenStep{std::move(*isShort), std::move(all), std::move(steps)},
                             "lines may be short")};
  }
  return steps;
}

Step aroundCaches(const Along& along) {
  return Step(NonTemporalStep{along.names.back()},
              "it is larger than the caches, which keep what else is in them");
}

// Lines that are whole vectors, each at a multiple of its size, need no ends, however short they are: as they go through the
// caches, but around them. Nothing where they never are.
std::optional<WhenStep> wholeAround(const Along& along) {
  const std::string& axis = along.axis.name();
  const target::Numbers& numbers = along.numbers;
  const int64_t bytes = ir::info(along.kernel.tensors[along.op.outputs[0].tensor].type).bytes();
  // Of short lines, which are done together, a vector is to be all of a line of memory.
  const bool isLine = along.lanes * bytes >= numbers.cacheLine;
  const int64_t fewest =
      std::max(numbers.wholeVectors, isLine ? 1 : numbers.shortVectors) * along.lanes;
  const auto known = along.whole().known(axis);
  if (numbers.wholeVectors == 0 || along.beside().empty() ||
      (known && (*known % along.lanes != 0 || *known < fewest)))
    return std::nullopt;
  std::vector<Test> tests;
  if (!known) {
    tests.push_back({Test::Kind::Equal, extentOf(axis).mod(constant(along.lanes)), affine::Expr()});
    tests.push_back({Test::Kind::LessEqual, constant(fewest), extentOf(axis)});
  }
  tests.push_back(
      {Test::Kind::Aligned, constant(along.lanes * bytes), {}, along.names.back(), axis});
  Along around(along);
  around.isAround = true;
  return WhenStep{std::move(tests), then(aroundCaches(along), vectorsOfLines(around)), {}};
}

// Lines that begin and end anywhere, in so many places at once.
Steps inPlaces(const Along& along, int64_t places) {
  auto lines = [&](const Space&) { return aligned(along, places); };
  return then(aroundCaches(along),
              along.inOrderOf(along.read(), along.inParts(along.asRead(), lines)));
}

// What is tried before the ways that there are.
void before(Steps& ways, WhenStep when, const std::string& why) {
  when.otherwise = std::move(ways);
  ways = {Step(std::move(when), why)};
}

}  // namespace

Result<Way> inLines(const Along& along) {
  const std::string line = "each computed on its own";
  const Steps steps = vectorsOfLines(along);
  auto tests = along.whereLarge();
  if (!tests) return Way{steps, line};
  const int64_t fewest = along.blockOf ? along.numbers.blockVectors : along.numbers.writtenVectors,
                places = along.blockOf ? along.numbers.blockPlaces : along.numbers.places,
                bytes = ir::info(along.kernel.tensors[along.op.outputs[0].tensor].type).bytes();
  auto atLeast = [&](int64_t count) {
    return Test{Test::Kind::LessEqual, constant(count), along.extent(along.axis.name())};
  };
  const bool isOneLine = along.beside().empty();  // and large
  Steps around = inPlaces(along, isOneLine ? places : 1);
  auto whole = wholeAround(along);
  const int64_t far = whole ? along.numbers.wholePlaceBytes : along.numbers.placeBytes;
  if (whole) {
    const Steps longer = std::exchange(around, steps);
    before(around, {{atLeast(fewest * along.lanes)}, longer, {}}, "lines are long");
    before(around, std::move(*whole), "no line has ends of its own");
  } else {
    tests->push_back(atLeast(fewest * along.lanes));
  }
  if (places > 1 && !isOneLine)
    before(around, {{atLeast(places * far / bytes)}, inPlaces(along, places), {}},
           "in a long line places are far apart");
  return Way{{Step(WhenStep{std::move(*tests), std::move(around), steps},
                   "large outputs are written around the caches, in long lines")},
             line};
}

Result<Way> betweenBorders(const Along& along) {
  const std::string& axis = along.axis.name();
  if (!along.isBordered()) return Reason{"all is inside, or masks say what is"};
  auto inside = [&](const Space& line) -> Steps {
    Steps vectors = whereInside(along.tiles(line));
    const int64_t part = along.numbers.elementsPerThread / along.numbers.streamParts;
    if (along.options.threads > 1)
      vectors =
          then(Step(along.onThreads(axis, part, /*outer=*/true), "parts of lines, for threads"),
               std::move(vectors));
    return between({axis}, std::move(vectors));
  };
  return Way{along.outer(along.whole(), {axis}, inside, /*loopsOnThreads=*/false,
                         [&](const Space& line) { return along.lines(line); }),
             "each computed on its own, those at borders one by one"};
}

namespace {

// Of squares that are cut off to a few lines little is left: vectors along the other side instead, whose elements are read, or
// written, one by one; where there is one line, they are neighbours.
Steps whereLong(const Along& along, const std::string& across, Steps squares) {
  const std::string& axis = along.axis.name();
  for (const std::string& side : {across, axis}) {
    const std::optional<int64_t> known = along.whole().known(side);
    if (known && *known > along.numbers.transposeShort) continue;
    Along other(along);
    other.axis.set(side == axis ? across : axis);
    Steps lines = oneVector(other);
    const Test isShort{Test::Kind::LessEqual, along.extent(side),
                       constant(along.numbers.transposeShort)};
    squares = known ? std::move(lines)
                    : Steps{Step(WhenStep{{isShort}, std::move(lines), std::move(squares)},
                                 "squares would be nearly empty")};
  }
  return squares;
}

}  // namespace

Result<Way> inSquares(const Along& along) {
  const std::string& axis = along.axis.name();
  const std::string across = along.axis.transposed();
  if (across.empty()) return Reason{"no input is contiguous along another iterator"};
  const std::string line = "in squares that are read along '" + across + "'";
  const std::vector<std::string> both = {across, axis};
  const std::vector<std::string> bordered = along.axis.bordered(both);
  const bool isWhole = bordered.empty();
  if (isWhole && whereLarge(along.kernel, along.op, along.options, along.target.l3.bytes))
    return Way{whereLong(along, across,
                         {Step(TransposeStep{across, axis},
                               "it is read along '" + across + "', and larger than the caches")}),
               line};
  auto inside = [&](const Space&) {
    return isWhole ? squares(along, across)
                   : between(bordered, whereInside(squares(along, across)));
  };
  Steps steps =
      along.outer(isWhole ? along.whole() : along.asRead(), both, inside,
                  /*loopsOnThreads=*/true, [&](const Space&) { return squares(along, across); });
  return Way{isWhole ? whereLong(along, across, std::move(steps))
                     : along.inOrderOf(along.read(), std::move(steps)),
             line};
}

// (Measured on Zen 4, f32, 600 x 700, times as fast as scalars: exp of every second column 5.8, to every second one 4.1, of
// what is transposed 5.1; but A + B 1.1, 0.7 and 1.0, and a copy 1.3, 0.8 and 1.0.)
Steps oneByOne(const Along& along) {
  if (along.isReduction()) return oneVector(along);
  if (!along.axis.computesMuch()) return scalars("elements lie apart, and little is computed");
  return along.inParts(along.whole(), [&](const Space&) -> Steps {
    return {
        Step(TileStep{along.axis.name(), constant(along.lanes)}, "elements are moved one by one"),
        along.vector()};
  });
}

}  // namespace einc::strategy
