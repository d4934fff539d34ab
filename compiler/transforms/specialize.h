// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Gives sizes and attributes fixed values.
//
//   before  kernel @scale(%A: tensor<M x N x f32>) -> (%C: ...) attr(s: f32, strides: 1xi64)
//             op (m: parallel) ins(%A[m * strides[0], n]) outs(%C[m, n]) { (a, c) -> mul(a, s) }
//   after   M = 8, s = 2, strides = [3]:
//           kernel @scale(%A: tensor<8 x N x f32>) -> (...)
//             op (m: parallel) ins(%A[m * 3, n]) outs(%C[m, n]) { (a, c) -> mul(a, 2.0_f32) }
//
// Afterwards the names stand nowhere: fixed sizes are checked against the arguments like any other,
// fixed attributes have left the signature. Iterators keep their extents: where %A[m * s] becomes
// %A[m], which would give m another one, the op names the operand that gave it before once more,
// for its shape.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::transforms {

struct Fixed {
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::vector<ir::Number>> attributes;  // all elements
};

// Names that the kernel does not have are ignored. Any level. Why not: a value that makes an index
// overflow or divide by zero, a size negative, a tensor or statement too large (ir/size_limit.h), or
// a list shorter than the kernel's use of it.
Result<ir::Kernel> specialize(const ir::Kernel& kernel, const Fixed& fixed);

}  // namespace einc::transforms
