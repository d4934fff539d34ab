// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Steps as text, which reads back as it was printed:
//
//   steps := step*
//   step  := the word of a verb (verbs.h) and what its `describe` says
//
// A list in a step stands in braces. A reason stands behind its step, as a comment.
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/ir/token_stream.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/text_writer.h"

namespace einc::strategy {

void print(const Steps& steps, TextWriter& out);

// One step on a line; of what has ways, its first line.
std::string print(const Step& step);

// Up to the "}" that ends the list, which stays. After an error what was read before it.
Steps parseSteps(ir::TokenStream& in);

}  // namespace einc::strategy
