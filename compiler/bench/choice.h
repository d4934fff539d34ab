// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// From what was measured at some sizes, which way an op is done at all sizes: a small decision tree
// (Breiman et al., Classification and Regression Trees, 1984), whose branches compare an iterator's
// extent, or the product of all extents, with a bound between two that were measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/library_rule.h"

namespace einc::bench {

struct Measured {
  std::map<std::string, int64_t> extents;  // of the op's iterators, all positive
  std::vector<double> seconds;             // of one run: generated, then with each library
};

// The rules under which the libraries are asked; none where the generated kernel is as fast. A
// library has to be faster by 3 %, and a branch has to save as much, on the geometric mean.
std::vector<ir::LibraryRule> chooseRules(const std::vector<std::string>& libraries,
                                         const std::vector<Measured>& points);

}  // namespace einc::bench
