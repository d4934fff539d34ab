// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/space.h"

#include <algorithm>

#include "compiler/ir/shape.h"

namespace einc::strategy {

Space::Space(const ir::Kernel& kernel, const ir::StructuredOp& op) : iterators_(op.iterators) {
  for (const ir::Iterator& i : op.iterators)
    if (auto source = ir::extentOf(kernel, op, i.name))
      if (auto known = source->extent.asConstant()) known_[i.name] = *known;
}

std::optional<int64_t> Space::known(const std::string& iterator) const {
  auto found = known_.find(iterator);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Space::ofKind(ir::IteratorKind kind) const {
  std::vector<std::string> names;
  for (const ir::Iterator& i : iterators_)
    if (i.kind == kind) names.push_back(i.name);
  return names;
}
std::vector<std::string> Space::parallel() const { return ofKind(ir::IteratorKind::Parallel); }
std::vector<std::string> Space::reductions() const { return ofKind(ir::IteratorKind::Reduction); }

void Space::tile(const std::string& iterator, int64_t by) {
  auto found = known_.find(iterator);
  const bool isWhole = found != known_.end() && found->second % by == 0;
  if (found != known_.end()) known_.erase(found);
  if (by == 1)
    std::erase_if(iterators_, [&](const ir::Iterator& i) { return i.name == iterator; });
  else if (isWhole)
    known_[iterator] = by;
}

void Space::order(const std::vector<std::string>& iterators) {
  auto place = [&](const ir::Iterator& i) {
    return std::find(iterators.begin(), iterators.end(), i.name) - iterators.begin();
  };
  std::sort(iterators_.begin(), iterators_.end(),
            [&](const ir::Iterator& a, const ir::Iterator& b) { return place(a) < place(b); });
}

}  // namespace einc::strategy
