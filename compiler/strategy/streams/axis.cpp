// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/axis.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/ir/guard.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/streams/lanes.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/read_elements.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

Axis::Axis(const ir::Kernel& kernel, const ir::StructuredOp& op,
           const std::vector<OperandName>& names, const ScheduleOptions& options,
           const ir::StructuredOp* whole)
    : kernel_(kernel), op_(op), names_(names), options_(options), target_(*options.target) {
  choose(whole);
}

bool Axis::isReduction(const std::string& name) const {
  return llvm::is_contained(op_.iterators, ir::Iterator{name, ir::IteratorKind::Reduction});
}
bool Axis::mayReorder() const { return transforms::mayReorder(op_, options_.keepsOrder); }

namespace {

// Operands of a tile that are contiguous along none of its iterators: of one column, rows are the last
// dimension, and they are apart. Names are what a tile and its op have in common, as shapes alone are gone.
std::set<size_t> apartIn(const ir::Kernel& kernel, const ir::StructuredOp& tile,
                         const std::vector<OperandName>& names, const ir::StructuredOp& whole) {
  std::vector<OperandName> apart;
  const Space space{kernel, whole};
  const std::vector<OperandName> wholeNames = operandNames(kernel, whole);
  auto isGone = [&](const std::string& name) {
    return !name.empty() && space.known(name) != 1 &&
           llvm::none_of(tile.iterators, [&](const ir::Iterator& i) { return i.name == name; });
  };
  for (size_t i = 0, next = 0; i < whole.operandCount(); ++i) {
    if (whole.operand(i).shapeOnly) continue;
    const OperandName& name = wholeNames[next++];
    if (isGone(contiguous(kernel, whole.operand(i)))) apart.push_back(name);
  }
  std::set<size_t> result;
  for (size_t i = 0, next = 0; i < tile.operandCount(); ++i)
    if (!tile.operand(i).shapeOnly && llvm::is_contained(apart, names[next++])) result.insert(i);
  return result;
}

}  // namespace

void Axis::choose(const ir::StructuredOp* whole) {
  const auto apart = whole ? apartIn(kernel_, op_, names_, *whole) : std::set<size_t>();
  const int64_t lanes = target_.lanes(transforms::registerBytes(op_));
  // Where it gains nothing in memory, it is to fill a vector at least.
  auto isIdle = [&](size_t operand, const std::string& name) {
    return apart.count(operand) != 0 && this->whole().known(name).value_or(lanes) < lanes;
  };
  // What moves a window is seldom as long as a vector.
  auto isTap = [&](const std::string& name) {
    if (this->whole().known(name).value_or(0) >= lanes) return false;
    return llvm::any_of(op_.inputs, [&](const ir::Operand& input) {
      return llvm::any_of(input.map, [&](const affine::Expr& index) {
        return index.mentions(name) && index.iterators().size() > 1;
      });
    });
  };
  // Elements that say where rows end are read once a row, and lanes in rows of their own would all run to the longest end.
  const std::vector<size_t> ends =
      !target_.device && ir::guardOf(op_) ? transforms::comparedInputs(op_) : std::vector<size_t>();
  std::map<std::string, int64_t> votes;
  const bool anyParallel = llvm::any_of(
      op_.iterators, [](const ir::Iterator& i) { return i.kind == ir::IteratorKind::Parallel; });
  for (const ir::Iterator& i : op_.iterators)
    if (i.kind == ir::IteratorKind::Parallel || (mayReorder() && !(anyParallel && isTap(i.name))))
      votes[i.name] = 0;
  for (size_t i = 0; i < op_.operandCount(); ++i)
    if (std::string name = contiguous(kernel_, op_.operand(i));
        votes.contains(name) && !isIdle(i, name) && !llvm::is_contained(ends, i)) {
      size_t rank = std::min<size_t>(transforms::iteratorsOf(op_.operand(i)).size(), 14);
      votes[name] += int64_t{i < op_.inputs.size()                   ? 2
                             : transforms::anyAlong(op_, ends, name) ? 1
                                                                     : 3}
                     << (4 * rank);
    }
  int64_t best = -1;
  for (const ir::Iterator& i : op_.iterators)
    if (votes.contains(i.name) && (votes[i.name] > best || best == 0)) {
      best = votes[i.name];
      axis_ = i.name;
    }
  // Squares serve what is read and what is written; in a tile of sums results have other neighbours.
  if (whole && ir::reduces(*whole)) return;
  const std::string voted = std::exchange(
      axis_, op_.outputs.size() == 1 ? contiguous(kernel_, op_.outputs[0]) : std::string());
  if (!votes.contains(axis_) || transposed().empty()) axis_ = voted;
}

std::optional<Reason> Axis::refusal() const {
  if (isReduction(axis_) && transforms::partsOf(op_) && !mayReorder())
    return Reason{"the order of the sum along '" + axis_ + "' is kept"};
  if (isReduction(axis_) && !transforms::partsOf(op_))
    return Reason{"the reduction '" + axis_ + "' is not by associative functions"};
  const std::vector<size_t> operands = oneByOne();
  if (operands.empty() || pays(operands.size())) return std::nullopt;
  return Reason{"lanes along '" + axis_ + "' of operand " + std::to_string(operands[0]) +
                " are read one by one, and little is computed of them"};
}

std::vector<size_t> Axis::oneByOne() const {
  std::vector<size_t> operands;
  for (size_t i = 0; i < op_.operandCount(); ++i)
    if (!suitsLanes(op_.operand(i), axis_, target_.hasMasks)) operands.push_back(i);
  return operands;
}

size_t Axis::moved() const {
  size_t count = op_.outputs.size();
  for (size_t i = 0; i < op_.inputs.size(); ++i) count += ir::readsOperand(op_, i) ? 1 : 0;
  return count;
}

bool Axis::computesMuch() const {
  if (ir::reduces(op_) || llvm::any_of(op_.results, transforms::takesLong)) return true;
  size_t computed = 0;
  for (const ir::ValueRef& result : op_.results)
    ir::forEach(result, [&](const ir::Value& value) {
      computed += std::holds_alternative<ir::Call>(value.node) ? 1 : 0;
    });
  return computed > moved();
}

// Whether vectors pay, of which the lanes of so many operands are read or written one by one: where
// much is computed of them; else where most others lie in vectors, and no compiler has better ones.
bool Axis::pays(size_t oneByOne) const {
  if (ir::reduces(op_) || llvm::any_of(op_.results, transforms::takesLong)) return true;
  return !target_.hasMasks &&
         static_cast<size_t>(target_.numbers.vectorsForLanes) * oneByOne < moved();
}

std::vector<std::string> Axis::bordered(const std::vector<std::string>& iterators) const {
  const std::vector<Outside> outside = findOutside(kernel_, op_);
  if (runBackwards(outside)) return {};
  std::vector<std::string> result;
  for (const std::string& name : iterators) {
    const Borders borders(kernel_, op_, outside, name);
    if (borders.isEmpty()) continue;
    if (!borders.areNear()) return {};
    result.push_back(name);
  }
  return result;
}

bool Axis::needsInterior() const {
  if (isReduction(axis_) || bordered({axis_}).empty()) return false;
  for (size_t i = 0; i < op_.operandCount(); ++i) {
    ir::Operand inside = op_.operand(i);
    inside.pad = nullptr;
    if (!suitsLanes(inside, axis_, target_.hasMasks)) return false;
  }
  return !oneByOne().empty();
}

void Axis::forEachContiguous(const OnContiguous& on) const {
  const std::string across = isReduction(axis_) ? "" : transposed();
  for (size_t i = 0, next = 0; i < op_.operandCount(); ++i) {
    if (op_.operand(i).shapeOnly) continue;
    const OperandName& name = names_[next++];
    const std::string along = contiguous(kernel_, op_.operand(i));
    if (along == axis_ || (!across.empty() && along == across)) on(op_.operand(i), name, along);
  }
}

std::vector<Test> Axis::contiguousTests() const {
  std::vector<Test> tests;
  forEachContiguous([&](const ir::Operand&, const OperandName& name, const std::string& along) {
    tests.push_back({Test::Kind::Contiguous, {}, {}, name, along});
  });
  return tests;
}

std::string Axis::beside() const {
  std::set<std::string> found;
  forEachContiguous([&](const ir::Operand& operand, const OperandName&, const std::string&) {
    if (operand.map.size() < 2) return;
    std::string before;
    for (const Expr& index : operand.map) {
      if (index.asIterator() == axis_) break;
      before = operand.pad ? "" : index.asIterator().value_or("");
    }
    found.insert(before);
  });
  if (found.size() != 1 || found.begin()->empty()) return "";
  const std::string& name = *found.begin();
  const bool isFree = !isReduction(name) || (mayReorder() && transforms::partsOf(op_));
  return isFree && whole().known(name) != 1 ? name : "";
}

std::vector<Test> Axis::besideTests() const {
  const std::string other = beside();
  std::vector<Test> tests;
  forEachContiguous([&](const ir::Operand& operand, const OperandName& name, const std::string&) {
    if (llvm::is_contained(transforms::iteratorsOf(operand), other))
      tests.push_back({Test::Kind::Contiguous, {}, {}, name, other});
  });
  return tests;
}

std::string Axis::transposed() const {
  if (ir::reduces(op_) || op_.outputs.size() != 1 || contiguous(kernel_, op_.outputs[0]) != axis_)
    return "";
  std::string found;
  for (const ir::Operand& input : op_.inputs) {
    std::string name = contiguous(kernel_, input);
    bool both = llvm::is_contained(transforms::iteratorsOf(input), axis_);
    if (name.empty() || name == axis_ || !both) continue;
    if (input.pad && bordered({axis_, name}).empty()) continue;
    if (!found.empty() && found != name) return "";
    found = name;
  }
  return found;
}

std::string Axis::columnsDown(bool inOrder) const {
  std::string down;
  for (const ir::Iterator& i : op_.iterators)
    if (i.kind == ir::IteratorKind::Reduction) down = i.name;
  if (down.empty() || (!inOrder && (!mayReorder() || !transforms::combinersOf(op_)))) return "";
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

}  // namespace einc::strategy
