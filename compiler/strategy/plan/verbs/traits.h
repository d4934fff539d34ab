// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a verb says of itself, where it is not as most are (plan/verbs.def). So nothing else has to know verbs by name.
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

bool endsList(const Step& step);
bool isForCpus(const Step& step);
bool needsReady(const Step& step);
bool isRare(const Step& step);

// Where ops are done together: in the loops that they share, or with a contraction, on its tiles.
bool isInSharedLoops(const Step& step);
bool isInRegion(const Step& step);

// Whether it asks what is read outside tensors, or anything of the operands of one op.
bool looksOutside(const Step& step);
bool anyLooksOutside(const Steps& steps);
bool asksAnOp(const Step& step);

// Operands that it copies, and iterators along which it makes loops.
std::vector<OperandName> copiedBy(const Step& step);
std::vector<std::string> loopsAlong(const Step& step);

}  // namespace einc::strategy
