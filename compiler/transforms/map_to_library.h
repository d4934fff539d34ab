// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that a function of a library computes become calls of it, by their maps, iterator kinds and
// payload (libcalls/calls.def has the functions).
//
//   before  fused {
//             op (a: parallel, b: parallel, j: parallel) outs(%C[a, b, j]) { (c) -> 0 }
//             op (a: parallel, b: parallel, j: parallel, k: reduction)
//                 ins(%A[a, b, k], %B[k, j]) outs(%C[a, b, j]) { (x, y, c) -> add(c, mul(x, y)) }
//           }
//   after   library cblas gemm (m: a b, k: k, n: j) beta 0
//               op (a: parallel, ...) ins(%A[a, b, k], %B[k, j]) outs(%C[a, b, j]) ...
//           else { fused { ... } }
//
// Iterators are sorted by the operands in which they stand. Those of one letter are one dimension
// where each is as long as its neighbour is apart: of dimensions that are neighbours in all
// operands that is so if there are no gaps, and asked at run time. Others, and those of all
// operands, are loops around the call. A factor of all terms is alpha; of what was there, or the
// first value, beta.
//
// Ops that stand in loops are called for on what they have of the tensors there, unless threads share the loops: a library has
// threads of its own.
//
// Refused, with the reason, and what would mend it: other types than f32 and f64, or several; what
// is read outside its tensor; a payload that is no sum of products of two elements and scalars, nor
// a scaled copy; an iterator that is in one operand alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/library_rule.h"
#include "compiler/support/result.h"

namespace einc::transforms {

// The call with an empty body, and beta 1, in place of the op.
Result<ir::LibraryCall> libraryCall(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                    const std::string& library);

// The rules for an op, by its number in the kernel.
using LibraryRules = std::function<std::vector<ir::LibraryRule>(unsigned op)>;

// On buffers. Rules for sizes that are known are decided here; those about iterators that the op
// does not have never hold.
ir::Kernel mapToLibrary(const ir::Kernel& kernel, const LibraryRules& rules);

}  // namespace einc::transforms
