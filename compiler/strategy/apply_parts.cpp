// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/ir/uses.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/schedule.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/bound_allocs.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/hoist.h"
#include "compiler/transforms/unused.h"

namespace einc::strategy {
namespace {

using transforms::append;
using transforms::only;

// Tensors that ops use, through views, too.
std::set<unsigned> usedIn(const ir::Block& block) {
  std::set<unsigned> used;
  std::vector<std::pair<unsigned, unsigned>> views;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    if (auto* view = std::get_if<ir::View>(&stmt.node)) views.emplace_back(view->view, view->base);
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
      for (size_t i = 0; i < op->operandCount(); ++i) used.insert(op->operand(i).tensor);
  });
  for (auto view = views.rbegin(); view != views.rend(); ++view)
    if (used.count(view->first) != 0) used.insert(view->second);
  return used;
}

class Doer {
 public:
  Doer(ir::Kernel& kernel, const std::vector<Part>& parts, const ScheduleOptions& options,
       std::vector<SettingError>& errors)
      : builder_(kernel), options_(options), next_(parts.begin()), errors_(errors) {}

  ir::Block run(const ir::Block& statements) {
    ir::Block result;
    for (const ir::Stmt& stmt : statements) {
      if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node)) {
        append(result, taken(*op));
      } else if (auto* fused = std::get_if<ir::Fused>(&stmt.node)) {
        append(result, run(fused->ops));
      } else if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
        ir::Block code = run(ir::generated(*call));
        append(result, isForDevice() ? std::move(code) : inTurn(inOrder(*call), std::move(code)));
      } else if (auto* own = std::get_if<ir::ExternalCall>(&stmt.node); own && isForDevice()) {
        append(result, run(own->body));
      } else {
        result.push_back(stmt);
        const auto around = std::exchange(group_, groupIn(builder_.kernel(), stmt, group_));
        if (!std::holds_alternative<ir::ExternalCall>(stmt.node))
          for (ir::Block* inner : ir::blocksOf(result.back())) *inner = run(*inner);
        group_ = around;
      }
    }
    std::erase_if(result, [&](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      return alloc && allocated_.count(alloc->tensor) != 0;
    });
    return result;
  }

 private:
  bool isForDevice() const { return options_.target->device != nullptr; }

  // Code for a part once all of its ops are there.
  ir::Block taken(const ir::StructuredOp& op) {
    together_.push_back(op);
    if (together_.size() < next_->count) return {};
    const Part& part = *next_++;
    return done(std::exchange(together_, {}), part);
  }

  // Where a step of the user's is wrong the ops are left as they are: without it others are not as they
  // should be.
  ir::Block done(const Ops& ops, const Part& part) {
    std::vector<StepError> wrong;
    ir::Block block = bySteps(ops, part, wrong);
    if (!part.isSaid) mustBeDone(builder_.kernel(), wrong, ops[0], part.steps);
    if (wrong.empty()) return block;
    for (const StepError& error : wrong) refuse(part, error);
    block.clear();
    for (const ir::StructuredOp& op : ops) block.push_back({op});
    return block;
  }
  void refuse(const Part& part, const StepError& error) {
    const std::string name = part.count == 1 ? kSteps : kRegion;
    for (const Setting& setting : options_.settings)
      if (setting.kernel == builder_.kernel().name && setting.op == part.first &&
          setting.name == name)
        return errors_.push_back({setting, error.message, error.source});
  }

  ir::Block bySteps(const Ops& ops, const Part& part, std::vector<StepError>& wrong) {
    if (ops.size() == 1) {
      Place place{ops[0], operandNames(builder_.kernel(), ops[0])};
      if (!isForDevice()) place.number = part.first;
      place.group = group_;
      return apply(builder_, std::move(place), part.steps, options_, wrong);
    }
    ir::Block block = apply(builder_, ops, part.first, part.steps, options_, wrong);
    const bool hasTiles = options_.target->vectorBytes > 0;
    const bool areOnTiles = std::any_of(ops.begin(), ops.end(), [&](const ir::StructuredOp& op) {
      return hasTiles && mayHaveTiles(builder_.kernel(), op);
    });
    if (!isForDevice() && !areOnTiles) sinkAllocs(ops, block);
    return block;
  }

  // Memory of the kernel that the first of two ways alone uses is taken there.
  void sinkAllocs(const Ops& ops, ir::Block& block) {
    auto* test = block.empty() ? nullptr : std::get_if<ir::If>(&block.back().node);
    if (!test) return;
    const std::set<unsigned> there = usedIn(test->then), otherwise = usedIn(test->otherwise);
    std::map<unsigned, size_t> users;  // of other ops
    ir::forEachOp(builder_.kernel().body, [&](const ir::StructuredOp& op) {
      for (unsigned tensor : usedIn(only({op}))) ++users[tensor];
    });
    for (const ir::StructuredOp& op : ops)
      for (unsigned tensor : usedIn(only({op}))) --users[tensor];
    for (unsigned tensor : ir::viewedIn(builder_.kernel().body)) ++users[tensor];
    for (const ir::Stmt& stmt : builder_.kernel().body) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      if (!alloc || there.count(alloc->tensor) == 0 || otherwise.count(alloc->tensor) != 0 ||
          users[alloc->tensor] > 0)
        continue;
      test->then.insert(test->then.begin(), {ir::Alloc{alloc->tensor}});
      allocated_.insert(alloc->tensor);
    }
  }

  transforms::Builder builder_;
  const ScheduleOptions& options_;
  std::vector<Part>::const_iterator next_;
  std::vector<SettingError>& errors_;
  std::optional<Group> group_;    // that ops stand in
  Ops together_;                  // of the next part those that were met
  std::set<unsigned> allocated_;  // tensors of the kernel that get their memory where they are used
};

}  // namespace

ir::Kernel apply(const ir::Kernel& kernel, const std::vector<Part>& parts,
                 const ScheduleOptions& ofAll, std::vector<SettingError>& errors) {
  const ScheduleOptions options = ofKernel(ofAll, kernel.name);
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  ir::Block body = Doer(result, parts, options, errors).run(kernel.body);
  result.body = std::move(body);
  const bool isForDevice = options.target->device != nullptr;
  if (!isForDevice) transforms::boundAllocs(result);
  result = transforms::canonicalize(std::move(result), {.keepsLoops = isForDevice});
  if (!isForDevice) transforms::hoistAllocs(result);
  transforms::dropUnused(result);
  return result;
}

}  // namespace einc::strategy
