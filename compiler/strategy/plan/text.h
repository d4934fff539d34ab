// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Steps as text, which reads back as it was printed.
//
//   steps  := step*
//   step   := "tile" NAME "by" number ["on" "threads" "(" INT ["outer"] ")"]
//           | "when" test {"and" test} "{" steps "}" ["otherwise" "{" steps "}"]
//           | "let" NAME "=" (number | "min" "(" number {"," number} ")")
//           | "parts" NAME "by" number "as" NAME "{" steps "}" "fill" "{" steps "}" "combine" "{" steps "}"
//             "rest" "{" steps "}"
//           | "cut" NAME "at" (number | "line" "of" operand "(" INT ")") "{" steps "}" "rest" "{" steps "}"
//           | "interior" NAME "{" steps "}" "border" "{" steps "}"
//           | "split" NAME "by" INT "as" NAME
//           | "spread" NAME "over" INT "as" NAME
//           | "digits" NAME "by" number "as" NAME {"," NAME "by" number "as" NAME} "{" steps "}"
//             {"left" "of" NAME "{" steps "}"}
//           | "order" NAME {"," NAME}
//           | "non_temporal" operand
//           | "pack" operand "(" NAME ":" INT ")"
//           | "vectorize" "(" NAME ":" INT {"," NAME ":" INT} ")" ["ahead" NAME INT] ["fit" NAME]
//             ["variant"]
//           | "accumulate" "(" NAME ":" INT ")" ["ahead" NAME INT]
//           | "transpose" NAME "to" NAME
//           | "loops"
//   test   := number ("==" | "<" | "<=") number
//           | "contiguous" "(" operand "," NAME ")"
//           | "borders" "(" NAME ")"
//           | "inside"
//   operand := NAME ["[" INT "]"]
//   number := an index expression of IR text, over the iterators' names (how many positions each has
//             there), names of "let", sizes and attributes
//
// A reason stands behind its step, as a comment.
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
