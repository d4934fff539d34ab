// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/ways_on_device.h"

#include <utility>

#include "compiler/strategy/fusion/rounds_in_group.h"
#include "compiler/transforms/rounds.h"
#include "compiler/transforms/rounds_on_workgroups.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::nameOf;
using transforms::Rounds;
using Conditions = std::vector<ir::Condition>;
using Kind = ir::Condition::Kind;

Expr countOf(const Expr& positions, int64_t by) {
  return (positions + constant(by - 1)).floorDiv(constant(by));
}
Expr tilesOf(const Rounds& rounds) {
  Expr tiles = constant(1);
  for (const Rounds::Loop& loop : rounds.outer) tiles = tiles * countOf(loop.extent, loop.tile);
  return tiles;
}

// That keep the device busy.
int64_t groupsOf(const target::Device& device) {
  return device.units * device.numbers.groupsPerUnit;
}

// Where parts fit; or why they nowhere do.
std::optional<Reason> fitParts(const ir::Kernel& kernel, const Rounds& rounds, int64_t width,
                               const target::Device& device, Conditions& where) {
  if (auto reason = transforms::whyNotOnWorkgroups(rounds)) return reason;
  ir::Kernel aside = kernel;
  transforms::Builder builder(aside);
  auto cut = transforms::onWorkgroups(
      builder, rounds,
      {width, countOf(rounds.along.extent, width), builder.name(nameOf(rounds.along) + "_part")});
  cut.parts.along.extent = constant(width);
  if (auto reason = tooLarge(aside, cut.parts, device)) return reason;
  if (auto reason = limitLoops(aside, cut.parts, device, where)) return reason;
  return limitLoops(aside, cut.rest, device, where);
}

}  // namespace

PlanOnDevice planOnDevice(const ir::Kernel& kernel, const FoundRounds& found, const Rounds& rounds,
                          const ScheduleOptions& options) {
  const target::Device& device = *options.target->device;
  PlanOnDevice plan;
  Conditions whole = found.where, parts = found.where;
  plan.notWhole = limitLoops(kernel, rounds, device, whole);
  const bool mayBeTooLong = plan.notWhole || whole.size() > found.where.size();
  if (!plan.notWhole) plan.whole = std::move(whole);
  if (!found.parts) return plan;
  const int64_t groups = groupsOf(device), width = found.parts->width;
  const auto tiles = tilesOf(rounds).asConstant(), positions = rounds.along.extent.asConstant();
  if (positions && *positions <= width)
    plan.noParts = Reason{"there is one part"};
  else if (tiles && *tiles >= groups && !mayBeTooLong)
    plan.noParts = Reason{"there are " + std::to_string(*tiles) + " tiles, and " +
                          std::to_string(groups) + " workgroups keep the device busy"};
  else
    plan.noParts = fitParts(kernel, rounds, width, device, parts);
  if (plan.noParts) return plan;
  plan.parts = std::move(parts);
  if (!tiles || *tiles < groups) plan.enough = tilesOf(rounds).floorDiv(constant(groups));
  if (tiles && plan.enough && positions) plan.whole.reset();
  plan.text = ", which workgroups share in parts of " + std::to_string(width);
  if (plan.whole && plan.enough)
    plan.text += " where there are fewer than " + std::to_string(groups) + " tiles";
  if (plan.whole && mayBeTooLong)
    plan.text += std::string(plan.enough ? " or" : " where there are") +
                 " more rounds of loops than an invocation may run";
  return plan;
}

std::optional<Reason> partOnDevice(const ir::Kernel& kernel, FoundRounds& found,
                                   const ScheduleOptions& options) {
  found.parts = {options.target->device->numbers.groupPart, 0};
  const PlanOnDevice plan = planOnDevice(kernel, found, found.rounds, options);
  if (!plan.parts) found.parts.reset();
  return plan.parts ? std::nullopt : plan.notWhole;
}

std::optional<Reason> refusedOnDevice(const ir::Kernel& kernel, const FoundRounds& found,
                                      const ScheduleOptions& options) {
  if (auto reason = tooLarge(kernel, found.rounds, *options.target->device)) return reason;
  const PlanOnDevice plan = planOnDevice(kernel, found, found.rounds, options);
  if (!found.parts) return plan.notWhole;
  if (!plan.noParts) return std::nullopt;
  const std::string step = "tile " + nameOf(found.rounds.along) + " by " +
                           std::to_string(found.parts->width) + " on workgroups";
  return Reason{plan.noParts->text + ": leave out '" + step + "'"};
}

namespace {

class Maker {
 public:
  Maker(transforms::Builder& builder, const ir::Kernel& kernel, const FoundRounds& found,
        const ScheduleOptions& options)
      : builder_(builder), kernel_(kernel), found_(found), options_(options) {}

  std::vector<Way> run() {
    Expr rows;
    const auto ofOne = ofOneRow(kernel_, found_.rounds, options_, rows);
    if (!ofOne) {
      add(found_.rounds, {});
      return std::move(ways_);
    }
    const Conditions areSeveral = {{Kind::Less, constant(1), rows}};
    add(found_.rounds, areSeveral);
    const bool isAsked = ways_.back().where != areSeveral;
    add(*ofOne, isAsked ? Conditions{{Kind::LessEqual, rows, constant(1)}} : Conditions());
    return std::move(ways_);
  }

 private:
  void add(const Rounds& rounds, const Conditions& first) {
    const PlanOnDevice plan = planOnDevice(kernel_, found_, rounds, options_);
    if (plan.whole) {
      Way way{first, {}};
      if (plan.parts && plan.enough) way.where.push_back(isInOnePart(*plan.enough, way.block));
      llvm::append_range(way.where, *plan.whole);
      transforms::append(way.block, transforms::inRounds(builder_, rounds));
      ways_.push_back(std::move(way));
    }
    if (plan.parts) {
      Way way{first, {}};
      llvm::append_range(way.where, *plan.parts);
      makeParts(rounds, way.block);
      ways_.push_back(std::move(way));
    }
  }

  // Where there are tiles enough, one part has all positions.
  ir::Condition isInOnePart(const Expr& enough, ir::Block& bounds) {
    const Expr positions = found_.rounds.along.extent;
    const Expr many = enough.asConstant() ? enough : named("many", {constant(1), enough}, bounds);
    return {Kind::LessEqual, positions, constant(found_.parts->width) + positions * many};
  }
  void makeParts(const Rounds& rounds, ir::Block& block) {
    if (!parts_) {
      const int64_t width = found_.parts->width;
      const Expr count = countOf(rounds.along.extent, width);
      parts_ = {width, count.asConstant() ? count : named("parts", {count}, block),
                builder_.name(nameOf(rounds.along) + "_part")};
    }
    const auto cut = transforms::onWorkgroups(builder_, rounds, *parts_);
    transforms::append(block, transforms::inRounds(builder_, cut.parts));
    transforms::append(block, transforms::inRounds(builder_, cut.rest));
  }
  Expr named(const std::string& wanted, std::vector<Expr> of, ir::Block& bounds) {
    const std::string name = builder_.name(nameOf(found_.rounds.along) + "_" + wanted);
    bounds.push_back({ir::Bound{name, std::move(of)}});
    return transforms::size(name);
  }

  transforms::Builder& builder_;
  const ir::Kernel& kernel_;
  const FoundRounds& found_;
  const ScheduleOptions& options_;
  std::vector<Way> ways_;
  std::optional<transforms::PartsOnWorkgroups> parts_;  // the same for all tiles
};

}  // namespace

std::vector<Way> waysOnDevice(transforms::Builder& builder, const ir::Kernel& kernel,
                              const FoundRounds& found, const ScheduleOptions& options) {
  return Maker(builder, kernel, found, options).run();
}

}  // namespace einc::strategy
