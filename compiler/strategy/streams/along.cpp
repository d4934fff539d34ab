// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/along.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/guard.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/strategy/streams/large_outputs.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/read_elements.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;
using transforms::constant;

Steps scalars(const std::string& why) { return {Step(LoopsStep{}, why)}; }

Test isAny(const std::string& iterator) {
  return {Test::Kind::Less, constant(0), extentOf(iterator)};
}

Step wholeAnd(const std::string& iterator, int64_t of, Steps whole, Steps rest) {
  const Expr unit = constant(of);
  return Step(CutStep{iterator,
                      extentOf(iterator).floorDiv(unit) * unit,
                      {},
                      0,
                      std::move(whole),
                      std::move(rest)},
              "as many as make up whole multiples, then what is left");
}

Steps whereKnown(const std::vector<std::string>& iterators, Steps steps) {
  std::vector<Test> known;
  for (const std::string& name : iterators)
    known.push_back({Test::Kind::Borders, {}, {}, {}, name});
  return {Step(WhenStep{std::move(known), std::move(steps), scalars("borders are anywhere")},
               "else it is not known where the borders are")};
}

Steps between(const std::vector<std::string>& iterators, Steps steps) {
  for (const std::string& name : iterators)
    steps = {Step(InteriorStep{name, std::move(steps), scalars("what is outside is tested")},
                  "between its borders all is inside")};
  return whereKnown(iterators, std::move(steps));
}

Steps whereInside(Steps steps) {
  return {Step(WhenStep{{{Test::Kind::Inside}}, std::move(steps), scalars("some is outside")},
               "else each element is tested")};
}

Along::Along(const ir::Kernel& kernel, const ir::StructuredOp& op,
             const std::vector<OperandName>& names, const ScheduleOptions& options,
             const ir::StructuredOp* whole, bool isBlock)
    : kernel(kernel),
      op(op),
      blockOf(isBlock ? whole : nullptr),
      names(names),
      options(options),
      target(*options.target),
      numbers(target.numbers),
      lanes(target.lanes(transforms::registerBytes(op))),
      axis(kernel, op, names, options, whole),
      vectors(numbers.streamVectors) {}

Expr Along::extent(const std::string& iterator) const {
  auto known = whole().known(iterator);
  return known ? constant(*known) : extentOf(iterator);
}

int64_t Along::widthOf(const Space& space, int64_t vectors) const {
  int64_t last = space.known(axis.name()).value_or(INT64_MAX) - 1;
  return std::min(vectors, std::max<int64_t>(last, 0) / lanes + 1) * lanes;
}

std::string Along::named(const std::string& iterator, const std::string& suffix) const {
  return freeName(kernel, op, iterator + suffix);
}

std::optional<ir::Ahead> Along::ahead() const {
  if (numbers.ahead == 0) return std::nullopt;
  return ir::Ahead{axis.name(), numbers.ahead / target.vectorBytes * lanes};
}

std::optional<ir::Ahead> Along::aheadOf(const std::vector<std::string>& lines) const {
  if (!isReadAgain) return ahead();
  if (numbers.nextBlock == 0) return std::nullopt;
  if (lines.empty()) return ir::Ahead{axis.name(), numbers.nextBlock, /*far=*/true};
  return ir::Ahead{lines[0], numbers.lines, /*far=*/true};
}

std::optional<ir::Ahead> Along::nextBlock() const {
  if (!isReadAgain || numbers.nextBlock == 0 || isReduction()) return std::nullopt;
  // What does not take long waits for memory itself. (log_softmax of 368 x 352, in the caches, with this 0.95 as fast.)
  if (llvm::none_of(op.results, transforms::takesLong)) return std::nullopt;
  return ir::Ahead{axis.name(), numbers.nextBlock, /*far=*/true};
}

std::optional<ir::Ahead> Along::own() const {
  const ir::Operand& output = (blockOf ? *blockOf : op).outputs[0];
  const ir::Tensor& memory = kernel.tensors[memoryOf(kernel, output.tensor)];
  if (numbers.ownAhead == 0 || isAround || isReduction() || ir::reduces(op) ||
      memory.role != ir::Role::Output)
    return std::nullopt;
  // Inputs that lie another way have more to wait for. (Measured on a Xeon, layer norm turned, 272 x 240 x 240, ms: 46, asked for 52.)
  const bool isTurned = llvm::any_of(op.inputs, [&](const ir::Operand& input) {
    return !input.shapeOnly && !input.map.empty() &&
           llvm::is_contained(transforms::iteratorsOf(input), axis.name()) &&
           contiguous(kernel, input) != axis.name();
  });
  if (isTurned) return std::nullopt;
  const int64_t bytes = ir::info(memory.type).bytes();
  return ir::Ahead{axis.name(), numbers.ownAhead / std::max<int64_t>(bytes, 1)};
}

VectorizeStep Along::inLanes(int64_t width) const {
  VectorizeStep step{{{axis.name(), width}}, nextBlock()};
  step.own = own();
  return step;
}

std::optional<std::vector<Test>> Along::whereLarge() const {
  if (contiguous(kernel, op.outputs[0]) != axis.name()) return std::nullopt;
  // Of a block, in whole lines alone. (Measured on a Xeon, columns of 2800 x 2800 f64 moved and scaled, blocks of 1024 columns,
  // ms: 25, through the caches 13.)
  const ir::Tensor& output = kernel.tensors[op.outputs[0].tensor];
  const bool isPart =
      blockOf && output.shape.back() != kernel.tensors[blockOf->outputs[0].tensor].shape.back();
  if (isPart) return std::nullopt;
  return strategy::whereLarge(kernel, op, options, largeOutput(op, target), blockOf);
}

TileStep Along::onThreads(const std::string& iterator, int64_t by, bool outer) const {
  TileStep step{iterator, constant(by)};
  if (options.threads > 1) step.threads = Threads{numbers.elementsPerThread, outer};
  return step;
}

std::vector<std::string> Along::bordersOfTile(const std::vector<std::string>& around,
                                              const std::vector<std::string>& within) const {
  auto hasAny = [](const Expr& index, const std::vector<std::string>& names) {
    return llvm::any_of(index.iterators(),
                        [&](const std::string& name) { return llvm::is_contained(names, name); });
  };
  const bool areTiles = llvm::any_of(findOutside(kernel, op), [&](const Outside& one) {
    return hasAny(one.index, around) && hasAny(one.index, within);
  });
  return areTiles ? axis.bordered({within.front()}) : std::vector<std::string>();
}

Steps Along::outer(Space space, const std::vector<std::string>& but, const Inner& inner,
                   bool loopsOnThreads, const Inner& inside) const {
  std::vector<std::string> loops = space.parallel(), within = but;
  llvm::erase_if(loops, [&](const std::string& i) { return llvm::is_contained(but, i); });
  // A tile has two iterators at least: the last loop, or `but`.
  std::vector<std::string> around = loops;
  if (within.size() < 2 && !around.empty()) {
    within.insert(within.begin(), around.back());
    around.pop_back();
  }
  const std::vector<std::string> bordered = bordersOfTile(around, within);
  Steps steps, last;
  for (size_t i = 0; i < loops.size(); ++i) {
    (i < around.size() || bordered.empty() ? steps : last)
        .push_back(Step(onThreads(loops[i], 1, i + 1 < loops.size() || loopsOnThreads),
                        "lines along '" + axis.name() + "', one by one"));
    space.tile(loops[i], 1);
  }
  if (bordered.empty()) {
    llvm::append_range(steps, inner(space));
    return steps;
  }
  auto behind = [&](Steps lines) {
    lines.insert(lines.begin(), last.begin(), last.end());
    return lines;
  };
  const Step test(WhenStep{{{Test::Kind::Inside}},
                           inside ? inside(space) : behind(inner(space)),
                           behind(inner(space))},
                  "asked once for a tile");
  llvm::append_range(steps, whereKnown(bordered, {test}));
  return steps;
}

Steps Along::inParts(Space space, const Inner& inner) const {
  if (options.threads == 1) return outer(std::move(space), {axis.name()}, inner);
  const int64_t part = numbers.elementsPerThread / numbers.streamParts;
  space.tile(axis.name(), part);
  return then(Step(onThreads(axis.name(), part, /*outer=*/true), "parts of lines, for threads"),
              outer(std::move(space), {axis.name()}, inner));
}

std::string Along::beside() const {
  std::string last;
  for (const std::string& name : whole().parallel())
    if (name != axis.name()) last = name;
  return last;
}

// Whether a part of what is computed takes long, and is another one along `moving` alone, not along `same`.
bool Along::repeats(const std::string& moving, const std::string& same) const {
  bool found = false;
  auto look = [&](const ir::ValueRef& part) {
    bool moves = false, isSame = true;
    auto note = [&](const std::vector<std::string>& used) {
      moves |= llvm::is_contained(used, moving);
      isSame &= !llvm::is_contained(used, same);
    };
    ir::forEach(part, [&](const ir::Value& node) {
      if (auto* operand = std::get_if<ir::OperandRef>(&node.node))
        note(transforms::iteratorsOf(op.operand(operand->operand)));
      if (auto* index = std::get_if<ir::IndexRef>(&node.node)) note(index->index.iterators());
    });
    found |= moves && isSame;
  };
  for (const ir::ValueRef& result : op.results)
    ir::rewrite(result, [&](const ir::ValueRef& part) -> ir::ValueRef {
      auto* call = std::get_if<ir::Call>(&part->node);
      if (call && !ir::info(call->function).isQuick()) look(part);
      return nullptr;
    });
  return found;
}

std::optional<std::vector<Test>> Along::whereShort() const {
  const std::string other = beside();
  // Those of a block are near already.
  const int64_t most = numbers.shortVectors * lanes - (blockOf ? 1 : 0);
  const auto known = whole().known(axis.name());
  // What is the same for a line is computed once for it.
  if (isReduction() || ir::reduces(op) || other.empty() || (known && *known > most) ||
      whole().known(other).value_or(numbers.linesTogether) <= 2 || repeats(other, axis.name()))
    return std::nullopt;
  if (known) return std::vector<Test>();
  return std::vector<Test>{{Test::Kind::LessEqual, extentOf(axis.name()), constant(most)}};
}

// Few of them: lines far apart may share places in the first cache. (Measured on Zen 3, X * rsqrt(v), us, line by line, four and
// eight together: 200 x 4096 288, 170 and 366; 64 x 16384 374, 148 and 164; 100 x 1000 37, 15 and 12.)
std::optional<Steps> Along::longLines() const {
  const std::string other = beside();
  if (isReduction() || ir::reduces(op) || other.empty() || repeats(other, axis.name()) ||
      !repeats(axis.name(), other))
    return std::nullopt;
  return linesTogether(numbers.lines);
}

// (Measured on Zen 3, f32, us: 176 x 176 into tiles of 16 x 16 10 and 3.5.)
Steps Along::linesTogether(int64_t count) const {
  const std::string other = beside();
  const int64_t bytes = ir::info(kernel.tensors[op.outputs[0].tensor].type).bytes();
  std::function<Steps(int64_t)> widths = [&](int64_t width) -> Steps {
    const bool isOne = width <= lanes;
    const std::string why = isOne ? "a vector" : "a line of memory";
    const Steps whole = {Step(inLanes(width), why)};
    const bool isLong = llvm::any_of(op.results, transforms::takesLong);
    return {Step(TileStep{axis.name(), constant(width)}, why),
            Step(WhenStep{{equals(axis.name(), width)},
                          whole,
                          isOne ? isLong ? whole : end(whole) : widths(lanes)},
                 isOne ? "the last vector is not whole" : "what is left are vectors")};
  };
  return then(Step(onThreads(other, count, /*outer=*/true), "lines, so many together"),
              widths(std::max(lanes, numbers.cacheLine / bytes)));
}

Steps Along::lines(const Space& space) const {
  Space one = space;
  one.tile(beside(), 1);
  Steps steps = then(Step(onThreads(beside(), 1), "lines along '" + axis.name() + "', one by one"),
                     tiles(one));
  if (auto together = longLines()) steps = std::move(*together);
  auto tests = whereShort();
  if (!tests) return steps;
  if (tests->empty()) return linesTogether(numbers.linesTogether);
  return {Step(WhenStep{std::move(*tests), linesTogether(numbers.linesTogether), std::move(steps)},
               "lines may be short")};
}

Step Along::vector() const { return Step(inLanes(lanes), "a vector"); }

// With a mask only where a vector is not whole, as what is read soon after a store with a mask, beside it or at the same
// place of another page, waits for it. (Measured on Zen 5, 128 MiB, ms, always with masks and not: unpack from tiles of
// 16 x 16 12.4 and 6.6, pack into them 8.3 and 6.1, batch_norm of 48 channels 8.6 and 2.9.)
Steps Along::tilesOf(int64_t width) const {
  const bool isOne = width <= lanes;
  const std::string many = isOne ? "a vector" : "several vectors at once";
  const Steps whole = {Step(inLanes(width), many)};
  const Step tile(TileStep{axis.name(), constant(width)}, many);
  // Without any masks lanes are read and written one by one, which a long computation outweighs.
  const bool isLong = llvm::any_of(op.results, transforms::takesLong);
  return {tile,
          Step(WhenStep{{equals(axis.name(), width)},
                        whole,
                        isOne ? isLong ? whole : end(whole) : tilesOf(lanes)},
               isOne ? "the last vector is not whole" : "at the end there are fewer vectors")};
}

Steps Along::end(Steps vector) const {
  const bool pays = target.hasMasks || (target.masksEnds && axis.computesMuch());
  return pays ? std::move(vector) : scalars("few elements, for which masks are no faster");
}

// Of lines far apart most would be read to where the longest ends.
bool Along::endsDifferently(const std::string& iterator) const {
  const auto guard = ir::guardOf(op);
  return guard &&
         llvm::any_of(guard->notNegative, [&](const Expr& e) { return e.mentions(iterator); });
}

bool Along::endsAnywhere(const std::string& iterator) const {
  return ir::guardOf(op) && transforms::anyAlong(op, transforms::comparedInputs(op), iterator);
}

Step Along::together(const Space& space, const std::string& iterator, int64_t count,
                     const std::string& name, const OfLines& lines, Steps rest) const {
  if (!space.known(iterator))
    rest = {Step(WhenStep{{isAny(iterator)}, std::move(rest), {}}, "if any are left")};
  Steps steps =
      endsDifferently(iterator)
          ? then(Step(SplitStep{iterator, count, name}, "neighbours, which end at about one place"),
                 lines(name, iterator))
          : then(Step(SpreadStep{iterator, count, name}, "lines far apart, each read on and on"),
                 lines(iterator, name));
  return wholeAnd(iterator, count, std::move(steps), std::move(rest));
}

// The CPU reads on by itself, but it writes lines anywhere. (Measured on Zen 5, f32, GB/s, as written and as read: 400 x
// 410 x 420 to 410 x 400 x 420 29 and 41; 90 times 91 x 92 x 93 to 92 x 91 x 93 16 and 26.)
std::vector<std::string> Along::read() const {
  std::vector<std::string> order, own;
  for (const ir::Iterator& i : op.iterators) own.push_back(i.name);
  for (const ir::Operand& input : op.inputs) {
    std::vector<std::string> used = transforms::iteratorsOf(input);
    if (input.shapeOnly || used.size() != op.iterators.size()) continue;
    if (!order.empty() && order != used) return own;
    order = std::move(used);
  }
  return order.empty() ? own : order;
}

Space Along::asRead() const {
  Space space = whole();
  space.order(read());
  return space;
}

Steps Along::inOrderOf(const std::vector<std::string>& order, Steps steps) const {
  bool isOwn = std::equal(order.begin(), order.end(), op.iterators.begin(), op.iterators.end(),
                          [](const std::string& a, const ir::Iterator& b) { return a == b.name; });
  return isOwn ? steps
               : then(Step(OrderStep{order}, "as it is read: the CPU reads on by itself"),
                      std::move(steps));
}

}  // namespace einc::strategy
