// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which passes change a def: seen by what it was before and is behind each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::driver {

class PassesSeen {
 public:
  // From what there is before the first pass.
  void begin(const ir::Module& module);
  void see(std::string_view pass, const ir::Module& module);
  // In order.
  std::vector<std::string> of(const std::string& kernel) const;

 private:
  std::map<std::string, std::string> last_;  // kernel -> its text
  std::map<std::string, std::vector<std::string>> changed_;
};

// The names of instructions in a kernel's code, each once.
std::vector<std::string> instructionsIn(const ir::Kernel& kernel);

}  // namespace einc::driver
