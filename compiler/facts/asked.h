// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is left to ask when generated code runs, where facts do not know it: of each language's printer
// the same questions, which it writes as expressions.
//
//   facts.ask(unit %V along 1)          stride of A along 1 is 1
//   facts.ask(even %V along 0)          where V(i) is A(i floordiv N, i mod N): stride of A along 0 is N strides along 1
//   facts.ask(aligned %A along 1 to 64) A begins at a multiple of 64 bytes, and its stride along 0 is
//                                       a multiple of 16 elements
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/facts/views.h"
#include "compiler/ir/ir.h"

namespace einc::facts {

struct Comparison {
  enum class Sign : uint8_t { Equal, Less, LessEqual, AtLeast };
  affine::Expr left;
  Sign sign;
  affine::Expr right;
  bool operator==(const Comparison&) const = default;
};
using Comparisons = std::vector<Comparison>;

// What a distance in memory, in elements, has to be: one, or a multiple of `elements`.
struct Length {
  std::optional<int64_t> multipleOf = std::nullopt;
  bool operator==(const Length&) const = default;
};
// From one position along a dimension of an argument to the next one.
struct Stride {
  unsigned tensor, dim;
  Length length;
  bool operator==(const Stride&) const = default;
};
// From one element of a tensor to another.
struct Distance {
  unsigned tensor;
  Index from, to;
  Length length;
  bool operator==(const Distance&) const = default;
};
// Along a dimension of an argument neighbours are as far apart as `count` along another one.
struct Apart {
  unsigned tensor, outer, inner;
  affine::Expr count;
  bool operator==(const Apart&) const = default;
};
// The first element of the tensor is at a multiple of so many bytes, more than it takes.
struct Start {
  unsigned tensor;
  int64_t bytes;
  bool operator==(const Start&) const = default;
};
// So many places in a table, from this one on, follow one another.
struct Run {
  unsigned table;
  affine::Expr first, size;
  bool operator==(const Run&) const = default;
};
using Question = std::variant<Comparison, Stride, Distance, Apart, Start, Run>;

// It is known, or holds where all of these do; each stands once.
struct Asked {
  std::optional<bool> known;
  std::vector<Question> questions = {};

  static Asked yes() { return {true}; }
  static Asked no() { return {false}; }
  static Asked of(std::vector<Question> questions) {
    return questions.empty() ? yes() : Asked{std::nullopt, std::move(questions)};
  }
  // Both hold.
  Asked operator&(const Asked& other) const;
  bool operator==(const Asked&) const = default;
};

}  // namespace einc::facts
