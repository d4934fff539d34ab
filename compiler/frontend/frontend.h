// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Spec to Module. Every def becomes a Kernel of StructuredOps on tensors (ir.h), after its names,
// types, iterators and sizes have been checked. The rules:
//
//   Types      A tensor's element is promoted to the type its context wants (the accumulator's or
//              output's) where that loses nothing (ir::widensTo); otherwise a cast must be written.
//              Inside a cast, and on the two sides of a comparison, operands take their common
//              type.
//   Iterators  Those on the left are parallel, in their order there; all others are reductions, in
//              the order of their first appearance on the right, `<...>` included.
//   Combiners  A combiner of the spec is written out in the payload, on the types of its outputs.
//              What `=!` begins with is the function's neutral element (ir::neutralElement), the
//              one that the combiner gives, or one that is proved (neutral.h); otherwise the
//              spec is asked for it.
//   Sizes      Where a declared size says that an access always leaves its tensor, the access wins:
//              the dimension gets a size symbol of its own, and a warning.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/frontend/ast.h"
#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"

namespace einc::frontend {

struct Options {
  std::map<std::string, std::string> types;  // type parameter -> type name
  bool assumeTypes = false;  // a type parameter without a type is taken as f32 (einc check)
  // If there are any, other defs are left out: the types need not suit them.
  std::vector<std::string> only = {};
  bool notes = false;  // on what may be taken for something else (einc check)
};

// Nothing if there were errors. Names in options.types that no def declares are the caller's to
// report (see typeParameterNames).
std::optional<ir::Module> buildModule(const Spec& spec, const Options& options,
                                      Diagnostics& errors);

std::vector<std::string> typeParameterNames(const Spec& spec);

}  // namespace einc::frontend
