// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/printable.h"

#include <string>

#include "compiler/ir/instruction.h"
#include "compiler/strategy/instructions.h"
#include "compiler/strategy/options.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::pipeline {
namespace {

class Finder {
 public:
  Finder(const ir::Kernel& kernel, const strategy::ScheduleOptions& options)
      : kernel_(kernel), options_(options), target_(*options.target) {}

  std::optional<Reason> find() {
    const std::string name = "@" + kernel_.name, is = name + " is at level " + levelName();
    if (!kernel_.contract)
      return Reason{is +
                    ", where nothing says what its calls must keep: '} contract { ... }' with "
                    "its ops on tensors does"};
    if (kernel_.contiguous && !options_.contiguous)
      return Reason{name + " is written for contiguous tensors: give --strides=contiguous"};
    const bool dispatches = ir::hasDispatch(kernel_.body);
    if (dispatches && !target_.device)
      return Reason{name + " has dispatches, which run on a device, and " + targetName() +
                    " is none: --target=vulkan"};
    if (target_.device && !dispatches && kernel_.level > ir::Level::Tiled)
      return Reason{is + " without dispatches, and on " + targetName() + " there is nothing else"};
    ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
      if (!reason_) reason_ = findIn(stmt);
    });
    return reason_;
  }

  // At any level: what a device does not, and what nothing else does.
  std::optional<Reason> findOfOtherTargets() const {
    std::optional<Reason> reason;
    ir::forEachStatement(kernel_.body, [&](const ir::Stmt& stmt) {
      auto* read = std::get_if<ir::Read>(&stmt.node);
      if (read && target_.device)
        reason = Reason{"@" + kernel_.name + " reads '" + read->name +
                        "', an element that says how far a loop runs, which shaders do not"};
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      if (loop && loop->on != ir::On::Order && !target_.device)
        reason = Reason{"the loop '" + loop->var + "' of @" + kernel_.name +
                        " is on workgroups or invocations of a device, and " + targetName() +
                        " is none: --target=vulkan"};
    });
    return reason;
  }

 private:
  std::string levelName() const { return std::string(ir::nameOf(kernel_.level)); }
  std::string targetName() const { return std::string(target_.name); }

  std::optional<Reason> findIn(const ir::Stmt& stmt) const {
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node); loop && loop->grain)
      return onThreads(loop->var);
    if (auto* region = std::get_if<ir::Vector>(&stmt.node)) return findIn(*region);
    const bool calls = std::holds_alternative<ir::LibraryCall>(stmt.node) ||
                       std::holds_alternative<ir::ExternalCall>(stmt.node);
    if (calls && target_.device)
      return Reason{"@" + kernel_.name + " calls functions of the CPU, and " + targetName() +
                    " is a device"};
    return std::nullopt;
  }

  std::optional<Reason> onThreads(const std::string& loop) const {
    if (target_.device)
      return Reason{"the loop '" + loop + "' of @" + kernel_.name + " is on threads, and " +
                    targetName() + " has none"};
    if (options_.threads > 1) return std::nullopt;
    return Reason{"the loop '" + loop + "' of @" + kernel_.name +
                  " is on threads: give --threads=N, more than 1"};
  }

  std::optional<Reason> findIn(const ir::Vector& region) const {
    if (kernel_.level < ir::Level::Hardware) return std::nullopt;
    if (target_.device && !region.times.empty())
      return Reason{"@" + kernel_.name + " repeats vectors ('times'), which shaders do not"};
    std::optional<Reason> reason;
    for (const ir::Axis& axis : region.axes)
      ir::forEachStatement(region.body, [&](const ir::Stmt& stmt) {
        if (!reason) reason = findIn(stmt, axis);
      });
    return reason;
  }

  // A value in a register that is too small for it.
  std::optional<Reason> findIn(const ir::Stmt& stmt, const ir::Axis& axis) const {
    const auto bytes = axis.size * widestOn(stmt, axis.name);
    if (target_.device ? axis.size <= 4 : bytes <= target_.vectorBytes) return std::nullopt;
    const std::string has = target_.device ? "vectors of 4 lanes"
                            : target_.vectorBytes == 0
                                ? "no vectors"
                                : "vectors of " + std::to_string(target_.vectorBytes) + " bytes";
    return Reason{"@" + kernel_.name + " is at level hardware, with vectors of " +
                  std::to_string(axis.size) + " lanes (" + axis.name + "), and " + targetName() +
                  " has " + has};
  }

  // Bytes of the widest type that a statement stores, keeps or loads along an axis; at least 1.
  int64_t widestOn(const ir::Stmt& stmt, const std::string& axis) const {
    int64_t widest = 1;
    auto* let = std::get_if<ir::Let>(&stmt.node);
    auto* store = std::get_if<ir::Store>(&stmt.node);
    if (let && llvm::is_contained(let->axes, axis)) widest = ir::info(let->value->type).bytes();
    if (store && uses(store->index, axis))
      widest = ir::info(kernel_.tensors[store->tensor].type).bytes();
    // A word of two halves is in two registers.
    const ir::ValueRef value = ir::valueOf(stmt);
    return widest == 8 && value && !ir::halvesIn(value).empty() ? 4 : widest;
  }

  static bool uses(const std::vector<affine::Expr>& index, const std::string& axis) {
    return llvm::any_of(
        index, [&](const affine::Expr& e) { return llvm::is_contained(e.iterators(), axis); });
  }

  const ir::Kernel& kernel_;
  const strategy::ScheduleOptions& options_;
  const target::Target& target_;
  std::optional<Reason> reason_;
};

}  // namespace

std::optional<Reason> findUnprintable(const ir::Kernel& kernel,
                                      const strategy::ScheduleOptions& options) {
  const ir::Instruction* instruction = ir::instructionIn(kernel);
  if (instruction && !strategy::has(*options.target, *instruction))
    return Reason{"@" + kernel.name + " has the instruction " + std::string(instruction->name) +
                  ", and " + std::string(options.target->name) + " has not"};
  Finder finder(kernel, options);
  if (auto reason = finder.findOfOtherTargets()) return reason;
  return kernel.level < ir::Level::Tiled ? std::nullopt : finder.find();
}

}  // namespace einc::pipeline
