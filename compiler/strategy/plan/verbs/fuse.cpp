// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   fuse op 0
//   fuse op 2 by { tile n by 64 vectorize (n: 64) }
//
// And where steps of a region end.
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Those that are neither done nor to be done on the tile of results.
std::vector<size_t> pending(const At& here) {
  std::vector<size_t> numbers = here.region->others();
  llvm::erase_if(numbers, [&](size_t number) {
    return here.onTile.count(number) != 0 || here.done.count(number) != 0;
  });
  return numbers;
}

std::string opText(size_t number) { return "op " + std::to_string(number); }

std::optional<std::string> notInShared(const At& here, const Step& step) {
  const SharedOps& shared = *here.shared;
  const std::string next = opText(here.next);
  if (!isInSharedLoops(step))
    return "ops that share loops are done one by one: fuse " + next + " by { } before";
  if (asksAnOp(step)) return "operands are those of an op: ask in fuse " + next + " by { }";
  for (const std::string& name : iteratorsIn({step}))
    if (here.find(name) && !shared.isShared(here.actualName(name)))
      return "no iterator '" + name + "' here: those that all ops have are " +
             joined(shared.iterators());
  for (const std::string& name : loopsAlong(step))
    if (!here.find(name))
      return "no iterator '" + name + "' here: those that all ops have are " +
             joined(shared.iterators());
  return std::nullopt;
}

// Whether no loop is around them yet, and nothing of them is elsewhere.
bool areWhole(const At& here) {
  return !here.isTiled && llvm::equal(here.op.inputs, here.shared->whole().inputs,
                                      [](const ir::Operand& a, const ir::Operand& b) {
                                        return a.tensor == b.tensor && a.map == b.map;
                                      });
}

// What of the member may be outside its tensors, and twins of such inputs, which have no names.
void readTwice(const At& here, At& inner) {
  for (Outside& one : here.shared->outside(*inner.number, here.op))
    inner.reads.push_back({std::move(one)});
  inner.padded = here.shared->padded(*inner.number);
  inner.names.insert(inner.names.end() - static_cast<ptrdiff_t>(inner.op.outputs.size()),
                     inner.padded.size(), OperandName());
}

// An op of those that share loops, on what there is of it here: where that is all, as it was given, so that it
// can be asked what it reads outside its tensors.
At memberAt(const At& here, size_t number) {
  const SharedOps& shared = *here.shared;
  At inner = here.around();
  inner.whole = &shared.given().ops[shared.indexOf(number)];
  const bool isWhole = areWhole(here);
  inner.op = isWhole ? *inner.whole : shared.member(number, here.op);
  inner.number = number;
  inner.names = shared.names(number);
  if (!isWhole) readTwice(here, inner);
  for (const std::string& iterator : shared.iterators()) {
    const std::string& own = shared.nameIn(number, iterator);
    auto copy = [&](const auto& from, auto& to) {
      if (auto found = from.find(iterator); found != from.end()) to[own] = found->second;
    };
    copy(here.most, inner.most);
    copy(here.least, inner.least);
    copy(here.rooms, inner.rooms);
    copy(here.left, inner.left);
  }
  return inner;
}

// Another op of a contraction's region, on what there is of it here.
At otherAt(const At& here, size_t number) {
  At inner = here;
  inner.op = here.region->other(number, here.op);
  inner.whole = &here.region->given()[number - here.region->first()];
  inner.number = number;
  inner.names = here.region->names(number);
  inner.region = nullptr;
  inner.isReady = false;
  inner.contiguous.clear();
  inner.wordsInLine.reset();
  inner.strided.clear();
  inner.streaming.reset();
  inner.packed.clear();
  inner.words.reset();
  inner.tensors.clear();
  inner.reads.clear();
  inner.padded.clear();
  inner.borders.clear();
  inner.onTile.clear();
  inner.done.clear();
  return inner;
}

// All others are done: the op is one by itself.
void detach(At& here) {
  const size_t outputs = here.op.outputs.size();
  here.op = here.region->detached(here.op);
  here.names.erase(here.names.begin() + static_cast<ptrdiff_t>(here.op.inputs.size()),
                   here.names.end() - static_cast<ptrdiff_t>(outputs));
  here.tensors.resize(here.op.inputs.size());
  here.contiguous.clear();
  here.wordsInLine.reset();
  here.strided.clear();
  here.region = nullptr;
}

ir::Block fuseShared(const Work& work, At here, const FuseStep& step) {
  const auto number = static_cast<size_t>(step.op);
  const size_t end = here.shared->end();
  if (step.op < 0 || !here.shared->hasOp(number))
    return work.refuse(here, "op " + std::to_string(step.op) + " is not among these: there are " +
                                 opText(here.shared->first()) + " to " + opText(end - 1));
  if (number < here.next) return work.refuse(here, opText(number) + " is done already");
  if (number > here.next)
    return work.refuse(here,
                       opText(here.next) + " comes before: fuse " + opText(here.next) + " by { }");
  if (step.isOnTile)
    return work.refuse(here, "expected its steps: fuse " + opText(number) + " by { }");
  At member = memberAt(here, number);
  if (here.isInside || !anyLooksOutside(step.by)) settle(member, here.isInside);
  ir::Block block = work.start(std::move(member), step.by);
  here.next = here.shared->after(number);
  if (here.next == end && !work.isLast())
    return work.refuse(here, "nothing follows: all ops are done");
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace

Result<std::vector<ir::Condition>> nothingOutsideOfShared(const Work& work, const At& here) {
  if (areWhole(here)) return Reason{"a loop of all ops stands around it: tile before"};
  std::vector<ir::Condition> all;
  for (size_t number = here.next; number != here.shared->end();
       number = here.shared->after(number)) {
    const At member = memberAt(here, number);
    if (member.reads.empty()) continue;
    auto conditions = nothingOutside(work, member);
    if (!conditions) return conditions;
    for (ir::Condition& condition : *conditions)
      if (!llvm::is_contained(all, condition)) all.push_back(std::move(condition));
  }
  if (all.empty()) return Reason{"nothing is known to be read outside a tensor here"};
  return all;
}

std::optional<std::string> notInRegion(const At& here, const Step& step) {
  if (here.shared) return notInShared(here, step);
  if (!here.region) {
    if (std::holds_alternative<FuseStep>(step.node))
      return "there are no other ops to be done here";
    return std::nullopt;
  }
  if (looksOutside(step))
    return "'inside' and 'borders' are asked for ops that are done by themselves";
  if (isInRegion(step)) {
    for (const OperandName& name : copiedBy(step))
      if (auto which = here.operand(name); which && here.region->isAttached(here.op, *which))
        return name.str() + " is an input of another op: it stays where it is";
    return std::nullopt;
  }
  const std::vector<size_t> others = here.region->others();
  return "other ops are done before, or on a tile of results: " +
         joined(others, ", ", [](size_t number) { return "fuse " + opText(number) + " by { }"; });
}

std::optional<std::string> Work::noResults(const At& here,
                                           const std::vector<ir::Axis>& axes) const {
  if (!here.region) return std::nullopt;
  for (size_t number : pending(here))
    return opText(number) + " is not done: fuse " + opText(number) + " before";
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel &&
        llvm::none_of(axes, [&](const ir::Axis& axis) { return axis.name == i.name; }))
      return "'" + i.name + "' is an axis of the tile of results, or done before: tile " + i.name +
             " by 1";
  if (!here.sums) return std::nullopt;
  for (const KeptSums::IfSeveral& some : here.sums->ifSeveral)
    if (some.memory != some.positions * (here.sums->tiles - transforms::constant(1)))
      return "'keep' has memory for other tiles of the reductions than there are";
  return std::nullopt;
}

ir::Block leftInRegion(const Work& work, At here, const Steps& list) {
  Steps steps;
  if (here.shared) {
    for (size_t number = here.next; number < here.shared->end();
         number = here.shared->after(number))
      steps.push_back(Step(FuseStep{static_cast<int64_t>(number), false, {}}, "in the same loops"));
    if (steps.empty()) return {};
    ir::Block block = work.run(std::move(here), steps);
    work.goesOn(list, steps);
    return block;
  }
  if (!here.terms.first.empty())
    return work.refuseEnd(
        here, "steps in the tiles of a reduction end with a tile of results: vectorize");
  here.onTile.clear();
  for (size_t number : pending(here))
    steps.push_back(Step(FuseStep{static_cast<int64_t>(number), false, {}}, "by itself"));
  ir::Block block = work.run(std::move(here), steps);
  work.goesOn(list, steps);
  return block;
}

ir::Block apply(const Work& work, At here, const FuseStep& step) {
  if (here.shared) return fuseShared(work, std::move(here), step);
  const auto number = static_cast<size_t>(step.op);
  if (step.op < 0 || !here.region->hasOther(number))
    return work.refuse(here, "op " + std::to_string(step.op) +
                                 " is not among the others: there are " +
                                 joined(here.region->others(), ", ", opText));
  // What was to be done on a tile that no step makes is done by itself.
  if (!step.isOnTile) here.onTile.erase(number);
  if (here.onTile.count(number) != 0 || here.done.count(number) != 0)
    return work.refuse(here, opText(number) + " is fused already");
  if (step.isOnTile) {
    here.onTile.insert(number);
    return work.rest(std::move(here));
  }
  if (!here.terms.first.empty())
    return work.refuse(here, "results are not finished in the tiles of a reduction: " +
                                 opText(number) + " is done before, or on the tile of results");
  ir::Block own = work.start(otherAt(here, number), step.by);
  const bool isStart = here.region->isStart(number);
  here.done.insert(number);
  if (here.done.size() == here.region->others().size()) detach(here);
  ir::Block rest = work.rest(std::move(here));
  if (isStart) std::swap(own, rest);
  transforms::append(rest, std::move(own));
  return rest;
}

}  // namespace einc::strategy
