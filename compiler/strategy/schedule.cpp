// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/contraction.h"
#include "compiler/strategy/layout.h"
#include "compiler/strategy/streams.h"
#include "compiler/strategy/windows.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/split.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {
namespace {

class Scheduler {
 public:
  Scheduler(ir::Kernel& kernel, const ScheduleOptions& options)
      : builder_(kernel), options_(options), target_(*options.target) {}

  ir::Block run(ir::Block statements) {
    ir::Block result;
    for (ir::Stmt& stmt : statements) {
      auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
      if (!op) {
        result.push_back(std::move(stmt));
        continue;
      }
      ir::Block code = scheduled(*op);
      std::move(code.begin(), code.end(), std::back_inserter(result));
    }
    return result;
  }

  std::vector<OpReport> reports;
  std::vector<SettingError> errors;

 private:
  ir::Block scheduled(const ir::StructuredOp& op) {
    OpReport report{op.source, ir::printStatement(builder_.kernel(), {op}), "loops", {}, {}};
    std::vector<std::string> work = workOf(builder_.kernel(), op, target_);
    settings_ = OpSettings(options_.settings, builder_.kernel().name,
                           static_cast<unsigned>(reports.size()));
    ir::Block code = onThreads(op, chosen(op, report), report);
    report.lines.insert(report.lines.end(), work.begin(), work.end());
    reports.push_back(std::move(report));
    for (SettingError& error : settings_.errors()) errors.push_back(std::move(error));
    return code;
  }

  ir::Block chosen(const ir::StructuredOp& op, OpReport& report) {
    auto strategy = settings_.word("strategy", {"contraction", "windows", "stream", "loops"});
    auto groups = contractionGroups(builder_.kernel(), op);
    if (!strategy || strategy == "contraction") {
      if (groups && target_.vectorBytes > 0) return contracted(op, *groups, report);
      std::string reason = groups ? "the target has no vectors" : groups.reason();
      report.lines.push_back("no contraction: " + reason);
      if (strategy) settings_.refuse("strategy", "the op is no contraction: " + reason);
    }
    if (!strategy || strategy == "windows") {
      auto streamed = windows(builder_, op, options_);
      if (streamed) {
        report.strategy = "windows";
        report.lines.push_back("vectors along '" + streamed->axis + "', " + streamed->form);
        return std::move(streamed->block);
      }
      if (strategy) settings_.refuse("strategy", "no windows: " + streamed.reason());
    }
    if (!strategy || strategy == "stream") {
      auto streamed = stream(builder_, withoutUnits(builder_.kernel(), op), options_, settings_);
      if (streamed) {
        report.strategy = "stream";
        report.settings = streamed->settings;
        report.lines.push_back("vectors along '" + streamed->axis + "', " + streamed->form);
        return std::move(streamed->block);
      }
      report.lines.push_back("no vectors: " + streamed.reason());
      if (strategy) settings_.refuse("strategy", "the op has no vectors: " + streamed.reason());
    }
    ir::Block block;
    block.push_back({op});
    return block;
  }

  ir::Block contracted(const ir::StructuredOp& op, Groups groups, OpReport& report) {
    // All vectors of a region have the lanes of the widest type that is computed with.
    int bytes = 1;
    for (const ir::ValueRef& result : op.results)
      ir::forEach(result, [&](const ir::Value& value) {
        bytes = std::max(bytes, transforms::registerBytes(value.type));
      });
    ContractionTiles tiles = contractionTiles(target_, bytes, static_cast<int>(op.outputs.size()),
                                              extentsOf(op, groups), settings_);
    report.strategy = "contraction";
    report.settings = {{"mr", std::to_string(tiles.mr)},
                       {"nr", std::to_string(tiles.nr)},
                       {"kc", std::to_string(tiles.kc)},
                       {"mc", std::to_string(tiles.mc)},
                       {"nc", std::to_string(tiles.nc)}};
    report.lines.push_back((groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                           groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                           groupText("K", groups.k) +
                           ": packed panels and a register tile, vectors along N");
    report.lines.insert(report.lines.end(), tiles.reasons.begin(), tiles.reasons.end());
    ir::StructuredOp arranged = op;
    if (!options_.keepsOrder || transforms::isExact(op)) orderSums(op, groups);
    ir::Block block = arrange(builder_, arranged, groups, options_);
    if (!block.empty())
      report.lines.push_back(
          "the input contiguous along another iterator of N is transposed first");
    ir::Block code = contraction(builder_, arranged, groups, tiles, options_, report.lines);
    std::move(code.begin(), code.end(), std::back_inserter(block));
    return block;
  }

  Extents extentsOf(const ir::StructuredOp& op, const Groups& groups) const {
    auto product = [&](const std::vector<std::string>& iterators) {
      affine::Expr size = transforms::constant(1);
      for (const std::string& i : iterators) size = size * builder_.extent(op, i);
      return size.asConstant().value_or(INT64_MAX);
    };
    return {product(groups.m), product(groups.n), product(groups.k)};
  }

  // `code`, or, where a reduction is long and there is little else to share out, the reduction in
  // parts, on threads.
  ir::Block onThreads(const ir::StructuredOp& op, ir::Block code, OpReport& report) {
    if (options_.threads == 1 || !mayReorder(op)) return code;
    affine::Expr results = transforms::constant(1), others = transforms::constant(1);
    std::string axis;
    for (const ir::Iterator& i : op.iterators) {
      bool parallel = i.kind == ir::IteratorKind::Parallel;
      if (!parallel && axis.empty()) {
        axis = i.name;
        continue;
      }
      affine::Expr& product = parallel ? results : others;
      product = product * builder_.extent(op, i.name);
    }
    if (axis.empty()) return code;
    // What makes a thread worth its start; results that make up a tile are a task already.
    bool contraction = report.strategy == "contraction";
    int64_t work = contraction ? 1 << 22 : 1 << 17, few = contraction ? 512 : 4;
    ir::Block block;
    std::string width = builder_.name(axis + "_width");
    block.push_back({ir::Bound{
        width,
        {transforms::constant(work).floorDiv(results * others + transforms::constant(1)) +
         transforms::constant(1)}}});
    using Kind = ir::Condition::Kind;
    ir::If test{{{Kind::LessEqual, results, transforms::constant(few * options_.threads)},
                 {Kind::LessEqual, transforms::constant(2) * transforms::size(width),
                  builder_.extent(op, axis)}},
                {},
                std::move(code)};
    ir::StructuredOp whole = op;
    transforms::canonicalize(builder_, whole, test.then);
    ir::Block parts = transforms::splitReduction(builder_, whole, axis, transforms::size(width));
    // Settings are those of the op, and not of its parts.
    OpSettings ofOp = std::exchange(settings_, OpSettings({}, "", 0));
    for (ir::Stmt& stmt : parts) {
      auto* part = std::get_if<ir::StructuredOp>(&stmt.node);
      OpReport own{};
      ir::Block inner;
      if (part)
        inner = chosen(*part, own);
      else
        inner.push_back(std::move(stmt));
      std::move(inner.begin(), inner.end(), std::back_inserter(test.then));
    }
    settings_ = std::move(ofOp);
    report.lines.push_back("on threads: '" + axis + "' in parts of " + std::to_string(work) +
                           " operations, where there are at most " +
                           std::to_string(few * options_.threads) + " results");
    block.push_back({std::move(test)});
    return block;
  }

  bool mayReorder(const ir::StructuredOp& op) const {
    return transforms::combinerOf(op) && (!options_.keepsOrder || transforms::isExact(op));
  }

  transforms::Builder builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  OpSettings settings_{{}, "", 0};
};

}  // namespace

ir::Kernel schedule(const ir::Kernel& kernel, const ScheduleOptions& options,
                    std::vector<OpReport>* reports, std::vector<SettingError>* errors) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  Scheduler scheduler(result, options);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  auto ops = static_cast<unsigned>(scheduler.reports.size());
  for (const Setting& setting : options.settings)
    if (setting.kernel == kernel.name && setting.op >= ops)
      scheduler.errors.push_back(
          {setting, "'" + kernel.name + "' has " + std::to_string(ops) +
                        (ops == 1 ? " op, number 0" : " ops, numbers 0 to ") +
                        (ops == 1 ? "" : std::to_string(ops - 1))});
  if (reports) *reports = std::move(scheduler.reports);
  if (errors) *errors = std::move(scheduler.errors);
  return result;
}

}  // namespace einc::strategy
