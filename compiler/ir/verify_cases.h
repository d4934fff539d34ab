// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels that break one rule of verify.def each, for its tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/verify.h"

namespace einc::ir {

// Broken by its text where the parser lets that through, otherwise by changing a good kernel.
struct Case {
  Rule rule;
  std::string what;
  std::string text;                               // of the kernel
  std::function<void(Kernel&)> change = nullptr;  // what breaks it, if the text does not
};

// verify_tiled_test.cpp
std::vector<Case> tilesAndVectors();
std::vector<Case> libraryCalls();
std::vector<Case> externalCalls();

}  // namespace einc::ir
