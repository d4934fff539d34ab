// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `einc check` proves of a kernel, beyond what every command refuses: that accesses stay
// inside their tensors, every element of an output is written, no local is read before it was,
// integer sums do not overflow, nothing is declared in vain. Where a proof depends on the sizes it
// gives the condition. Integer sets where maps are affine (affine/set.h), intervals where they are
// not.
//
//   lint.cpp          the order of the checks; what is declared and not used
//   lint_bounds.cpp   accesses against shapes
//   lint_writes.cpp   which elements are written, and which are read before that
//   lint_numbers.cpp  the ranges of integers
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

// Something known, and where that comes from.
struct Fact {
  SourceRange place;
  std::string text;                  // one line
  std::vector<std::string> reasons;  // one line each
};

// The kernel: structured, on tensors, with its places in the spec; sizes and attributes may have
// been fixed. Slips go to `errors` as warnings.
std::vector<Fact> lint(const ir::Kernel& kernel, Diagnostics& errors);

// ---- Shared by the checks ----

struct Lint {
  const ir::Kernel& kernel;
  Diagnostics& errors;
  std::vector<Fact> facts;

  void fact(SourceRange place, std::string text, std::vector<std::string> reasons = {});
  std::string dimension(unsigned tensor, unsigned dim) const;  // "dimension 1 of 'B'"
};

void lintBounds(Lint& lint);
void lintWrites(Lint& lint);
void lintNumbers(Lint& lint);

}  // namespace einc::frontend
