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
//           | "collapse" NAME {"," NAME} "as" NAME
//           | "tables" NAME
//           | "cut" NAME "at" (number | "line" "of" operand "(" INT ")") ["copying" panels]
//             "{" steps "}" "rest" "{" steps "}"
//           | "interior" NAME "{" steps "}" "border" "{" steps "}"
//           | "split" NAME "by" INT "as" NAME
//           | "spread" NAME "over" INT "as" NAME
//           | "digits" NAME "by" number "as" NAME {"," NAME "by" number "as" NAME} "{" steps "}"
//             {"left" "of" NAME "{" steps "}"}
//           | "order" NAME {"," NAME}
//           | "non_temporal" operand
//           | "pack" panels
//           | "copy" operand "(" NAME {"," NAME} ")" "as" NAME ["on" "stack"] "{" steps "}"
//           | "convert" operand "to" TYPE ["on" "stack"]
//           | "border" operand
//           | "keep" "(" NAME ":" number {"," NAME ":" number} ")"
//           | "vectorize" "(" NAME ":" INT {"," NAME ":" INT} ")" ["ahead" NAME INT] ["fit" NAME]
//             ["early"] ["variant"]
//           | "function" NAME "{" steps "}"
//           | "results" "(" NAME ":" INT {"," NAME ":" INT} ")" "{" steps "}"
//           | "scratch" "(" NAME ":" INT "," NAME ":" INT ")" [pieces] "{" steps "}"
//           | "accumulate" "(" NAME ":" INT ")" ["ahead" NAME INT]
//           | "transpose" NAME "to" NAME
//           | "loops"
//   test   := number ("==" | "<" | "<=") number
//           | "contiguous" "(" operand "," NAME ")"
//           | "borders" "(" NAME ")"
//           | "inside"
//   panels := operand "(" NAME ":" INT ")" ["along" NAME {"," NAME}] ["as" NAME] ["to" TYPE]
//             [pieces] ["on" "threads" "(" INT ")"]
//   pieces := "in" "pieces" "of" INT
//   operand := NAME ["[" INT "]"]
//   number := an index expression of IR text, over the iterators' names (how many positions each has
//             there), names of "let", sizes and attributes; with "ceildiv", too
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
