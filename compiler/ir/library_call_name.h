// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The external function of a def with library_call<...>: the name that was given, or Linalg's,
// which is made of the types of the operands, inputs first, then outputs:
//
//   def matmul(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N))
//     linalg_matmul_viewsxsxf32_viewsxsxf32_viewsxsxf32
//   def scale(alpha: f64, x: f64(8)) -> (s: f64())
//     linalg_scale_f64_view8xf64_viewf64
//
// "s" is a size that is no constant. Types are spelled as MLIR's, whose integers have no sign: u8
// is i8 there, bool i1.
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace einc::ir {

// Of a kernel with libraryCall. A name of types has no place for attributes but parameters.
std::string libraryCallName(const Kernel& kernel);

}  // namespace einc::ir
