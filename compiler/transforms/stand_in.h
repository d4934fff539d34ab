// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A number that stands for a bound where that is infinite, so that there is no inf - inf:
//
//   op (m, n: reduction) ins(%X[m, n]) outs(%L[m]) { max(l, x) }
//   op (m) ins(%L[m]) outs(%S[m]) { select(lt(abs(l), inf), l, 0) }
//   op (m, n: reduction) ins(%X[m, n], %S[m]) outs(%T[m]) { add(t, exp(sub(x, s))) }
//
// Where the bound is finite it is the bound. Before any finite number has come all terms are exp(-inf) = 0; and once inf has come,
// a term is exp(inf). So a sum in rounds (cascade.h) may be moved as if it were the bound itself. For that, what reads S
// reads L, and finds S:
//
//   after   op (m, n: reduction) ins(%X[m, n], %L[m]) outs(%T[m]) { add(t, exp(sub(x, select(lt(abs(l), inf), l, 0)))) }
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// The operand for which a value stands; null if it is no such value.
ir::ValueRef stoodInFor(const ir::ValueRef& value);

// The ops, which stand one behind the other: reductions read bounds, and not what stands for them.
void readBounds(const ir::Kernel& kernel, std::vector<ir::StructuredOp>& ops);

}  // namespace einc::transforms
