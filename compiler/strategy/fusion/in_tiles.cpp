// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_tiles.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/fusion/find_tiles.h"
#include "compiler/strategy/fusion/only_where.h"
#include "compiler/strategy/groups.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/in_tiles.h"
#include "compiler/transforms/rewrite.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Tiles;

size_t opsIn(const ir::Stmt& stmt) {
  size_t count = std::holds_alternative<ir::StructuredOp>(stmt.node) ? 1 : 0;
  for (const ir::Block* block : ir::blocksOf(stmt))
    for (const ir::Stmt& inner : *block) count += opsIn(inner);
  return count;
}

RoundsReport reportOf(const ir::Kernel& kernel, const FoundTiles& found, size_t number) {
  RoundsReport report{number + found.first, number + found.last(), {}, "", /*inTiles=*/true};
  std::vector<std::string> loops;
  for (const Tiles::Loop& loop : found.tiles.loops) {
    affine::Expr by = loop.tile;
    if (loop.room) by = by + transforms::constant(loop.room->elements).floorDiv(loop.room->each);
    report.tiles.push_back(Step(TileStep{loop.names.back(), by},
                                "what ops leave for each other is as much as a tile needs"));
    loops.push_back((loop.room ? "as many as the second cache has room for, of" : by.str()) + " '" +
                    loop.names.back() + "'");
  }
  report.text = "tile by tile of " + joined(loops, " and ") + "; of " +
                joined(found.tiles.kept, ", ", [](const auto& one) { return one.second; }) +
                " no more than a tile needs is kept";
  if (!found.tiles.where.empty())
    report.text += "; where " + ir::print(kernel, found.tiles.where) + ", else one by one";
  report.tiles = onlyWhere(found.tiles.pays, std::move(report.tiles),
                           "more would be computed again in each tile than they save");
  return report;
}

// One kernel, op after op.
class Doer {
 public:
  Doer(const ir::Kernel& kernel, const ScheduleOptions& options)
      : options_(options), kernel_(kernel), result_{kernel, {}, {}} {
    result_.kernel.body.clear();
  }

  InTiles run() {
    for (size_t i = 0; i < kernel_.body.size();) {
      Ops ops;
      for (; i < kernel_.body.size(); ++i)
        if (auto* op = std::get_if<ir::StructuredOp>(&kernel_.body[i].node))
          ops.push_back(*op);
        else
          break;
      line(ops);
      if (i < kernel_.body.size()) {
        result_.kernel.body.push_back(kernel_.body[i]);
        number_ += opsIn(kernel_.body[i++]);
      }
    }
    for (const Setting& setting : options_.settings)
      if (setting.name == kTiles && met_.count(setting.op) == 0)
        result_.errors.push_back({setting, whyNot(setting)});
    return std::move(result_);
  }

 private:
  // Ops that stand one behind the other.
  void line(const Ops& ops) {
    for (size_t next = 0; next < ops.size();) {
      std::optional<FoundTiles> found = find(ops, next);
      const size_t end = found ? found->first : ops.size();
      for (; next < end; ++next) result_.kernel.body.push_back({ops[next]});
      if (!found) break;
      transforms::append(result_.kernel.body, done(*found));
      next = found->last() + 1;
    }
    number_ += ops.size();
  }

  // As the user says; or as the model does.
  std::optional<FoundTiles> find(const Ops& ops, size_t begin) {
    size_t least = begin;
    for (const Setting* setting : settingsIn(ops, begin)) {
      const size_t first = setting->op - number_, last = setting->last - number_;
      if (auto found = byModel(ops, least, first)) return found;
      met_.insert(setting->op);
      least = last + 1;
      if (setting->steps.empty()) continue;
      auto found = tilesOf(kernel_, ops, first, last, setting->steps, options_);
      if (found) return std::move(*found);
      result_.errors.push_back({*setting, found.reason()});
    }
    return byModel(ops, least, ops.size());
  }
  // Those that are of these ops alone, in order.
  std::vector<const Setting*> settingsIn(const Ops& ops, size_t begin) const {
    std::vector<const Setting*> result;
    for (const Setting& setting : options_.settings)
      if (setting.name == kTiles && setting.op >= number_ + begin &&
          setting.last < number_ + ops.size())
        result.push_back(&setting);
    llvm::sort(result, [](const Setting* a, const Setting* b) { return a->op < b->op; });
    return result;
  }
  std::optional<FoundTiles> byModel(const Ops& ops, size_t begin, size_t end) {
    std::vector<RoundsReport> why;
    auto found = findTiles(kernel_, ops, begin, options_, why);
    if (found && found->last() >= end) found.reset();
    for (RoundsReport& report : why) {
      // What a user has said is asked there.
      if (report.last >= end) continue;
      report.first += number_;
      report.last += number_;
      if (!found) result_.done.push_back(std::move(report));
    }
    return found;
  }

  ir::Block done(const FoundTiles& found) {
    result_.done.push_back(reportOf(kernel_, found, number_));
    transforms::Builder builder(result_.kernel);
    // Tiles take the names of what they stand for.
    for (const auto& [tensor, name] : found.tiles.kept)
      while (result_.kernel.findTensor(name)) result_.kernel.tensors[tensor].name += "_whole";
    ir::Block block = transforms::inTiles(builder, found.tiles);
    auto* choice = std::get_if<ir::If>(&block.back().node);
    if (options_.target->device != nullptr)
      transforms::rewriteOps(choice ? choice->then : block,
                             [&](ir::StructuredOp& op) { op = withoutUnits(result_.kernel, op); });
    if (!choice)
      for (const auto& [tensor, name] : found.tiles.kept)
        result_.kernel.tensors[tensor].shape.clear();
    return block;
  }

  std::string whyNot(const Setting& setting) const {
    return "ops " + std::to_string(setting.op) + " to " + std::to_string(setting.last) +
           " do not stand one behind the other, or others are in tiles already; there are " +
           std::to_string(number_) + " ops";
  }

  const ScheduleOptions& options_;
  const ir::Kernel& kernel_;
  InTiles result_;
  size_t number_ = 0;     // of the first op of a line
  std::set<size_t> met_;  // settings, by their first ops
};

}  // namespace

InTiles inTiles(const ir::Kernel& kernel, const ScheduleOptions& options) {
  if (kernel.libraryCall) return {kernel, {}, {}};
  return Doer(kernel, options).run();
}

}  // namespace einc::strategy
