// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/groups.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "compiler/ir/guard.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/conversion.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using Names = std::set<std::string>;

Names namesOf(const ir::Operand& operand) {
  std::vector<std::string> used = transforms::iteratorsOf(operand);
  return {used.begin(), used.end()};
}

// The iterators of the last output dimension that has any.
Names lastDimension(const ir::Operand& output) {
  for (auto it = output.map.rbegin(); it != output.map.rend(); ++it) {
    std::vector<std::string> used = it->iterators();
    if (!used.empty()) return {used.begin(), used.end()};
  }
  return {};
}

using Inputs = std::vector<std::pair<size_t, Names>>;

// The iterators in a guard of positions; nothing if the payload computes with them elsewhere.
std::optional<Names> inGuard(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  if (!ir::usesPositions(op)) return Names();
  const auto guard = ir::guardOf(op);
  if (!guard || !guard->others.empty() || ir::usesPositions(ir::withGuard(op, {})))
    return std::nullopt;
  Names names;
  for (const affine::Expr& e : guard->notNegative) {
    if (!e.asLinear()) return std::nullopt;  // nothing is known of tiles
    for (const std::string& name : e.iterators()) names.insert(name);
    // An attribute may be any number: vectors do not compute with it (streams/lanes.h).
    for (const std::string& symbol : e.symbols())
      if (kernel.attributeOf(symbol)) return std::nullopt;
  }
  return names;
}

// Iterators of a group become one.
std::optional<Reason> findJoined(const Groups& groups, const Names& guarded) {
  for (const auto* group : {&groups.m, &groups.n, &groups.k})
    for (const std::string& name : *group)
      if (group->size() > 1 && guarded.count(name) != 0)
        return Reason{"the payload computes with positions of '" + name +
                      "', which becomes one iterator with others"};
  return std::nullopt;
}

// Of two inputs. Those that share a parallel iterator that others lack are on one side. With two sides, an iterator that
// both have is a batch.
Result<Groups> groupsOfTwo(const ir::Kernel& kernel, const ir::StructuredOp& op,
                           const Inputs& inputs) {
  Groups groups;
  Names last = lastDimension(op.outputs[0]);
  for (const ir::Iterator& iterator : op.iterators) {
    bool inFirst = inputs[0].second.count(iterator.name) != 0;
    bool inSecond = inputs[1].second.count(iterator.name) != 0;
    if (iterator.kind == ir::IteratorKind::Reduction) {
      if (!inFirst || !inSecond)
        return Reason{"reduction '" + iterator.name + "' is in one input only"};
      groups.k.push_back(iterator.name);
    } else if (inFirst == inSecond) {
      if (!inFirst) return Reason{"iterator '" + iterator.name + "' is in no input"};
      groups.batch.push_back(iterator.name);
    } else {
      (inFirst ? groups.m : groups.n).push_back(iterator.name);
    }
  }
  groups.left = {inputs[0].first};
  groups.right = {inputs[1].first};
  if (groups.m.empty() || groups.n.empty())
    return Reason{"no iterator is in the " + std::string(groups.m.empty() ? "first" : "second") +
                  " input and not in the other: nothing is used again"};
  bool lastIsM = std::any_of(groups.m.begin(), groups.m.end(),
                             [&](const std::string& name) { return last.count(name) != 0; });
  if (lastIsM) {
    std::swap(groups.m, groups.n);
    std::swap(groups.left, groups.right);
  }
  auto onePosition = [&](const std::vector<std::string>& group) {
    return std::all_of(group.begin(), group.end(), [&](const std::string& name) {
      auto extent = ir::extentOf(kernel, op, name);
      return extent && extent->extent.asConstant() == 1;
    });
  };
  if (onePosition(groups.n))
    return Reason{"N has one position: the left operand is not used again"};
  if (onePosition(groups.m))
    return Reason{"M has one position: the right operand is not used again"};
  return groups;
}

// So often used, what is packed element by element costs nothing.
constexpr int64_t kManyUses = 256;

// Whether a value of all inputs of a side, which has these iterators, can be packed in place of elements of the first. Where
// that is contiguous along what is added up, squares of it are turned, in the value's type, before the others come in
// (plan/packing.cpp): in vectors, or, if it pays for as many uses as there are `others`, element by element.
bool isComputedSide(const ir::Kernel& kernel, const ir::StructuredOp& op,
                    const std::vector<size_t>& side, const std::vector<std::string>& across,
                    const std::vector<std::string>& others) {
  if (side.size() == 1) return true;
  const bool isPadded = llvm::any_of(side, [&](size_t input) { return !!op.inputs[input].pad; });
  const ir::ValueRef computed = computedOf(op, side);
  if (isPadded || across.size() != 1 || !computed) return false;
  auto isInVectors = [&](size_t input) {
    return namesOf(op.inputs[input]).count(across[0]) == 0 ||
           !contiguousIn(op.inputs[input], across).empty();
  };
  if (isInVectors(side[0])) return true;
  affine::Expr uses = affine::Expr::constant(1);
  for (const std::string& name : others) uses = uses * ir::extentOf(kernel, op, name)->extent;
  return castType(kernel, op, side[0]) == computed->type &&
         (llvm::all_of(llvm::drop_begin(side), isInVectors) ||
          uses.asConstant().value_or(0) >= kManyUses);
}

// The other inputs, each on the side of the one that has all of its iterators. What fits both is tried on the right first.
std::optional<Groups> withOthers(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                 const Inputs& inputs, Groups groups, size_t from) {
  if (from == inputs.size()) {
    const bool areComputed = isComputedSide(kernel, op, groups.left, groups.m, groups.n) &&
                             isComputedSide(kernel, op, groups.right, groups.n, groups.m);
    return areComputed ? std::optional(std::move(groups)) : std::nullopt;
  }
  const auto& [input, names] = inputs[from];
  if (input == groups.left[0] || input == groups.right[0])
    return withOthers(kernel, op, inputs, std::move(groups), from + 1);
  for (auto side : {&Groups::right, &Groups::left}) {
    const Names all = namesOf(op.inputs[(groups.*side)[0]]);
    if (!std::includes(all.begin(), all.end(), names.begin(), names.end())) continue;
    Groups more = groups;
    (more.*side).push_back(input);
    if (auto found = withOthers(kernel, op, inputs, std::move(more), from + 1)) return found;
  }
  return std::nullopt;
}

constexpr size_t kMostInputs = 6;  // all pairs of them are tried

}  // namespace

bool haveSeveral(const Groups& groups) { return groups.left.size() > 1 || groups.right.size() > 1; }

bool computesSides(const ir::StructuredOp& op, const Groups& groups) {
  return haveSeveral(groups) ||
         llvm::any_of(std::array{groups.left, groups.right}, [&](const auto& side) {
           const ir::ValueRef computed = computedOf(op, side);
           return computed && ir::info(computed->type).isFloat();
         });
}

Result<Groups> contractionGroups(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  if (!ir::reduces(op)) return Reason{"no iterator is a reduction"};
  // Terms that a guard leaves out are no other terms: trim (transforms/trim.h) takes tiles of them away.
  const auto guarded = inGuard(kernel, op);
  if (!guarded) return Reason{"the payload computes with positions"};
  Inputs inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].shapeOnly) inputs.emplace_back(i, namesOf(op.inputs[i]));
  auto ofTwo = [&](const Inputs& two) -> Result<Groups> {
    auto groups = groupsOfTwo(kernel, op, two);
    if (!groups) return groups;
    if (auto joined = findJoined(*groups, *guarded)) return *joined;
    return groups;
  };
  if (inputs.size() == 2) return ofTwo(inputs);
  if (inputs.size() > 2 && inputs.size() <= kMostInputs)
    for (size_t first = 0; first < inputs.size(); ++first)
      for (size_t second = first + 1; second < inputs.size(); ++second) {
        auto groups = ofTwo({inputs[first], inputs[second]});
        if (!groups) continue;
        if (auto found = withOthers(kernel, op, inputs, std::move(*groups), 0))
          return std::move(*found);
      }
  return Reason{"it has not two inputs, but " + std::to_string(inputs.size()) +
                (inputs.size() > 2 ? ", which are not two values that could be packed" : "")};
}

bool hasTiles(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  return op.outputs.size() == 1 && contractionGroups(kernel, op);
}

bool movesWindows(const ir::StructuredOp& op) {
  const bool isPadded = llvm::any_of(op.inputs, [](const ir::Operand& i) { return !!i.pad; });
  if (op.outputs.size() != 1 || !ir::reduces(op) || ir::usesPositions(op) || isPadded) return false;
  auto isOf = [&](ir::IteratorKind kind) {
    return [&op, kind](const std::string& name) {
      return llvm::is_contained(op.iterators, ir::Iterator{name, kind});
    };
  };
  return llvm::any_of(op.inputs, [&](const ir::Operand& input) {
    return !input.shapeOnly && llvm::any_of(input.map, [&](const affine::Expr& index) {
      const std::vector<std::string> names = index.iterators();
      return llvm::any_of(names, isOf(ir::IteratorKind::Parallel)) &&
             llvm::any_of(names, isOf(ir::IteratorKind::Reduction));
    });
  });
}

bool mayHaveTiles(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  return hasTiles(kernel, op) || movesWindows(op);
}

namespace {

ir::StructuredOp without(const ir::StructuredOp& op, const Names& units) {
  ir::StructuredOp result = op;
  std::erase_if(result.iterators, [&](const ir::Iterator& i) { return units.count(i.name) != 0; });
  for (size_t i = 0; i < result.operandCount(); ++i)
    for (affine::Expr& e : result.operand(i).map)
      e = e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
        bool unit = atom.kind == affine::Atom::Kind::Iterator && units.count(atom.name) != 0;
        return unit ? std::optional(affine::Expr()) : std::nullopt;
      });
  return result;
}

// Where an index of a unit and another iterator would be the other one alone, and with it say how many positions that has: of
// windows of one element the input may have more than the output.
Names misleading(const ir::Kernel& kernel, const ir::StructuredOp& op, const Names& units) {
  const ir::StructuredOp result = without(op, units);
  Names found;
  for (const ir::Iterator& i : result.iterators) {
    const auto before = ir::extentOf(kernel, op, i.name),
               after = ir::extentOf(kernel, result, i.name);
    if (before && after && before->extent == after->extent) continue;
    for (size_t o = 0; o < op.operandCount(); ++o)
      for (const affine::Expr& index : op.operand(o).map)
        for (const std::string& unit : units)
          if (index.mentions(i.name) && index.mentions(unit)) found.insert(unit);
  }
  return found;
}

}  // namespace

ir::StructuredOp withoutUnits(const ir::Kernel& kernel, const ir::StructuredOp& op,
                              const std::set<std::string>& but) {
  Names units;
  for (const ir::Iterator& iterator : op.iterators) {
    auto extent = ir::extentOf(kernel, op, iterator.name);
    if (extent && extent->extent.asConstant() == 1 && but.count(iterator.name) == 0)
      units.insert(iterator.name);
  }
  for (Names some = misleading(kernel, op, units); !some.empty();
       some = misleading(kernel, op, units))
    for (const std::string& unit : some) units.erase(unit);
  if (units.empty() || units.size() == op.iterators.size() || ir::usesPositions(op)) return op;
  return without(op, units);
}

std::string contiguousIn(const ir::Operand& operand, const std::vector<std::string>& group) {
  if (operand.map.empty()) return "";
  auto linear = operand.map.back().asLinear();
  if (!linear) return "";
  for (const auto& part : linear->parts)
    if (part.coefficient.asConstant() == 1 &&
        std::find(group.begin(), group.end(), part.iterator) != group.end())
      return part.iterator;
  return "";
}

}  // namespace einc::strategy
