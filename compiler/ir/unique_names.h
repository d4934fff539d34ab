// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// New names for payload arguments and variables, apart from all that are taken.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "compiler/ir/ir.h"

namespace einc::ir {

class UniqueNames {
 public:
  // Taken: the kernel's sizes and attributes, and what literals are called.
  explicit UniqueNames(const Kernel& kernel);

  void take(std::string name) { taken_.insert(std::move(name)); }
  // `wanted` in lower case, with a number behind it if that is taken.
  std::string make(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::unordered_map<std::string, unsigned> last_;  // the numbers given so far
};

}  // namespace einc::ir
