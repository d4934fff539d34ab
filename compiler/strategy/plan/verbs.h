// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The verbs of schedules. A row here is all that the parser, the printer and `apply` know of a verb: what
// it means, its fields and its text stand in its header.
#pragma once

#include <variant>

#include "compiler/strategy/plan/verbs/bind.h"
#include "compiler/strategy/plan/verbs/border.h"
#include "compiler/strategy/plan/verbs/call.h"
#include "compiler/strategy/plan/verbs/collapse.h"
#include "compiler/strategy/plan/verbs/copy.h"
#include "compiler/strategy/plan/verbs/cut.h"
#include "compiler/strategy/plan/verbs/digits.h"
#include "compiler/strategy/plan/verbs/divide.h"
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
#include "compiler/strategy/plan/verbs/tile.h"
#include "compiler/strategy/plan/verbs/transpose.h"
#include "compiler/strategy/plan/verbs/vectorize.h"
#include "compiler/strategy/plan/verbs/when.h"

namespace einc::strategy {

// Runs `visit.operator()<Verb>()` for each, in the order of the table.
template <typename... All>
struct VerbTable {
  using AnyOf = std::variant<All...>;
  template <typename Visit>
  static void forEach(Visit&& visit) {
    (visit.template operator()<All>(), ...);
  }
};

// Each has
//   kVerb                   the word that it begins with
//   describe(Syntax&)       the text behind that word (syntax.h)
//   apply(Work, At, verb)   which does it, or refuses it with the reason (verbs/place.h)
// and, if it is not as most are,
//   kEndsList               the op is done by it
//   needsReady() -> false   it takes the op as the spec has it
//   kForCpus                devices do not take it
//   looksOutside() -> true  it asks what is read outside tensors
using Verbs = VerbTable<TileStep,         // tile m by 64
                        WhenStep,         // when contiguous(A, n) { } otherwise { }
                        LetStep,          // let width = min(n, 4096)
                        PartsStep,        // parts k by 4096 as k_part { } fill { } ...
                        CollapseStep,     // collapse n, oh, ow as m
                        TablesStep,       // tables m
                        CutStep,          // cut n at 64 { } rest { }
                        InteriorStep,     // interior w { } border { }
                        SplitStep,        // split n by 64 as n_block
                        SpreadStep,       // spread m over 4 as m_line
                        DigitsStep,       // digits m by 16 as m_high { } left of m { }
                        OrderStep,        // order n, m, k
                        NonTemporalStep,  // non_temporal C
                        PackStep,         // pack B (n: 48)
                        CopyStep,         // copy B (n, k) as turned { }
                        ConvertStep,      // convert A to i32
                        BorderStep,       // border I
                        KeepStep,         // keep (m: m, n: nc)
                        FuseStep,         // fuse op 2 by { }
                        InlineStep,       // inline op 1
                        VectorizeStep,    // vectorize (m: 8, n: 48)
                        FunctionStep,     // function tile { }
                        ResultsStep,      // results (m: 8, n: 4) { }
                        ScratchStep,      // scratch (m: 8, n: 48) { }
                        AccumulateStep,   // accumulate (n: 64)
                        TransposeStep,    // transpose m to n
                        BindStep,         // bind n to invocations
                        LanesStep,        // lanes n over 32
                        CallStep,         // call cblas otherwise { }
                        LoopsStep>;       // loops

}  // namespace einc::strategy
