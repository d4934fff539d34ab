// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The verbs of verbs.def, as types.
#pragma once

#include <variant>

#include "compiler/strategy/plan/verbs/accumulate.h"
#include "compiler/strategy/plan/verbs/alone.h"
#include "compiler/strategy/plan/verbs/bind.h"
#include "compiler/strategy/plan/verbs/border.h"
#include "compiler/strategy/plan/verbs/call.h"
#include "compiler/strategy/plan/verbs/collapse.h"
#include "compiler/strategy/plan/verbs/convert.h"
#include "compiler/strategy/plan/verbs/copy.h"
#include "compiler/strategy/plan/verbs/cut.h"
#include "compiler/strategy/plan/verbs/digits.h"
#include "compiler/strategy/plan/verbs/function.h"
#include "compiler/strategy/plan/verbs/fuse.h"
#include "compiler/strategy/plan/verbs/inline.h"
#include "compiler/strategy/plan/verbs/interior.h"
#include "compiler/strategy/plan/verbs/keep.h"
#include "compiler/strategy/plan/verbs/lanes.h"
#include "compiler/strategy/plan/verbs/let.h"
#include "compiler/strategy/plan/verbs/loops.h"
#include "compiler/strategy/plan/verbs/non_temporal.h"
#include "compiler/strategy/plan/verbs/order.h"
#include "compiler/strategy/plan/verbs/pack.h"
#include "compiler/strategy/plan/verbs/parts.h"
#include "compiler/strategy/plan/verbs/results.h"
#include "compiler/strategy/plan/verbs/scratch.h"
#include "compiler/strategy/plan/verbs/split.h"
#include "compiler/strategy/plan/verbs/spread.h"
#include "compiler/strategy/plan/verbs/tables.h"
#include "compiler/strategy/plan/verbs/tile.h"
#include "compiler/strategy/plan/verbs/transpose.h"
#include "compiler/strategy/plan/verbs/vectorize.h"
#include "compiler/strategy/plan/verbs/when.h"
#include "compiler/strategy/plan/verbs/words.h"

namespace einc::strategy {

// Runs `visit.operator()<Verb>()` for each, in the order of the table. `None` stands before the first
// comma.
template <typename None, typename... All>
struct VerbTable {
  using AnyOf = std::variant<All...>;
  template <typename Visit>
  static void forEach(Visit&& visit) {
    (visit.template operator()<All>(), ...);
  }
};

#define EINC_VERB(Verb) , Verb
using Verbs = VerbTable<void
#include "compiler/strategy/plan/verbs.def"
                        >;

}  // namespace einc::strategy
