// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/windows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/strategy/estimate.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/others.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/streams/short_windows.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/strategy/streams/window_tiles.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;

class Windows {
 public:
  Windows(const Task& task, const ir::StructuredOp& op)
      : kernel_(task.kernel),
        whole_(op),
        op_(withoutUnits(kernel_, op)),
        names_(task.names),
        options_(task.options),
        target_(*options_.target),
        numbers_(target_.numbers),
        space_(kernel_, op_),
        positionsOf_(task.known),
        unrolled_(unrolledTerms(
            task.kernel, op_, [this](const auto& i) { return known(i); }, numbers_.windowRounds)),
        others_(task.others),
        outside_(findOutside(kernel_, op_)) {}

  Result<Form> run() {
    if (target_.vectorBytes == 0 || !target_.masksEnds)
      return Reason{"the target has no vectors with masks"};
    if (auto reason = refusal()) return *reason;
    lanes_ = target_.lanes(transforms::registerBytes(op_));
    if (!borders().areNear())
      return Reason{"an index may be so far outside that 64 bits cannot say it"};
    choosePositions();
    std::vector<Test> tests = contiguousTests();
    if (hasBorders()) tests.push_back({Test::Kind::Borders, {}, {}, {}, window_});
    Steps steps = farAndNear(), otherwise = others_ ? lineByLine(*others_, op_, options_)
                                                    : elsewhere(kernel_, op_, names_, options_);
    if (others_) {
      auto tests = near();
      steps = tests ? either(std::move(*tests), std::move(steps), lines(), kFar) : lines();
      steps.insert(steps.begin(), others_->onTiles.begin(), others_->onTiles.end());
      for (Steps* list : {&steps, &otherwise}) *list = inUnits(whole_, op_, std::move(*list));
    }
    Form result{"windows",
                {Step(WhenStep{std::move(tests), std::move(steps), std::move(otherwise)},
                      "else no vectors lie along '" + channel_ + "'")},
                cycles()};
    result.why = kFar;
    result.grain = numbers_.elementsPerThread;
    result.lines = {"vectors along '" + channel_ + "', " + form()};
    return result;
  }

  static constexpr const char* kFar = "what is larger is read best as it lies";

  // That inputs which the window moves over are no larger than windowFar. After run().
  Result<std::vector<Test>> near() const {
    std::vector<Test> tests;
    if (numbers_.windowFar == 0) return tests;
    for (const ir::Operand& input : op_.inputs) {
      const std::vector<std::string> names = transforms::iteratorsOf(input);
      if (input.shapeOnly || !llvm::is_contained(names, window_)) continue;
      const Expr all = reached(input);
      const int64_t most = numbers_.windowFar * target_.l3.bytes /
                           ir::info(kernel_.tensors[input.tensor].type).bytes();
      const auto count = all.asConstant();
      if (all.overflowed() || count.value_or(0) > most)
        return Reason{"an input is so large that it is read best as it lies"};
      if (!count) tests.push_back({Test::Kind::LessEqual, all, constant(most)});
    }
    return tests;
  }

 private:
  // All that parallel iterators of an operand reach.
  Expr reached(const ir::Operand& operand) const {
    Expr all = constant(1);
    for (const std::string& name : transforms::iteratorsOf(operand))
      if (ir::isParallel(op_, name))
        all = all * (known(name) ? constant(*known(name)) : extentOf(name));
    return all;
  }

  // What the next tile reads and writes is asked for where it comes from far. (Code of its own, from the outermost loop
  // on: what one of both needs would be kept for the other. Measured on a Xeon, 3 x 3 in the second cache: 5 to 9 % slower
  // with the question inside.)
  Steps farAndNear() {
    if (numbers_.windowAhead == 0 || unrolled_.empty()) return blocks();
    const Expr all = bytesMoved(), near = constant(numbers_.windowAheadBeyond);
    isAhead_ =
        !all.overflowed() && all.asConstant().value_or(INT64_MAX) > numbers_.windowAheadBeyond;
    Steps far = blocks();
    if (!isAhead_ || all.asConstant()) return far;
    isAhead_ = false;
    return either({{Test::Kind::LessEqual, all, near}}, blocks(), std::move(far),
                  "what is near is not asked for");
  }

  // Of the output and of inputs that the window moves over.
  Expr bytesMoved() const {
    Expr all = constant(0);
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      const ir::Operand& operand = op_.operand(i);
      if (operand.shapeOnly || !llvm::is_contained(transforms::iteratorsOf(operand), window_))
        continue;
      all =
          all + reached(operand) * constant(ir::info(kernel_.tensors[operand.tensor].type).bytes());
    }
    return all;
  }

  // ---- Whether it is one ----

  std::optional<Reason> refusal() {
    if (op_.outputs.size() != 1 || op_.outputs[0].map.empty())
      return Reason{"it has not one output with dimensions"};
    if (ir::usesPositions(op_)) return Reason{"the payload computes with positions"};
    auto channel = op_.outputs[0].map.back().asIterator();
    if (!channel) return Reason{"the output's last index is not one iterator"};
    channel_ = *channel;
    for (size_t i = 0; i < op_.operandCount(); ++i) {
      const ir::Operand& operand = op_.operand(i);
      for (size_t d = 0; d < operand.map.size() && !operand.shapeOnly; ++d) {
        bool isLast = d + 1 == operand.map.size() && isAlong(operand, operand.map[d]);
        if (!isLast && llvm::is_contained(operand.map[d].iterators(), channel_))
          return Reason{"'" + channel_ +
                        "' is not in the last index, without other positions, of operand " +
                        std::to_string(i)};
      }
    }
    window_ = windowOf(op_);
    // One of a single position moves nothing, but bounds that are to be tested are tested here.
    const bool isPadded = llvm::any_of(op_.inputs, [](const ir::Operand& i) { return !!i.pad; });
    if (isLine() && !isPadded) return std::nullopt;
    if (window_.empty() && (!isPadded || windowOf(whole_).empty()))
      return Reason{"no window moves along a parallel iterator"};
    return linearWherePadded();
  }

  // The channel alone, or, where nothing is outside, a window that moves along it by one position.
  bool isAlong(const ir::Operand& operand, const Expr& index) const {
    if (index.asIterator() == channel_) return true;
    auto isOther = [&](const std::string& name) {
      return name != channel_ && ir::isParallel(op_, name);
    };
    auto step = index.stepAlong(channel_);
    return !operand.pad && step == constant(1) && llvm::none_of(index.iterators(), isOther);
  }

  // The last parallel iterator, but for the channels', that stands beside a reduction in one index.
  std::string windowOf(const ir::StructuredOp& op) const {
    auto parallel = [&](const std::string& name) { return ir::isParallel(op, name); };
    std::string window;
    for (const ir::Operand& input : op.inputs)
      for (const Expr& index : input.map) {
        std::vector<std::string> names = index.iterators();
        if (input.shapeOnly || llvm::all_of(names, parallel)) continue;
        for (const std::string& name : names)
          if (parallel(name) && name != channel_) window = name;
      }
    return window;
  }

  std::optional<Reason> linearWherePadded() const {
    if (auto why = runBackwards(outside_)) return Reason{*why};
    for (const Outside& one : outside_)
      if (llvm::count_if(one.index.iterators(),
                         [&](const std::string& name) { return ir::isParallel(op_, name); }) > 1)
        return Reason{"an index that may be outside has two parallel iterators"};
    return std::nullopt;
  }

  // What several positions of the window read alike is loaded once for them.
  double cycles() const {
    Cost cost;
    const auto lanes = static_cast<double>(lanes_);
    cost.operations = operationsOf(op_, target_) / lanes;
    cost.moves = static_cast<double>(op_.inputs.size()) / lanes /
                 static_cast<double>(row_.empty() ? positions_ : positions_ * numbers_.windowRows);
    return cyclesOf(cost, target_);
  }

  Borders borders() const { return {kernel_, op_, outside_, window_}; }
  bool hasBorders() const { return !borders().isEmpty(); }
  // Along other iterators than the window's.
  bool isOutsideElsewhere() const {
    return llvm::any_of(outside_, [&](const Outside& one) {
      return !llvm::is_contained(one.index.iterators(), window_);
    });
  }

  std::optional<int64_t> known(const std::string& iterator) const {
    auto found = positionsOf_.find(iterator);
    return found == positionsOf_.end() ? space_.known(iterator) : found->second;
  }

  // ---- How it is done ----

  // How many positions of the window are between the borders.
  std::optional<int64_t> countInside() const {
    if (!hasBorders()) return known(window_);
    auto least = [](const std::string& name, const std::vector<Expr>& of) {
      int64_t result = INT64_MAX;
      for (const Expr& e : of) {
        auto number = e.asConstant();
        if (!number) return Expr::symbol(name);
        result = std::min(result, *number);
      }
      return constant(result);
    };
    return borders().interior(least).count.asConstant();
  }

  // All positions at once, where there are but a few more.
  void choosePositions() {
    // Where each element is read once for all windows at once.
    if (outside_.empty()) row_ = windowBeside(op_, unrolled_, {channel_, window_});
    if (movesAlongChannels() && unrolled_.empty())
      positions_ = numbers_.windowLines;
    else if (!unrolled_.empty())
      positions_ = numbers_.windowPositions;
    else if (auto count = countInside();
             count && *count > numbers_.windowPositions && *count <= numbers_.windowMost)
      positions_ = *count;
    if (window_.empty() || sharesLittle()) positions_ = 1;
    if (positions_ == 1) row_ = "";
  }

  // What is computed at once, but for the channels.
  std::vector<ir::Axis> square() const {
    std::vector<ir::Axis> axes;
    if (!row_.empty()) axes.push_back({row_, numbers_.windowRows});
    if (positions_ > 1) axes.push_back({window_, positions_});
    return axes;
  }

  // No window moves but along the channels, as in signals that lie as planes.
  bool isLine() const { return window_.empty() && ir::reduces(op_) && movesAlongChannels(); }

  bool movesAlongChannels() const {
    return llvm::any_of(op_.inputs, [&](const ir::Operand& input) {
      return !input.shapeOnly && !input.map.empty() &&
             llvm::is_contained(input.map.back().iterators(), channel_) &&
             input.map.back().asIterator() != channel_;
    });
  }

  // Whether several positions at once would read so many thirds of what they read one by one, or
  // more: then channels are better read as they lie.
  bool sharesLittle() const {
    for (const ir::Operand& input : op_.inputs) {
      if (input.shapeOnly) continue;
      if (!llvm::is_contained(transforms::iteratorsOf(input), window_)) return false;
      for (const Expr& index : input.map) {
        auto linear = index.asLinear();
        if (!linear || !llvm::is_contained(index.iterators(), window_)) continue;
        int64_t step = 0, stride = 1, taps = 1;
        for (const auto& part : linear->parts) {
          if (part.iterator == window_) {
            step = part.coefficient.asConstant().value_or(0);
          } else {
            stride = std::max<int64_t>(part.coefficient.asConstant().value_or(1), 1);
            taps = known(part.iterator).value_or(INT32_MAX);
          }
        }
        step = step % stride == 0 ? step / stride : taps;  // in places that a window reads
        if (3 * ((numbers_.windowPositions - 1) * std::min(step, taps) + taps) <
            numbers_.windowShared * numbers_.windowPositions * taps)
          return false;
      }
    }
    return true;
  }

  // Bytes of the inputs that do not depend on the position.
  int64_t filterBytes() const {
    int64_t bytes = 0;
    for (const ir::Operand& input : op_.inputs) {
      std::vector<std::string> used = transforms::iteratorsOf(input);
      if (input.shapeOnly || llvm::is_contained(used, window_)) continue;
      Expr all = constant(1);
      for (const std::string& name : used)
        all = all * (known(name) ? constant(*known(name)) : extentOf(name));
      bytes += all.asConstant().value_or(0) * ir::info(kernel_.tensors[input.tensor].type).bytes();
    }
    return bytes;
  }

  std::string form() const {
    return (isLine() ? "which windows move along"
            : positions_ == 1
                ? "the positions of '" + (window_.empty() ? windowOf(whole_) : window_) +
                      "' one by one"
                : (row_.empty() ? "" : std::to_string(numbers_.windowRows) + " x ") +
                      std::to_string(positions_) + " positions of '" +
                      (row_.empty() ? "" : row_ + "' and '") + window_ + "' at once") +
           (unrolled_.empty() ? "" : ", each term code of its own") +
           (outside_.empty() ? "" : ", those at the borders one by one") +
           (hasBlocks() ? ", in blocks of " + std::to_string(numbers_.windowBlock * lanes_) +
                              " along '" + channel_ + "'"
                        : "");
  }

  // ---- The steps ----

  std::vector<Test> contiguousTests() const {
    std::vector<Test> tests;
    auto ask = [&](const OperandName& name, const ir::Operand& operand) {
      if (llvm::is_contained(transforms::iteratorsOf(operand), channel_))
        tests.push_back({Test::Kind::Contiguous, {}, {}, name, channel_});
    };
    const bool isWritten = !others_ || others_->areWritten;
    for (size_t i = 0, next = 0; i < op_.inputs.size() + (isWritten ? 1 : 0); ++i)
      if (!op_.operand(i).shapeOnly) ask(names_[next++], op_.operand(i));
    if (others_)
      for (const auto& [name, operand] : others_->operands) ask(name, operand);
    return tests;
  }

  // Each loop over positions may be the one on threads: images may be few, and rows, too.
  TileStep onThreads(const std::string& iterator, int64_t by) const {
    TileStep step{iterator, constant(by)};
    if (options_.threads > 1)
      step.threads = Threads{numbers_.elementsPerThread, iterator != window_};
    return step;
  }
  bool hasBlocks() const {
    if (isLine()) return false;  // no filter is read again for other positions
    auto channels = known(channel_);
    return channels && *channels > numbers_.windowBlock * lanes_ &&
           filterBytes() > target_.l1.bytes / numbers_.windowFilters;
  }

  // All channels, or block by block. `channels`, here and below: how many there are, if known.
  Steps blocks() const {
    auto channels = known(channel_);
    if (!hasBlocks()) return outer(channels);
    const int64_t block = numbers_.windowBlock * lanes_, left = *channels % block;
    Steps whole = then(Step(TileStep{channel_, constant(block)},
                            "filters of so many channels stay in the first cache"),
                       outer(block));
    if (left == 0) return whole;
    return {
        Step(CutStep{channel_, constant(*channels - left), {}, 0, std::move(whole), outer(left)},
             "the last block is smaller")};
  }

  // Iterators that the output has between the window's and the channels, and no image in front of
  // them, which are loops in that of the window. (Measured on Zen 4, 50 x 50 x 64 by 3 x 3, each
  // channel times 48: 14.4 ms, around it 33.8; 18^3 x 48 by 3^3, times 16: 13.6 and 11.5.)
  std::vector<std::string> behind() const {
    std::vector<std::string> names = space_.parallel();
    auto window = llvm::find(names, window_);
    if (window == names.end() || filterBytes() > target_.l2.bytes / numbers_.residentPart)
      return {};
    names.erase(names.begin(), window + 1);
    llvm::erase_if(names, [&](const std::string& name) {
      return name == channel_ || llvm::any_of(op_.inputs, [&](const ir::Operand& input) {
               return isBefore(input, name);
             });
    });
    return names;
  }
  // Whether the operand has the iterator in front of the window.
  bool isBefore(const ir::Operand& operand, const std::string& name) const {
    for (const Expr& index : operand.map) {
      const std::vector<std::string> names = index.iterators();
      if (llvm::is_contained(names, window_)) return false;
      if (llvm::is_contained(names, name))
        return llvm::is_contained(transforms::iteratorsOf(operand), window_);
    }
    return false;
  }
  Steps inBehind(Steps steps) const {
    const std::vector<std::string> behind = this->behind();
    for (const std::string& name : llvm::reverse(behind))
      steps = then(Step(TileStep{name, constant(1)}, "all of it reads the same of the image"),
                   std::move(steps));
    return steps;
  }

  // Loops over all parallel iterators but the window's, those behind it and the channels.
  Steps outer(std::optional<int64_t> channels) const {
    Steps steps;
    const std::vector<std::string> behind = this->behind();
    for (const std::string& name : space_.parallel())
      if (name != window_ && name != channel_ && !llvm::is_contained(behind, name))
        steps.push_back(name == row_ ? Step(onThreads(name, numbers_.windowRows),
                                            "rows of windows that share what they read")
                                     : Step(onThreads(name, 1), "rows of windows, one by one"));
    if (hasBorders())
      steps.push_back(
          Step(InteriorStep{window_, inside(channels), inBehind(this->channels(channels, {}))},
               "between its borders all is inside"));
    else
      llvm::append_range(steps, inside(channels));
    return steps;
  }

  // A tile of results has no other iterators, also of one position.
  // Position by position.
  Steps lines() const {
    Steps steps;
    for (const std::string& name : space_.parallel())
      if (name != channel_) steps.push_back(Step(onThreads(name, 1), "as it lies"));
    llvm::append_range(steps, this->channels(known(channel_), {}));
    return steps;
  }

  // As many positions at once as there are. Whether other indices are inside is tested once for
  // them, and for each term of a sum where some are not.
  Steps inside(std::optional<int64_t> channels) const {
    if (window_.empty()) return tested(channels, {});
    const Step tile(onThreads(window_, positions_), "windows at once that share what they read");
    if (positions_ == 1) return then(tile, tested(channels, {}));
    Steps all = tested(channels, square());
    std::vector<Test> whole;
    std::vector<ir::Axis> some;
    for (const ir::Axis& axis : square()) {
      auto count = axis.name == window_ ? countInside() : known(axis.name);
      if (count && *count % axis.size == 0) continue;
      if (count && row_.empty()) some.push_back({window_, *count % axis.size});
      whole.push_back(equals(axis.name, axis.size));
    }
    if (whole.empty()) return then(tile, std::move(all));
    Steps left = tested(channels, some);
    if (others_ && some.empty())
      for (const ir::Axis& axis : square())
        left.insert(left.begin(), Step(TileStep{axis.name, constant(1)}, "tile by tile"));
    return {tile, Step(WhenStep{std::move(whole), std::move(all),
                                rarely(unrolled_, "windows_left", std::move(left))},
                       "at the end there are fewer windows")};
  }

  Steps tested(std::optional<int64_t> channels, const std::vector<ir::Axis>& positions) const {
    Steps steps = this->channels(channels, positions);
    if (outside_.empty()) return inBehind(std::move(steps));
    Steps otherwise = isOutsideElsewhere() ? steps : Steps();
    return inBehind({Step(WhenStep{{{Test::Kind::Inside}}, std::move(steps), std::move(otherwise)},
                          "tested once for all channels, not for each element")});
  }

  Steps channels(std::optional<int64_t> channels, const std::vector<ir::Axis>& positions) const {
    WindowTiles tiles{target_, lanes_, channel_, unrolled_};
    tiles.isAll = isLine();
    const bool hasNext = llvm::any_of(
        positions, [&](const ir::Axis& axis) { return axis.name == window_ && axis.size > 1; });
    if (hasNext && isAhead_) {
      tiles.ahead =
          ir::Ahead{window_, numbers_.windowAhead * positions_, numbers_.windowAheadInto > 1};
      tiles.early = !others_;
    }
    return tiles.steps(channels, positions);
  }

  const ir::Kernel& kernel_;
  const ir::StructuredOp& whole_;
  const ir::StructuredOp op_;  // without iterators of one position
  const std::vector<OperandName>& names_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  const Space space_;
  const std::map<std::string, int64_t> positionsOf_;
  const std::vector<std::string> unrolled_;  // reductions
  bool isAhead_ = false;                     // what the next tile reads and writes is asked for
  const Others* others_;
  const std::vector<Outside> outside_;
  std::string channel_;
  std::string window_;  // or none, if it has one position, or only the channels move
  std::string row_;     // beside it, and whose windows share what they read, too; or none
  int64_t lanes_ = 1, positions_ = numbers_.windowPositions;
};

}  // namespace

Result<Form> windows(const Task& task) {
  const ir::StructuredOp op = transforms::asSum(task.op);
  Windows windows(task, op);
  auto form = windows.run();
  if (!form) return form;
  if (task.others) return form;
  auto near = windows.near();
  if (!near) return Reason{near.reason()};
  if (near->empty()) return form;
  form->where = std::move(*near);
  form->lines[0] += "; inputs that are larger than the last cache are read line by line";
  return form;
}

}  // namespace einc::strategy
