// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/shared_iterators.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"

namespace einc::strategy {
namespace {

using affine::Expr;

using Member = std::pair<size_t, std::string>;  // an op's iterator

// Iterators that stand at one dimension of one tensor, or of two that may be the same memory.
class Classes {
 public:
  // `throughInputs`: iterators that stand at one dimension of what is only read are one, too.
  Classes(const ir::Kernel& kernel, const Ops& ops, bool throughInputs)
      : kernel_(kernel), ops_(ops) {
    memory_ = facts::sharedPlaces(kernel_);
    for (size_t i = 0; i < ops.size(); ++i)
      for (size_t o = 0; o < ops[i].operandCount(); ++o) {
        const ir::Operand& operand = ops[i].operand(o);
        uses_[memoryOf(operand.tensor)].push_back({i, &operand});
        if (o >= ops[i].inputs.size()) written_.insert(memoryOf(operand.tensor));
      }
    for (const auto& [tensor, uses] : uses_) {
      if (!throughInputs && written_.count(tensor) == 0) continue;
      for (const Use& use : uses)
        for (size_t d = 0; d < use.operand->map.size(); ++d) {
          auto first = uses.front().operand->map[d].asIterator();
          auto other = use.operand->map[d].asIterator();
          if (first && other) merge({uses.front().op, *first}, {use.op, *other});
        }
    }
  }

  std::vector<std::vector<std::string>> shared() {
    std::vector<std::vector<std::string>> result;
    for (const ir::Iterator& i : ops_.front().iterators) {
      std::vector<std::string> names = namesOf(rootOf({0, i.name}));
      if (!names.empty() && runAlike(names) && areApart(names)) result.push_back(std::move(names));
    }
    return result;
  }

 private:
  struct Use {
    size_t op;
    const ir::Operand* operand;
  };

  unsigned memoryOf(unsigned tensor) const { return memory_[tensor]; }

  Member rootOf(Member member) {
    auto found = parents_.find(member);
    if (found == parents_.end() || found->second == member) return member;
    return found->second = rootOf(found->second);
  }
  void merge(const Member& a, const Member& b) { parents_[rootOf(a)] = rootOf(b); }

  // One parallel iterator of each op; none, where an op has not just one.
  std::vector<std::string> namesOf(const Member& root) {
    std::vector<std::string> result;
    for (size_t op = 0; op < ops_.size(); ++op) {
      size_t before = result.size();
      for (const ir::Iterator& i : ops_[op].iterators) {
        if (rootOf({op, i.name}) != root) continue;
        if (i.kind == ir::IteratorKind::Reduction) return {};
        result.push_back(i.name);
      }
      if (result.size() != before + 1) return {};
    }
    return result;
  }

  bool runAlike(const std::vector<std::string>& names) const {
    auto first = ir::extentOf(kernel_, ops_.front(), names.front());
    for (size_t op = 0; op < ops_.size(); ++op) {
      auto extent = ir::extentOf(kernel_, ops_[op], names[op]);
      if (!extent || extent->extent != first->extent) return false;
    }
    return true;
  }

  // Each access of what is written is at the position of the iterator.
  bool areApart(const std::vector<std::string>& names) const {
    for (const auto& [tensor, uses] : uses_) {
      if (written_.count(tensor) == 0) continue;
      const std::vector<Expr>& map = uses.front().operand->map;
      size_t dim = 0;
      while (dim < map.size() && map[dim].asIterator() != names[uses.front().op]) ++dim;
      if (dim == map.size()) return false;
      for (const Use& use : uses)
        if (use.operand->map[dim].asIterator() != names[use.op]) return false;
    }
    return true;
  }

  const ir::Kernel& kernel_;
  const Ops& ops_;
  std::map<unsigned, std::vector<Use>> uses_;
  std::set<unsigned> written_;
  std::map<Member, Member> parents_;
  std::vector<unsigned> memory_;  // of each tensor: one of those that share it
};

}  // namespace

std::vector<std::vector<std::string>> sharedIterators(const ir::Kernel& kernel, const Ops& ops) {
  return Classes(kernel, ops, /*throughInputs=*/true).shared();
}

std::vector<std::vector<std::string>> sharedPositions(const ir::Kernel& kernel, const Ops& ops) {
  return Classes(kernel, ops, /*throughInputs=*/false).shared();
}

bool movesAlong(const ir::Operand& operand) {
  return std::any_of(operand.map.begin(), operand.map.end(),
                     [](const Expr& index) { return index.hasIterators() && !index.asIterator(); });
}

bool standAlone(const std::vector<Expr>& map, const std::vector<std::string>& iterators) {
  return std::all_of(iterators.begin(), iterators.end(), [&](const std::string& iterator) {
    auto uses = [&](const Expr& index) {
      const std::vector<std::string> used = index.iterators();
      return std::find(used.begin(), used.end(), iterator) != used.end();
    };
    const auto first = std::find_if(map.begin(), map.end(), uses);
    return first == map.end() || (first->asIterator() && std::none_of(first + 1, map.end(), uses));
  });
}

}  // namespace einc::strategy
