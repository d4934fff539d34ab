// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A payload that compares positions with an element which is the same for all of them, such as the length of a row, gets
// that as a number: then the comparison is one of positions alone, as guards of triangles are (ir/guard.h, facts/within.h).
//
//   before  op (n: reduction) ins(%X[n], %length[]) outs(%Y[])
//               { (x, length, y) -> add(y, select(lt(index(n), cast<i64>(length)), x, -0.0)) }
//   after   read length_read = %length[]
//           op (n: reduction) ins(%X[n]) outs(%Y[])
//               { (x, y) -> add(y, select(lt(index(n), index(length_read)), x, -0.0)) }
//
// A read number is never negative (ir.h), as names in index expressions are not. So what is subtracted from a position is
// added to both sides first, as much of it as there may be: n - m < length is n - m + 63 < length + 63 in rows m of 64.
//
// Stays: an element that is padded or computed, and positions that are no sums, or for which 64 bits may not do.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/facts/within.h"
#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

// Inputs whose elements the payload compares positions with, whatever they are of.
std::vector<size_t> comparedInputs(const ir::StructuredOp& op);
// Inputs whose elements the payload compares positions with, and which can be read before the op.
std::vector<size_t> comparedElements(const ir::Kernel& kernel, const ir::StructuredOp& op);

// Whether one of these inputs has the iterator in an index.
bool anyAlong(const ir::StructuredOp& op, const std::vector<size_t>& inputs,
              const std::string& iterator);

// Where the element of such an input is read; nothing if it is not the same for all of the op's iterations.
struct Element {
  unsigned tensor;
  std::vector<affine::Expr> index;
};
using ElementOf = std::function<std::optional<Element>(size_t input)>;

// The reads go to `reads`, each once. `tile` has all iterators of the op.
ir::StructuredOp readElements(Builder& builder, const facts::Signs& signs,
                              const std::vector<facts::Span>& tile, const ir::StructuredOp& op,
                              const ElementOf& elementOf, ir::Block& reads);

}  // namespace einc::transforms
