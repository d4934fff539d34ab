// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/verify_each.h"

#include <set>

#include "compiler/ir/verify.h"
#include "compiler/strategy/plan/prefixes.h"
#include "compiler/strategy/plan/text.h"

namespace einc::pipeline {
namespace {

// What sizes are compared with, or divided by: tiles and vectors.
std::set<int64_t> numbersIn(const ir::Block& block) {
  std::set<int64_t> numbers;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    auto add = [&](const affine::Expr& e) {
      if (auto number = e.asConstant()) numbers.insert(*number);
    };
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) add(loop->step);
    if (auto* test = std::get_if<ir::If>(&stmt.node))
      for (const ir::Condition& condition : test->conditions) {
        add(condition.left);
        add(condition.right);
      }
    auto axes = [&](const std::vector<ir::Axis>& of) {
      for (const ir::Axis& axis : of) numbers.insert(axis.size);
    };
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) axes(op->axes);
    if (auto* region = std::get_if<ir::Vector>(&stmt.node)) axes(region->axes);
  });
  return numbers;
}

}  // namespace

interp::Instances& VerifyEach::instancesOf(const ir::Kernel& kernel) {
  return instances_.try_emplace(kernel.name, *kernel.contract).first->second;
}

std::optional<std::string> VerifyEach::findDifference(const ir::Kernel& kernel) {
  interp::Instances& instances = instancesOf(kernel);
  if (kernel.level == ir::Level::Tiled) instances.around(numbersIn(kernel.body));
  auto difference = instances.findDifference(kernel);
  if (!difference) return std::nullopt;
  return "@" + kernel.name + ", " + *difference;
}

std::optional<WrongStep> VerifyEach::findWrongStep(const ir::Kernel& kernel,
                                                   const std::vector<strategy::Part>& parts,
                                                   const strategy::ScheduleOptions& options) {
  for (const strategy::Part& part : parts) {
    const size_t op = part.first;
    if (auto whole = strategy::withSteps(kernel, op, part.steps, options, part.count))
      instancesOf(kernel).around(numbersIn(whole->body));
    std::optional<WrongStep> now;  // the steps since the last whole kernel
    for (const strategy::Prefix& prefix : strategy::prefixesOf(part.steps)) {
      const std::string line = "'" + strategy::print(prefix.last) + "'";
      now = now ? WrongStep{now->step + ", " + line, now->source, op, ""}
                : WrongStep{line, prefix.last.source, op, ""};
      auto form = strategy::withSteps(kernel, op, prefix.steps, options, part.count);
      if (!form) continue;
      if (auto violations = ir::verify(*form); !violations.empty())
        now->reason = "@" + kernel.name + ", " + violations.front().str();
      else
        now->reason = findDifference(*form).value_or("");
      if (!now->reason.empty()) return now;
      now.reset();
    }
  }
  return std::nullopt;
}

std::vector<std::string> VerifyEach::unseen() const {
  std::vector<std::string> names;
  for (const auto& [name, instances] : instances_)
    if (instances.empty()) names.push_back(name);
  return names;
}

}  // namespace einc::pipeline
