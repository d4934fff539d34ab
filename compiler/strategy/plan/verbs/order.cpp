// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   order n, m, k
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::vector<ir::Iterator> reductions(const std::vector<ir::Iterator>& all) {
  std::vector<ir::Iterator> result;
  llvm::copy_if(all, std::back_inserter(result),
                [](const ir::Iterator& i) { return i.kind == ir::IteratorKind::Reduction; });
  return result;
}

}  // namespace

ir::Block apply(const Work& work, At here, const OrderStep& step) {
  std::vector<ir::Iterator> ordered;
  for (const std::string& name : step.iterators) {
    const ir::Iterator* found = here.find(name);
    if (!found) return work.refuse(here, noIterator(here, name));
    if (llvm::is_contained(ordered, *found))
      return work.refuse(here, "'" + name + "' stands twice");
    ordered.push_back(*found);
  }
  if (ordered.size() != here.op.iterators.size())
    return work.refuse(
        here, "an order names all iterators: " +
                  joined(here.op.iterators, ", ", [](const ir::Iterator& i) { return i.name; }));
  const std::vector<ir::Iterator> sums = reductions(ordered);
  if (sums != reductions(here.op.iterators) && !work.mayReorder(here))
    return work.refuse(here, orderText(work, sums[0].name));
  here.op.iterators = std::move(ordered);
  return work.rest(std::move(here));
}

}  // namespace einc::strategy
