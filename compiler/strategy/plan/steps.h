// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is to be done with an op, as a value: a list of steps. Each changes the op, or wraps what the
// steps behind it make of it; the last says what code it becomes. A strategy decides and gives steps,
// `apply` (apply.h) does them and knows nothing of why; a user may write them (text.h).
//
//   tile m by 64                      loops over blocks of m; behind it `m` is a position in one
//   when contiguous(A, n) {           alternatives, by what holds when the kernel runs
//     cut n at n floordiv 64 * 64 {   the positions before a place, then those from it on
//       split n by 64 as n_block      n becomes n_block and n
//       vectorize (n: 64)             vectors of that many positions: the op is done
//     } rest {
//       vectorize (n: 64)
//     }
//   } otherwise {
//     loops                           scalar code: the op is done
//   }
//
// An iterator's name in a number is how many positions it has at that place; other names are sizes
// and attributes of the kernel. Steps that end before the op is done leave the rest to the model.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/syntax.h"
#include "compiler/strategy/plan/verbs.h"
#include "compiler/support/source.h"

namespace einc::strategy {

// Made, copied and compared in one place, not wherever there are steps.
struct Step {
  using Node = Verbs::AnyOf;
  template <typename Verb>
    requires(!std::is_same_v<Verb, Step>)
  Step(Verb verb, std::string why = "");  // NOLINT(google-explicit-constructor): each is a step
  Step(const Step& other);
  Step(Step&& other) noexcept;
  Step& operator=(const Step& other);
  Step& operator=(Step&& other) noexcept;
  ~Step();

  Node node;
  std::string because;      // why, for people
  SourceRange source = {};  // where the user wrote it

  // Reasons and places do not count.
  bool operator==(const Step& other) const;
};

// `first`, then `rest`.
Steps then(Step first, Steps rest);

// The word that a step begins with, and those of all verbs.
const char* verbOf(const Step& step);
std::vector<std::string> verbs();

// Tells a Syntax the text of a step behind its verb. One that fills fields in takes no const step.
void describe(Step& step, Syntax& text);
void describe(const Step& step, Syntax& text);

// The lists that stand in a step, in the order of the text.
std::vector<Steps*> listsIn(Step& step);
std::vector<const Steps*> listsIn(const Step& step);

// Whether any step is so, those in lists of steps included.
bool anyStep(const Steps& steps, const std::function<bool(const Step&)>& is);

// The names that steps have for iterators of the op.
std::set<std::string> iteratorsIn(const Steps& steps);

// How many positions an iterator has where the number stands.
affine::Expr extentOf(const std::string& iterator);
// It has so many.
Test equals(const std::string& iterator, int64_t number);

// `wanted`, or such a name that no iterator of the op and no size has.
std::string freeName(const ir::Kernel& kernel, const ir::StructuredOp& op, std::string wanted);

// What operands are called where a reduction is done in parts, for each of its lists. The memory in which
// parts leave their results is called after the outputs: "C_parts".
struct PartsNames {
  std::vector<OperandName> fill, parts, combine, rest;
};
PartsNames partsNames(const std::vector<OperandName>& names, size_t outputs);

// The names of an op's operands, inputs first: those of its tensors.
std::vector<OperandName> operandNames(const ir::Kernel& kernel, const ir::StructuredOp& op);

}  // namespace einc::strategy
