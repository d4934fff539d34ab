// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What functions of the user's own compute becomes calls of them: all of a def with library_call,
// or the ops for which a schedule names a function.
//
//   before  library_call "my_f" level buffers
//             alloc %T
//             op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }
//             op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, s) }
//   after     external my_f (%A, s, %C) {
//               alloc %T
//               op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }
//               op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, s) }
//             }
//
//   before    op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, s) }
//   after     external my_f (%T, s, %C) {
//               op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, s) }
//             }
//
// The function of a def takes what the def takes, in that order. That of an op takes the tensors
// that it reads, the scalars that it computes with, the tensors that it writes, and attributes.
// Such an op leaves the fused region in which it was; others of it stay together if what one gives
// another is for them alone.
//
// Refused, with the reason: a name that is none in C; an op that computes with a size that is none
// of its operands'.
#pragma once

#include <map>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::transforms {

// By the op's number in the order of the kernel's.
using ExternalFunctions = std::map<unsigned, std::string>;

Result<ir::ExternalCall> externalCall(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                      const std::string& function);

// On buffers. Ops for which a call is refused stay, and numbers of which there are no ops are left
// out.
ir::Kernel callExternal(const ir::Kernel& kernel, const ExternalFunctions& ofOps);

}  // namespace einc::transforms
