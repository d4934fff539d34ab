// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sums of products of narrow integers, in vector regions, as vectors compute them best. What is subtracted from the factor that
// lies in vectors, and is the same for the whole sum, is made up for behind it, by a sum of the other factor:
//
//   before  for k = 0 .. K reduction {                         after  let sum: i32 over (m) = 0_i32
//             let a: u8 over (m) = %A[m, k]                           for k = 0 .. K reduction {
//             let b: i8 over (n) = %B[k, n]                             let a: u8 over (m) = %A[m, k]
//             c = add(c, mul(sub(cast<i32>(a), x),                      let b: i8 over (n) = %B[k, n]
//                            sub(cast<i32>(b), z)))                     c = add(c, mul(sub(cast<i32>(a), x), cast<i32>(b)))
//           }                                                           sum = add(sum, sub(cast<i32>(a), x))
//                                                                     }
//                                                                     c = sub(c, mul(sum, z))
//
// In a loop, a product of numbers of 16 bits that is added is an instruction's of two such products, of which the other one is of nothing:
// where one factor is the same along the vector, its upper half is emptied before it is broadcast; or that of the vector, where
// this is for many of those.
//
//   before  c = add(c, mul(sub(cast<i32>(a), cast<i32>(x)), cast<i32>(b)))
//   after   c = vpdpwssd(c, cast<i32>(cast<u16>(sub(cast<i32>(a), cast<i32>(x)))), cast<i32>(b))
//
// Where a factor is an unsigned one that is widened, compilers see that themselves. All is exact: sums of integers wrap.
#pragma once

#include "compiler/ir/instruction.h"
#include "compiler/ir/ir.h"

namespace einc::transforms {

// At level vector. `pairs` adds two products of signed numbers of 16 bits to each lane; null: nothing does.
ir::Kernel multiplyNarrow(ir::Kernel kernel, const ir::Instruction* pairs);

}  // namespace einc::transforms
