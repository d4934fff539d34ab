// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How far a correct kernel may be from the reference, element by element, for any payload. The
// kernel runs on scalars that carry their error (tracked.h). Two bounds come out: a kernel beyond
// the first is wrong; one that is often beyond the second, smaller one is suspect.
#pragma once

#include <algorithm>

#include "compiler/interp/contract.h"

namespace einc::interp {

struct Element {
  ir::Number exact;  // integers and bools: what a kernel must give, bit for bit
  double value = 0;  // floats; a NaN or an infinity must be met by the same kind
  double bound = 0;  // infinite: the inputs do not determine the element. 0: equal, bit for bit
  double typical = 0;
};

struct ExpectedTensor {
  unsigned tensor;  // an output, as an index into Kernel::tensors
  ir::ScalarType type;
  std::vector<int64_t> sizes;
  std::vector<Element> elements;  // row-major
};

struct ErrorBounds {
  Outcome outcome;  // as from run()
  std::vector<ExpectedTensor> outputs;
};

// Touches none of the arguments. To be called before the kernel under test overwrites them.
ErrorBounds bound(const ir::Kernel& kernel, const Arguments& arguments);

struct Comparison {
  int64_t elements = 0;
  int64_t wrong = 0;       // beyond the bound, or of another kind
  int64_t marginal = 0;    // within the bound, beyond the typical one
  int64_t unbounded = 0;   // not compared
  int64_t mostCommon = 0;  // how many elements have the most frequent expected value
  double worst = 0;        // the largest difference, as a fraction of its bound
  std::string firstWrong;  // "at [3, 0]: 1.5, expected 1.25 +- 1e-07"

  // No element is wrong.
  bool passes() const { return wrong == 0; }
  // The check says little: few elements are bounded, or most of them are the same.
  bool isWeak() const { return elements > 8 && 2 * std::max(unbounded, mostCommon) > elements; }
};

Comparison compare(const ExpectedTensor& expected, const View& actual);

}  // namespace einc::interp
