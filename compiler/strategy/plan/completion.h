// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What becomes of ops that a list of steps ends before: steps for them, chosen where that is, and put into
// the list. So half a schedule becomes a whole one, before anything is built.
//
//   before  tile m by 8
//   after   tile m by 8 alone { tile n by 16 vectorize (m: 8, n: 16) ... }
#pragma once

#include <map>

#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct Place;  // plan/apply.h

class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  virtual ~Completion() = default;

  // `list` ends before this op, whose iterators have the names that steps have for them; nothing of it is
  // done if it `isWhole`.
  void left(const Place& place, const Steps& list, bool isWhole);
  // The list goes on so. `more` was gone through, and is gone from here on.
  void goesOn(const Steps& list, const Steps& more);
  // The list, and those in it, with what was chosen at their ends.
  Steps filled(const Steps& list) const;

 protected:
  // What stands behind the last step; nothing: scalar loops.
  virtual Steps choose(const Place& place, bool isWhole) = 0;

 private:
  void forget(const Steps& list);

  std::map<const Steps*, Steps> ends_;  // by the list
};

}  // namespace einc::strategy
