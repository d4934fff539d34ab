// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/completion.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

void Completion::left(const Place& place, const Steps& list, bool isWhole) {
  // A list that is gone through several times, for two borders, say, is one list.
  if (ends_.count(&list) == 0) ends_.emplace(&list, choose(place, isWhole));
}

void Completion::goesOn(const Steps& list, const Steps& more) {
  ends_.emplace(&list, filled(more));
  forget(more);
}

void Completion::forget(const Steps& list) {
  ends_.erase(&list);
  for (const Step& step : list)
    for (const Steps* inner : listsIn(step)) forget(*inner);
}

Steps Completion::filled(const Steps& list) const {
  Steps result = list;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::vector<const Steps*> before = listsIn(list[i]);
    const std::vector<Steps*> after = listsIn(result[i]);
    for (size_t l = 0; l < before.size(); ++l) *after[l] = filled(*before[l]);
  }
  if (auto end = ends_.find(&list); end != ends_.end()) llvm::append_range(result, end->second);
  return result;
}

}  // namespace einc::strategy
