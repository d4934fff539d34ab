// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Vectors where something is added up: along what is, or along the results.
#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/strategy/streams/in_words.h"
#include "compiler/strategy/streams/ways.h"
#include "compiler/strategy/streams/words_along.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/count_positions.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

bool hasFunctions(const Along& along) { return transforms::combinersOf(along.op).has_value(); }

// The reduction as two: blocks of `vectors`, and what is left behind them: with masks the same
// once more, of which both are one sum, or blocks of one vector and what is left behind those.
Steps inBlocks(const Along& along, const Space& space, const std::vector<std::string>& rows,
               int64_t vectors) {
  const std::string& axis = along.axis.name();
  const bool hasMasks = along.target.hasMasks, isKnown = space.known(axis).has_value();
  const int64_t width = vectors * along.lanes;
  auto axes = [&](int64_t positions) {
    std::vector<ir::Axis> result;
    for (const std::string& row : rows) result.push_back({row, along.numbers.lines});
    result.push_back({axis, positions});
    return result;
  };
  const std::string sums = "sums in lanes, which are added up at the end";
  Steps whole = {Step(SplitStep{axis, width, along.named(axis, "_block")},
                      "several vectors, so that sums do not wait for each other"),
                 Step(VectorizeStep{axes(width), along.aheadOf(rows)}, sums)};
  const bool isShort = space.known(axis).value_or(width) < width;
  Steps rest =
      along.end({Step(VectorizeStep{axes(isShort ? along.widthOf(space, vectors) : width)}, sums)});
  if (!hasMasks && vectors > 1)
    rest = inBlocks(along, space, rows, 1);
  else if (!hasMasks && !isKnown)
    rest = {Step(WhenStep{{isAny(axis)}, std::move(rest), {}}, "if any are left")};
  return {wholeAnd(axis, width, std::move(whole), std::move(rest))};
}

// How many times as many lanes the op has as its widest type: positions are counted in 32 bits (count_positions.h).
int64_t moreLanes(const Along& along) {
  ir::Kernel aside = along.kernel;
  const std::vector<size_t> positions =
      transforms::risingPositions(transforms::Builder(aside), along.op, along.axis.name());
  if (positions.empty()) return 1;
  int bytes = transforms::registerBytes(ir::ScalarType::I32);
  for (size_t i = 0; i < along.op.results.size(); ++i)
    if (!llvm::is_contained(positions, i))
      bytes = std::max(bytes, transforms::registerBytes(along.op.results[i]->type));
  return along.target.lanes(bytes) / along.lanes;
}

// A result in each lane, as many as are enough.
Steps inLanes(const Along& along) {
  const int64_t more = std::max<int64_t>(moreLanes(along), 1);
  return along.outer(along.whole(), {}, [&](const Space& one) -> Steps {
    const auto enough = static_cast<uint64_t>(along.widthOf(one, more * along.vectors));
    return {Step(AccumulateStep{along.axis.name(), static_cast<int64_t>(std::bit_ceil(enough)),
                                along.ahead()},
                 "results in lanes, which are combined at the end")};
  });
}

// Blocks, and what is left behind them: nowhere is a place computed that does not exist, as
// strides may be huge.
Steps sum(const Along& along) {
  const std::string& axis = along.axis.name();
  const int64_t width = along.numbers.stridedVectors * along.lanes;
  return {wholeAnd(
      axis, width,
      {Step(SplitStep{axis, width, along.named(axis, "_block")},
            "several vectors, so that sums do not wait for each other"),
       Step(VectorizeStep{{{axis, width}}}, "sums in lanes, which are added up at the end")},
      {Step(TileStep{axis, constant(along.lanes)}, "a vector"), along.vector()})};
}

// Few lines are read all at once, if some would be left otherwise.
int64_t linesTogether(const target::Numbers& numbers, std::optional<int64_t> extent) {
  int64_t all = extent.value_or(numbers.lines);
  return all > numbers.lines && all < numbers.linesMore * numbers.lines ? all : numbers.lines;
}

// Lines down the columns, as they lie, in pieces of which that of the output stays in the second cache.
Steps inPieces(const Along& along, const std::string& down, const Along::Inner& lines) {
  const std::string& axis = along.axis.name();
  const int64_t piece =
      along.target.l2.bytes / along.numbers.columnsPiece / along.target.vectorBytes * along.lanes;
  Space space = along.whole();
  space.tile(axis, piece);
  auto inside = [&](const Space& inner) {
    Steps steps;
    for (const std::string& name : inner.reductions())
      if (name != down) steps.push_back(Step(TileStep{name, constant(1)}, "as it lies"));
    llvm::append_range(steps, lines(inner));
    return steps;
  };
  return then(Step(along.onThreads(axis, piece, /*outer=*/true),
                   "this piece of the output stays in the second cache"),
              along.outer(space, {axis}, inside));
}

constexpr const char* kPartial = "with partial results that are combined at the end";

}  // namespace

Result<Way> resultsInLanes(const Along& along) {
  if (!along.isReduction()) return Reason{"its vectors are not along what is added up"};
  if (hasFunctions(along)) return Reason{"it is added up by functions"};
  return Way{inLanes(along), kPartial};
}

// What inputs along the axis cost that are the same for all positions of an iterator: to load them, and to convert them.
int64_t costOfSame(const Along& along, const std::string& iterator) {
  int64_t cost = 0;
  for (const ir::Operand& input : along.op.inputs) {
    auto moves = [&](const std::string& name) {
      return llvm::any_of(input.map,
                          [&](const affine::Expr& index) { return index.mentions(name); });
    };
    if (moves(iterator) || !moves(along.axis.name())) continue;
    const ir::ScalarType type = along.kernel.tensors[input.tensor].type;
    const bool isConverted =
        transforms::registerBytes(type) != along.target.vectorBytes / along.lanes;
    cost += isConverted ? 2 : 1;
  }
  return cost;
}

// Another iterator of results than `rows`, for several positions of which inputs are the same that cost more than what
// several rows have in common.
std::string sharing(const Along& along, const std::string& rows) {
  for (const std::string& i : along.whole().parallel())
    if (i != rows && costOfSame(along, i) > costOfSame(along, rows)) return i;
  return "";
}

// Results of few others, or of none, that read the same integers.
Steps fewInWords(const Along& along, const Results& results, const Along::Inner& inside) {
  std::vector<std::string> own = {results.rows};
  if (!results.shared.empty()) own.push_back(results.shared);
  auto lines = [&](const Space& inner) -> Steps {
    Steps otherwise = inside(inner);
    if (!results.shared.empty())
      otherwise = then(Step(along.onThreads(results.shared, 1, /*outer=*/true), "one by one"),
                       std::move(otherwise));
    return inWords(along, results, std::move(otherwise));
  };
  return along.outer(along.whole(), own, lines, /*loopsOnThreads=*/true);
}

// The sums of so many vectors along the axis, for each of `rows`.
using Blocks =
    std::function<Steps(const Space& space, const std::vector<std::string>& rows, int64_t vectors)>;

Way sumsOf(const Along& along, const Blocks& inBlocks) {
  std::string rows;
  for (const std::string& i : along.whole().parallel()) rows = i;
  if (rows.empty()) return Way{inBlocks(along.whole(), {}, along.vectors), kPartial};
  const std::string row = along.named(rows, "_line");
  auto inside = [&](const Space& inner) -> Steps {
    const int64_t vectors = std::min(along.vectors, along.numbers.streamVectorsOfLines);
    auto several = [&](const std::string& loop, const std::string& line) {
      return then(Step(along.onThreads(loop, 1), "what several results share is loaded once"),
                  inBlocks(inner, {line}, vectors));
    };
    if (along.endsAnywhere(rows))
      return then(Step(along.onThreads(rows, 1), "one by one, as each ends elsewhere"),
                  inBlocks(inner, {}, along.vectors));
    Steps one =
        then(Step(TileStep{rows, constant(1)}, "one by one"), inBlocks(inner, {}, along.vectors));
    return {along.together(inner, rows, along.numbers.lines, row, several, std::move(one))};
  };
  const std::string shared = sharing(along, rows);
  const int64_t lines = along.numbers.lines;
  const Results results{rows, shared};
  const bool areWords = readsWords(along, results);
  // Sums of as many of both stay in registers, with what is added to them.
  const bool areFew = shared.empty() || along.endsAnywhere(rows) ||
                      along.whole().known(shared).value_or(lines) < lines ||
                      along.target.vectorRegisters < 2 * lines * lines;
  if (areFew && areWords) return Way{fewInWords(along, results, inside), kPartial};
  if (areFew)
    return Way{along.outer(along.whole(), {rows}, inside, /*loopsOnThreads=*/true), kPartial};
  auto together = [&](const Space& inner) -> Steps {
    const std::string each = "what several results share is loaded, and converted, once";
    auto some = [&](const std::string& loop, const std::vector<std::string>& axes,
                    int64_t vectors) {
      return then(Step(along.onThreads(loop, 1), "one by one"), inBlocks(inner, axes, vectors));
    };
    auto squares = [&](const std::string& loop, const std::string& line) {
      return some(loop, {shared, line}, 1);
    };
    Steps several = then(
        Step(TileStep{shared, constant(lines)}, each),
        {along.together(
            inner, rows, lines, row, squares,
            some(rows, {shared}, std::min(along.vectors, along.numbers.streamVectorsOfLines)))});
    Steps rest = then(Step(TileStep{shared, constant(1)}, "one by one"), inside(inner));
    if (areWords) rest = inWords(along, results, std::move(rest));
    return {wholeAnd(shared, lines, std::move(several), std::move(rest))};
  };
  return Way{along.outer(along.whole(), {rows, shared}, together, /*loopsOnThreads=*/true),
             kPartial};
}

Result<Way> sumsInLanes(const Along& along) {
  if (!along.isReduction()) return Reason{"its vectors are not along what is added up"};
  if (!hasFunctions(along)) return Reason{"it is combined, and not added up by functions"};
  return sumsOf(along, [&](const Space& space, const std::vector<std::string>& rows,
                           int64_t vectors) { return inBlocks(along, space, rows, vectors); });
}

Result<Way> wordsInLanes(const Along& along) {
  if (!along.isReduction()) return Reason{"its vectors are not along what is added up"};
  const std::string& axis = along.axis.name();
  auto words = WordsAlong::of(along.kernel, along.op, along.names, along.options, axis);
  if (!words) return Reason{words.reason()};
  return sumsOf(along,
                [&](const Space& space, const std::vector<std::string>& rows, int64_t vectors) {
                  WordsAlong::Sums sums{
                      space.known(axis), {}, vectors, along.named(axis, "_block"), along.ahead()};
                  for (const std::string& row : rows)
                    sums.others.push_back({row, along.numbers.lines});
                  return words->steps(sums, inBlocks(along, space, rows, 1));
                });
}

Result<Way> downColumns(const Along& along) {
  const std::string& axis = along.axis.name();
  const std::string down = along.axis.columnsDown(/*inOrder=*/false);
  if (down.empty()) return Reason{"no input is used once that is added up line by line"};
  if (along.isBordered()) return Reason{"some of a line is outside"};
  const target::Numbers& numbers = along.numbers;
  const int64_t width = along.widthOf(along.whole(), numbers.streamVectors),
                together = linesTogether(numbers, along.whole().known(down));
  const std::string each = "several lines at once, for each vector of results";
  auto lines = [&](const std::string& loop, const std::string& line) -> Steps {
    const Steps square = {Step(VectorizeStep{{{line, together}, {axis, width}}, along.ahead()},
                               "results are loaded and stored once for several lines")};
    return {Step(TileStep{loop, constant(1)}, each), Step(TileStep{axis, constant(width)}, each),
            Step(WhenStep{{equals(axis, width)}, square, along.end(square)},
                 "the last vectors are not whole")};
  };
  auto inside = [&](const Space& inner) -> Steps {
    return {along.together(inner, down, together, along.named(down, "_line"), lines,
                           along.tiles(inner))};
  };
  return Way{inPieces(along, down, inside), "in which several lines are added at once"};
}

Result<Way> linesInTurn(const Along& along) {
  const int64_t together = along.numbers.linesInTurn;
  const std::string down = along.axis.columnsDown(/*inOrder=*/true);
  if (down.empty()) return Reason{"no input is used once that is combined line by line"};
  if (along.isBordered()) return Reason{"some of a line is outside"};
  if (along.whole().known(down).value_or(INT64_MAX) <= together) return Reason{"lines are few"};
  auto inside = [&](Space inner) {
    inner.tile(down, together);
    return then(Step(TileStep{down, constant(together)},
                     "a few lines, while their results are in registers"),
                along.tiles(inner));
  };
  return Way{inPieces(along, down, inside), "a few lines after one another"};
}

Steps oneVector(const Along& along) {
  if (!along.isReduction())
    return along.inParts(along.whole(), [&](const Space&) { return along.tilesOf(along.lanes); });
  if (!hasFunctions(along)) return inLanes(along);
  return along.outer(along.whole(), {}, [&](const Space&) { return sum(along); });
}

}  // namespace einc::strategy
