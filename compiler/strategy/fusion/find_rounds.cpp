// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/find_rounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/contract.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/names_along.h"
#include "compiler/strategy/fusion/overwrites.h"
#include "compiler/strategy/fusion/rounds_in_group.h"
#include "compiler/strategy/fusion/rows_again.h"
#include "compiler/strategy/fusion/ways_on_device.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/rounds.h"
#include "compiler/transforms/stand_in.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

class Finder {
 public:
  Finder(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options)
      : kernel_(kernel), ops_(ops), options_(options) {}

  // The first ops that may be in rounds from `begin` on; what cannot be goes to `why`.
  std::optional<FoundRounds> find(size_t begin, std::vector<RoundsReport>& why) const {
    for (size_t op = begin; op < ops_.size(); ++op)
      for (const ir::Iterator& iterator : ops_[op].iterators)
        if (iterator.kind == ir::IteratorKind::Reduction)
          if (auto found = best(begin, op, iterator.name, why)) return found;
    return std::nullopt;
  }

 private:
  // Of rounds along an op's reduction those in which most loops are around; what makes inputs of these may stand before.
  std::optional<FoundRounds> best(size_t begin, size_t op, const std::string& iterator,
                                  std::vector<RoundsReport>& why) const {
    std::optional<FoundRounds> best;
    std::optional<RoundsReport> first;
    Names last;
    for (size_t from = begin; from <= op; ++from) {
      auto names = namesAlong(ops_, from, op, iterator);
      if (names && device() == nullptr) names = withReaders(ops_, from, op, *names);
      if (!names || *names == last || !isUsedAlong(ops_, op, *names)) continue;
      last = *names;
      FoundRounds found{names->begin()->first, {}, {}};
      found.rounds.readsElements = device() == nullptr;
      auto reason = roundsOf(*names, begin, found);
      if (reason && !first) first = RoundsReport{found.first, found.last(), {}, reason->text};
      if (!reason && (!best || best->rounds.outer.size() < found.rounds.outer.size()))
        best = std::move(found);
    }
    if (!best && first) why.push_back(std::move(*first));
    return best;
  }

  std::optional<Reason> roundsOf(const Names& names, size_t least, FoundRounds& found) const {
    size_t end = names.rbegin()->first + 1;
    includeStarts(least, found.first, end);
    includeReaders(found.first, end);
    Rounds& rounds = found.rounds;
    rounds.ops = opsOf(found.first, end);
    transforms::readBounds(kernel_, rounds.ops);
    for (size_t i = found.first; i < end; ++i) {
      auto name = names.find(i);
      rounds.along.names.push_back(name == names.end() ? "" : name->second);
    }
    if (!runAlike(rounds)) return Reason{"they have not all as many positions"};
    if (!addOuter(rounds)) return Reason{"no loop over results is the same for all of them"};
    if (!order(rounds)) return Reason{"what is complete behind the rounds is used in them"};
    if (!areWrittenOnce(rounds)) return Reason{"a tensor is written more than once"};
    if (overwritesInput(*ir::contractOf(kernel_), rounds))
      return Reason{
          "a call may pass an input in the place of a result, and it would be read later"};
    addKept(rounds);
    if (auto reason = cascade(rounds)) return reason;
    transforms::reuseTiles(kernel_, rounds);
    if (device() != nullptr)
      if (auto reason = partRows(found)) return reason;
    sizeTiles(kernel_, rounds, options_);
    if (!isMadeAnew(rounds))
      if (auto reason = readOnce(found)) return reason;
    return device() == nullptr ? std::nullopt : fitOnDevice(found);
  }
  std::optional<Reason> readOnce(FoundRounds& found) const {
    if (device() != nullptr)
      return Reason{"all that is read again is an input, or computed from one: it is read twice"};
    const bool isWanted = llvm::any_of(options_.settings, [&](const Setting& setting) {
      return setting.name == kRounds && setting.op == found.first && setting.last == found.last() &&
             !setting.steps.empty();
    });
    return strategy::readOnce(kernel_, found.rounds, *options_.target, isWanted, found.where);
  }
  const target::Device* device() const { return options_.target->device; }
  std::optional<Reason> partRows(FoundRounds& found) const {
    return strategy::partRows(
        kernel_, found.rounds, device()->numbers.groupWidth,
        [&](size_t op, const std::string& name) {
          return namesAlong(found.rounds.ops, 0, op, name);
        },
        found.where);
  }
  std::optional<Reason> fitOnDevice(FoundRounds& found) const {
    if (auto reason = shrink(kernel_, found.rounds, *device())) return reason;
    limitRows(found.rounds, found.where);
    return partOnDevice(kernel_, found, options_);
  }

  Ops opsOf(size_t begin, size_t end) const {
    return {ops_.begin() + static_cast<std::ptrdiff_t>(begin),
            ops_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  // What clears the results of reductions may stand before all others.
  void includeStarts(size_t least, size_t& begin, size_t end) const {
    std::set<unsigned> used;
    for (size_t i = begin; i < end; ++i)
      for (const ir::Operand& output : ops_[i].outputs) used.insert(output.tensor);
    for (size_t i = begin; i-- > least;)
      if (llvm::all_of(ops_[i].outputs,
                       [&](const ir::Operand& o) { return used.count(o.tensor) != 0; }))
        begin = i;
      else
        break;
  }
  // What reads locals of these has no more loops than all of them have.
  void includeReaders(size_t begin, size_t& end) const {
    const size_t shared = sharedIterators(kernel_, opsOf(begin, end)).size();
    while (end < ops_.size() && readsLocals(begin, end, end) &&
           sharedIterators(kernel_, opsOf(begin, end + 1)).size() == shared)
      ++end;
  }
  bool readsLocals(size_t begin, size_t end, size_t reader) const {
    for (size_t i = begin; i < end; ++i)
      for (const ir::Operand& output : ops_[i].outputs)
        if (kernel_.tensors[output.tensor].role == ir::Role::Local &&
            ir::uses(ops_[reader], output.tensor))
          return true;
    return false;
  }

  bool runAlike(Rounds& rounds) const {
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      if (rounds.along.names[i].empty()) continue;
      auto extent = ir::extentOf(kernel_, rounds.ops[i], rounds.along.names[i]);
      if (!extent ||
          (rounds.along.extent != affine::Expr() && extent->extent != rounds.along.extent))
        return false;
      rounds.along.extent = extent->extent;
    }
    return true;
  }

  // The parallel iterators that all have, each of which is an index by itself, or none.
  bool addOuter(Rounds& rounds) const {
    for (std::vector<std::string>& names : sharedIterators(kernel_, rounds.ops)) {
      Rounds::Loop loop{std::move(names), {}};
      loop.extent = ir::extentOf(kernel_, rounds.ops[0], loop.names[0])->extent;
      bool isPlain = true;
      for (size_t i = 0; i < rounds.ops.size(); ++i)
        for (size_t o = 0; o < rounds.ops[i].operandCount(); ++o)
          for (const affine::Expr& index : rounds.ops[i].operand(o).map)
            isPlain &= !index.mentions(loop.names[i]) ||
                       (index.asIterator() == loop.names[i] && !rounds.ops[i].operand(o).pad);
      if (isPlain) rounds.outer.push_back(std::move(loop));
    }
    return !rounds.outer.empty() || device() == nullptr;
  }

  // Which ops are done before the rounds, and which behind.
  bool order(Rounds& rounds) const {
    std::set<unsigned> inRounds, behind, readBehind;  // what is written there, and used
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      const ir::StructuredOp& op = rounds.ops[i];
      auto uses = [&](const std::set<unsigned>& tensors) {
        return llvm::any_of(tensors, [&](unsigned tensor) { return ir::uses(op, tensor); });
      };
      const bool isIn = !rounds.along.names[i].empty();
      const bool isEach = !isIn && uses(inRounds) && isCentre(rounds, i);
      const bool changes = llvm::any_of(op.outputs, [&](const ir::Operand& output) {
        return readBehind.count(output.tensor) != 0;
      });
      if (isIn && (uses(behind) || changes)) return false;
      const bool isBehind = !isIn && !isEach && (uses(inRounds) || uses(behind));
      if (!isIn && !isBehind && isReadBefore(rounds, i)) return false;
      rounds.when.push_back(isIn       ? Rounds::When::In
                            : isEach   ? Rounds::When::Each
                            : isBehind ? Rounds::When::After
                                       : Rounds::When::Before);
      for (const ir::Operand& output : op.outputs)
        if (isIn || isEach || isBehind) (isBehind ? behind : inRounds).insert(output.tensor);
      for (size_t o = 0; o < op.operandCount() && isBehind; ++o)
        readBehind.insert(op.operand(o).tensor);
    }
    return true;
  }
  // What is computed from results of the rounds, at positions of their loops alone, and read in them.
  bool isCentre(const Rounds& rounds, size_t number) const {
    const ir::StructuredOp& op = rounds.ops[number];
    if (op.outputs.size() != 1 || ir::reduces(op) || ir::readsOperand(op, op.inputs.size()) ||
        !ir::isPlain(op.outputs[0]) || !isOverLoops(rounds, number))
      return false;
    std::set<unsigned> made{op.outputs[0].tensor};
    for (size_t other = 0; other < rounds.ops.size(); ++other) {
      const ir::StructuredOp& reader = rounds.ops[other];
      if (other != number && ir::writes(reader, op.outputs[0].tensor)) return false;
      const bool reads = other > number && llvm::any_of(reader.inputs, [&](const auto& input) {
                           return made.count(input.tensor) != 0;
                         });
      if (reads && !rounds.along.names[other].empty()) return true;
      for (const ir::Operand& output : reader.outputs)
        if (reads) made.insert(output.tensor);
    }
    return false;
  }

  // In a round, all that writes a tensor comes before what reads it; what is carried on one op alone writes.
  bool areWrittenOnce(const Rounds& rounds) const {
    for (size_t i = 0; i < rounds.ops.size(); ++i)
      for (const ir::Operand& output : rounds.ops[i].outputs) {
        if (rounds.when[i] != Rounds::When::In) continue;
        const bool isCarried = !hasAlong(rounds, i, output);
        for (size_t other = 0; other < rounds.ops.size(); ++other) {
          if (other == i || rounds.when[other] != Rounds::When::In) continue;
          const bool reads = llvm::any_of(rounds.ops[other].inputs, [&](const auto& input) {
            return input.tensor == output.tensor;
          });
          if ((reads && other < i) || (isCarried && ir::writes(rounds.ops[other], output.tensor)))
            return false;
        }
      }
    return true;
  }
  static size_t writersOf(const Rounds& rounds, unsigned tensor) {
    size_t count = 0;
    for (size_t i = 0; i < rounds.ops.size(); ++i)
      count += rounds.when[i] == Rounds::When::In && ir::writes(rounds.ops[i], tensor) ? 1 : 0;
    return count;
  }
  // Whether an op before one reads what that writes.
  static bool isReadBefore(const Rounds& rounds, size_t op) {
    for (size_t i = 0; i < op; ++i)
      for (const ir::Operand& output : rounds.ops[op].outputs)
        if (ir::uses(rounds.ops[i], output.tensor)) return true;
    return false;
  }

  bool hasAlong(const Rounds& rounds, size_t op, const ir::Operand& operand) const {
    return !rounds.along.names[op].empty() &&
           llvm::is_contained(operand.map, transforms::at(rounds.along.names[op]));
  }

  std::optional<Reason> cascade(Rounds& rounds) const {
    std::map<size_t, std::map<std::string, std::string>> called;
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      if (!rounds.along.names[i].empty()) called[i][rounds.along.names[i]] = "along";
      for (size_t o = 0; o < rounds.outer.size(); ++o)
        called[i][rounds.outer[o].names[i]] = "outer" + std::to_string(o);
    }
    // What is summed besides is called alike where it stands in the same place.
    auto nameOf = [&](size_t op, const std::string& name) {
      auto found = called[op].find(name);
      if (found != called[op].end()) return found->second;
      return name + (ir::isParallel(rounds.ops[op], name) ? "_op" + std::to_string(op) : "_inner");
    };
    auto countOf = [&](size_t op, const std::string& name) -> std::optional<affine::Expr> {
      auto extent = ir::extentOf(kernel_, rounds.ops[op], name);
      return extent ? std::optional(extent->extent) : std::nullopt;
    };
    transforms::Cascades cascades(rounds.ops, nameOf, countOf);
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      std::optional<Reason> reason;
      if (rounds.when[i] == Rounds::When::In) reason = cascade(rounds, i, cascades);
      if (rounds.when[i] == Rounds::When::Each) reason = cascades.takeCentre(i);
      if (reason) return reason;
    }
    rounds.bounds = cascades.bounds();
    for (const auto& [sum, terms] : cascades.sums()) rounds.sums.insert(sum);
    rounds.moments = cascades.moments();
    if (rounds.bounds.empty() && rounds.sums.empty())
      return Reason{"none is used before it is complete"};
    if (!rounds.moments.empty() && device() != nullptr)
      return Reason{"sums that move with a centre are not done in rounds on devices"};
    return std::nullopt;
  }
  std::optional<Reason> cascade(Rounds& rounds, size_t number,
                                transforms::Cascades& cascades) const {
    const ir::StructuredOp& op = rounds.ops[number];
    const bool reducesAlong = !ir::isParallel(op, rounds.along.names[number]);
    bool isBound = false;
    for (const ir::Operand& output : op.outputs) {
      if (!reducesAlong) continue;
      if (!ir::isPlain(output)) return Reason{"results are not at positions of their own"};
      if (isReadIn(rounds, output.tensor, 0, number))
        return Reason{"what a result begins with is used"};
      isBound |= isReadIn(rounds, output.tensor, number + 1, rounds.ops.size());
    }
    if (isBound && (op.outputs.size() > 1 || !isOverLoops(rounds, number)))
      return Reason{"what is used before it is complete is not one result for each position"};
    if (auto reason = cascades.take(number, reducesAlong, isBound)) {
      const bool isResult = llvm::any_of(op.outputs, [&](const ir::Operand& output) {
        return rounds.kept.count(output.tensor) == 0;
      });
      return !reducesAlong && isResult
                 ? Reason{"each result needs what is complete behind the rounds"}
                 : *reason;
    }
    for (const ir::Operand& output : op.outputs) {
      const transforms::Move* move = cascades.moveOf(output.tensor);
      const bool isMoment = cascades.moments().count(output.tensor) != 0;
      if (!move && !isMoment) continue;
      if (rounds.kept.count(output.tensor) == 0)
        return Reason{"what changes with a bound is used elsewhere"};
      if (writersOf(rounds, output.tensor) > 1)
        return Reason{"what changes with a bound is written by several statements"};
      if (isMoment && op.outputs.size() > 1)
        return Reason{"what moves with a centre has other results besides"};
      if (reducesAlong && !startsFromZero(rounds, output.tensor))
        return Reason{"a sum that changes with a bound does not begin with 0"};
      if (move) rounds.moved[output.tensor] = *move;
    }
    return std::nullopt;
  }
  static bool startsFromZero(const Rounds& rounds, unsigned tensor) {
    bool isZero = false;
    for (size_t i = 0; i < rounds.ops.size(); ++i)
      for (size_t o = 0; o < rounds.ops[i].outputs.size(); ++o) {
        if (rounds.ops[i].outputs[o].tensor != tensor || rounds.when[i] == Rounds::When::In)
          continue;
        auto* literal = std::get_if<ir::Literal>(&rounds.ops[i].results[o]->node);
        isZero = rounds.when[i] == Rounds::When::Before && literal && literal->number.asFloat == 0;
      }
    return isZero;
  }
  // Whether an op in the rounds reads the tensor.
  static bool isReadIn(const Rounds& rounds, unsigned tensor, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      if ((rounds.when[i] == Rounds::When::In || rounds.when[i] == Rounds::When::Each) &&
          llvm::any_of(rounds.ops[i].inputs,
                       [&](const ir::Operand& input) { return input.tensor == tensor; }))
        return true;
    return false;
  }
  static bool isOverLoops(const Rounds& rounds, size_t op) {
    return llvm::all_of(rounds.ops[op].outputs[0].map, [&](const affine::Expr& index) {
      return llvm::any_of(rounds.outer, [&](const Rounds::Loop& loop) {
        return index.asIterator() == loop.names[op];
      });
    });
  }

  // Locals that these alone use, and at positions of their loops alone.
  void addKept(Rounds& rounds) const {
    std::map<unsigned, int> users;
    auto count = [&](const ir::StructuredOp& op, int by) {
      std::set<unsigned> own;
      for (size_t i = 0; i < op.operandCount(); ++i) own.insert(op.operand(i).tensor);
      for (unsigned tensor : own) users[tensor] += by;
    };
    for (const ir::StructuredOp& op : ops_) count(op, 1);
    for (const ir::StructuredOp& op : rounds.ops) count(op, -1);
    for (const ir::StructuredOp& op : rounds.ops)
      for (const ir::Operand& output : op.outputs)
        if (kernel_.tensors[output.tensor].role == ir::Role::Local && users[output.tensor] == 0)
          rounds.kept.emplace(output.tensor, kernel_.tensors[output.tensor].name);
  }

  // What is made by a reduction, and read along the rounds, need not be made again, nor kept.
  bool isMadeAnew(const Rounds& rounds) const {
    for (size_t i = 0; i < rounds.ops.size(); ++i)
      if (rounds.when[i] == Rounds::When::In &&
          ir::isParallel(rounds.ops[i], rounds.along.names[i]) && ir::reduces(rounds.ops[i]) &&
          rounds.kept.count(rounds.ops[i].outputs[0].tensor) != 0)
        return true;
    return false;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  const ScheduleOptions& options_;
};

}  // namespace

std::optional<FoundRounds> findRounds(const ir::Kernel& kernel, const Ops& ops, size_t begin,
                                      const ScheduleOptions& options,
                                      std::vector<RoundsReport>& why) {
  const Finder finder(kernel, ops, options);
  auto found = finder.find(begin, why);
  if (found && !options.target->device) found->parts = partsOf(kernel, found->rounds, options);
  return found;
}

}  // namespace einc::strategy
