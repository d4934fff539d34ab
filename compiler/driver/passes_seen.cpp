// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/passes_seen.h"

#include <set>

#include "compiler/ir/instruction.h"
#include "compiler/ir/print.h"

namespace einc::driver {
namespace {

std::string textOf(const ir::Kernel& kernel) {
  ir::Module alone;
  alone.kernels.push_back(kernel);
  return ir::print(alone);
}

}  // namespace

void PassesSeen::begin(const ir::Module& module) {
  for (const ir::Kernel& kernel : module.kernels) last_[kernel.name] = textOf(kernel);
}

void PassesSeen::see(std::string_view pass, const ir::Module& module) {
  for (const ir::Kernel& kernel : module.kernels) {
    std::string text = textOf(kernel);
    std::string& last = last_[kernel.name];
    if (text != last) changed_[kernel.name].emplace_back(pass);
    last = std::move(text);
  }
}

std::vector<std::string> PassesSeen::of(const std::string& kernel) const {
  auto found = changed_.find(kernel);
  return found == changed_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> instructionsIn(const ir::Kernel& kernel) {
  std::set<std::string> names;
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    const ir::ValueRef value = ir::valueOf(stmt);
    if (!value) return;
    ir::forEach(value, [&](const ir::Value& node) {
      if (auto* instruct = std::get_if<ir::Instruct>(&node.node))
        names.emplace(instruct->instruction->name);
    });
  });
  return {names.begin(), names.end()};
}

}  // namespace einc::driver
