// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sizes to measure at: "M=16,64", and of several that change together "M,N=16,64".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/support/result.h"

namespace einc::driver {

using Sizes = std::map<std::string, int64_t>;

// Sizes that change together, and their values in turn.
struct SizeRange {
  std::vector<std::string> names;
  std::vector<int64_t> values;
};

// A name stands once; sizes are from 1 on.
Result<std::vector<SizeRange>> parseSizes(const std::vector<std::string>& texts);

// All combinations for these symbols, the last range changes fastest; the reason names symbols
// without sizes.
Result<std::vector<Sizes>> combine(const std::vector<SizeRange>& ranges,
                                   const std::vector<std::string>& symbols);

}  // namespace einc::driver
