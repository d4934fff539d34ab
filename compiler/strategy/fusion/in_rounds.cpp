// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_rounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/fusion/find_rounds.h"
#include "compiler/strategy/fusion/only_where.h"
#include "compiler/strategy/fusion/rounds_in_group.h"
#include "compiler/strategy/fusion/ways_on_device.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/rounds.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::nameOf;
using transforms::Rounds;

constexpr int64_t kMostInTile = 65536;

// The loops, as steps: with names of the first op that has one.
std::vector<Rounds::Loop*> loopsOf(Rounds& rounds) {
  std::vector<Rounds::Loop*> loops;
  for (Rounds::Loop& loop : rounds.outer) loops.push_back(&loop);
  loops.push_back(&rounds.along);
  return loops;
}
Step partsStep(const FoundRounds& found, bool isOnDevice) {
  TileStep step{nameOf(found.rounds.along), transforms::constant(found.parts->width)};
  step.onWorkgroups = isOnDevice;
  if (!isOnDevice) step.threads = Threads{found.parts->work};
  return {std::move(step), isOnDevice ? "parts, where tiles are too few for workgroups"
                                      : "parts, where tiles are too few for threads"};
}

RoundsReport reportOf(const ir::Kernel& kernel, FoundRounds& found,
                      const ScheduleOptions& options) {
  Rounds& rounds = found.rounds;
  RoundsReport report{found.first, found.last(), {}, ""};
  const bool isOnDevice = options.target->device != nullptr;
  for (const Rounds::Loop* loop : loopsOf(rounds)) {
    const bool isRound = loop == &rounds.along;
    if (isRound && found.parts) report.tiles.push_back(partsStep(found, isOnDevice));
    report.tiles.push_back(Step(TileStep{nameOf(*loop), transforms::constant(loop->tile)},
                                isRound           ? "what ops leave for each other is a tile"
                                : loop->tile == 1 ? "each by itself"
                                                  : "so many share what they read along a round"));
  }
  std::vector<std::string> outer;
  for (const Rounds::Loop& loop : rounds.outer)
    outer.push_back(std::to_string(loop.tile) + " '" + nameOf(loop) + "'");
  report.text = "tile by tile of " + joined(outer, " and ") + ", in rounds of " +
                std::to_string(rounds.along.tile) + " along '" + nameOf(rounds.along) + "'";
  std::vector<ir::Condition> where = found.where;
  if (isOnDevice) {
    const PlanOnDevice plan = planOnDevice(kernel, found, rounds, options);
    report.text += plan.text;
    where = plan.parts ? *plan.parts : *plan.whole;
  } else if (found.parts) {
    report.text += ", which threads share in parts of " + std::to_string(found.parts->width) +
                   " where there are fewer than " + std::to_string(options.threads) + " tiles";
  }
  report.text += "; of " + joined(rounds.kept, ", ", [](const auto& one) { return one.second; }) +
                 " no more than a tile is kept";
  if (!where.empty()) report.text += "; where " + ir::print(kernel, where) + ", else one by one";
  if (!isOnDevice)
    report.tiles =
        onlyWhere(where, std::move(report.tiles), "shorter ones are read again from the caches");
  return report;
}

// The user's tiles, in the place of the model's; or why they cannot be. What is on threads, or workgroups, are parts of the
// rounds.
std::optional<Reason> obey(const ir::Kernel& kernel, FoundRounds& found, const Steps& steps,
                           bool isOnDevice) {
  Rounds& rounds = found.rounds;
  found.parts.reset();
  const Result<AskedTiles> asked = isOnDevice ? AskedTiles{{}, steps} : askedTiles(kernel, steps);
  if (!asked) return Reason{asked.reason()};
  if (!isOnDevice) found.where = asked->where;
  const Steps& tiles = asked->tiles;
  for (const Step& step : tiles) {
    auto* tile = std::get_if<TileStep>(&step.node);
    const auto by = tile ? tile->by.asConstant() : std::nullopt;
    if (!by || *by < 1 || *by > kMostInTile)
      return Reason{"expected tiles of 1 to " + std::to_string(kMostInTile) +
                    " positions: tile m by 64"};
    const std::vector<Rounds::Loop*> loops = loopsOf(rounds);
    auto loop = llvm::find_if(
        loops, [&](const Rounds::Loop* one) { return nameOf(*one) == tile->iterator; });
    if (loop == loops.end())
      return Reason{"no loop '" + tile->iterator + "' here; there are " +
                    joined(loops, ", ", [](const Rounds::Loop* one) { return nameOf(*one); })};
    if (!tile->threads && !tile->onWorkgroups) {
      (*loop)->tile = *by;
      continue;
    }
    const bool areForThreads = tile->threads && !tile->threads->outer && tile->threads->work >= 1;
    if (*loop != &rounds.along || (isOnDevice ? !tile->onWorkgroups : !areForThreads))
      return Reason{(isOnDevice ? "workgroups" : "threads") +
                    (" share tiles anyway; parts for them are of '" + nameOf(rounds.along)) +
                    "': tile " + nameOf(rounds.along) + " by 1024 on " +
                    (isOnDevice ? "workgroups" : "threads (131072)")};
    found.parts = {*by, isOnDevice ? 0 : tile->threads->work};
  }
  return std::nullopt;
}

// One kernel, from its first op to its last.
class Doer {
 public:
  Doer(const ir::Kernel& kernel, Ops ops, const ScheduleOptions& options)
      : options_(options), ops_(std::move(ops)), kernel_(kernel), result_{kernel, {}, {}} {
    result_.kernel.body.clear();
  }

  InRounds run() {
    transforms::Builder builder(result_.kernel);
    for (size_t next = 0; next < ops_.size();) {
      auto found = findRounds(kernel_, ops_, next, options_, result_.done);
      const size_t first = found ? found->first : ops_.size();
      for (; next < first; ++next) result_.kernel.body.push_back({ops_[next]});
      if (!found) break;
      const size_t end = found->last() + 1;
      if (isWanted(*found)) {
        result_.done.push_back(reportOf(kernel_, *found, options_));
        transforms::append(result_.kernel.body, done(builder, *found));
        next = end;
      }
      for (; next < end; ++next) result_.kernel.body.push_back({ops_[next]});
    }
    for (const Setting& setting : options_.settings)
      if (setting.name == kRounds && met_.count(setting.op) == 0)
        result_.errors.push_back({setting, whyNot(setting)});
    return std::move(result_);
  }

 private:
  // As the user says; or as the model does.
  bool isWanted(FoundRounds& found) {
    for (const Setting& setting : options_.settings) {
      if (setting.name != kRounds || setting.op != found.first || setting.last != found.last())
        continue;
      met_.insert(setting.op);
      if (setting.steps.empty()) return false;
      const FoundRounds model = found;
      if (auto wrong = refused(found, setting.steps)) {
        found = model;
        result_.errors.push_back({setting, wrong->text});
      }
    }
    return true;
  }
  std::optional<Reason> refused(FoundRounds& found, const Steps& tiles) const {
    const bool isOnDevice = options_.target->device != nullptr;
    if (auto wrong = obey(kernel_, found, tiles, isOnDevice)) return wrong;
    limitRows(found.rounds, found.where);
    if (isOnDevice) return refusedOnDevice(kernel_, found, options_);
    Rounds tried = found.rounds;
    return found.parts ? cut(kernel_, tried, *found.parts, options_) : std::nullopt;
  }

  // In one of these ways, or else one by one.
  ir::Block done(transforms::Builder& builder, const FoundRounds& found) const {
    const Rounds& rounds = found.rounds;
    // Tiles take the names of what they stand for, which nothing uses any more.
    ir::Kernel& kernel = builder.kernel();
    for (const auto& [tensor, name] : rounds.kept)
      while (kernel.findTensor(name)) kernel.tensors[tensor].name += "_whole";
    std::vector<Way> ways = options_.target->device
                                ? waysOnDevice(builder, kernel_, found, options_)
                                : waysOnThreads(builder, found);
    ir::Block block, bounds;
    if (ways.back().where.empty())
      for (const auto& [tensor, name] : rounds.kept) kernel.tensors[tensor].shape.clear();
    else
      for (size_t op = found.first; op <= found.last(); ++op) block.push_back({ops_[op]});
    for (Way& way : ways) transforms::append(bounds, takeBounds(way.block));
    for (size_t way = ways.size(); way-- > 0;) {
      auto& [where, own] = ways[way];
      block = where.empty() ? std::move(own)
                            : transforms::only({ir::If{where, std::move(own), std::move(block)}});
    }
    transforms::append(bounds, std::move(block));
    return bounds;
  }
  // One row has a way of its own: with known numbers it would be a product of a matrix and a vector.
  std::vector<Way> waysOnThreads(transforms::Builder& builder, const FoundRounds& found) const {
    ir::Block block = made(builder, found.rounds, found.parts);
    affine::Expr rows;
    if (auto ofOne = ofOneRow(kernel_, found.rounds, options_, rows)) {
      const ir::Condition areSeveral{ir::Condition::Kind::Less, transforms::constant(1), rows};
      ir::Block one = made(builder, *ofOne, found.parts);
      ir::Block bounds = takeBounds(block);
      transforms::append(bounds, takeBounds(one));
      bounds.push_back({ir::If{{areSeveral}, std::move(block), std::move(one)}});
      block = std::move(bounds);
    }
    return {{found.where, std::move(block)}};
  }

  // Those that it begins with: locals are of such sizes.
  static ir::Block takeBounds(ir::Block& block) {
    auto end = llvm::find_if(
        block, [](const ir::Stmt& stmt) { return !std::holds_alternative<ir::Bound>(stmt.node); });
    ir::Block bounds(block.begin(), end);
    block.erase(block.begin(), end);
    return bounds;
  }
  // In parts, where tiles are too few for threads.
  ir::Block made(transforms::Builder& builder, Rounds rounds,
                 const std::optional<PartsOfRounds>& parts) const {
    if (parts) cut(kernel_, rounds, *parts, options_);
    return transforms::inRounds(builder, rounds);
  }

  std::string whyNot(const Setting& setting) const {
    std::string text = "ops " + std::to_string(setting.op) + " to " + std::to_string(setting.last) +
                       " are not done in rounds";
    for (const RoundsReport& report : result_.done)
      text += (report.tiles.empty() ? "; of " : "; there are ") + std::to_string(report.first) +
              " to " + std::to_string(report.last) +
              (report.tiles.empty() ? ": " + report.text : "");
    return text;
  }

  const ScheduleOptions& options_;
  Ops ops_;
  const ir::Kernel& kernel_;
  InRounds result_;
  std::set<size_t> met_;  // settings, by their first ops
};

}  // namespace

InRounds inRounds(const ir::Kernel& kernel, const ScheduleOptions& options) {
  Ops ops;
  for (const ir::Stmt& stmt : kernel.body) {
    auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
    if (!op) return {kernel, {}, {}};
    ops.push_back(*op);
  }
  if (kernel.libraryCall) return {kernel, {}, {}};
  return Doer(kernel, std::move(ops), options).run();
}

ScheduleOptions withoutRounds(ScheduleOptions options) {
  std::erase_if(options.settings, [](const Setting& setting) {
    return setting.name == kRounds || setting.name == kTiles;
  });
  return options;
}

}  // namespace einc::strategy
