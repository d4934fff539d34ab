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

namespace einc::strategy {
namespace {

class Scheduler {
 public:
  Scheduler(ir::Kernel& kernel, const target::Target& target) : builder_(kernel), target_(target) {}

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

 private:
  ir::Block scheduled(const ir::StructuredOp& op) {
    OpReport report{op.source, ir::printStatement(builder_.kernel(), {op}), "loops", {}};
    std::vector<std::string> work = workOf(builder_.kernel(), op, target_);
    ir::Block code = chosen(op, report);
    report.lines.insert(report.lines.end(), work.begin(), work.end());
    reports.push_back(std::move(report));
    return code;
  }

  ir::Block chosen(const ir::StructuredOp& op, OpReport& report) {
    auto groups = contractionGroups(builder_.kernel(), op);
    if (groups && target_.vectorBytes > 0) {
      const ir::Tensor& output = builder_.kernel().tensors[op.outputs[0].tensor];
      ContractionTiles tiles =
          contractionTiles(target_, static_cast<int>(ir::info(output.type).bytes()),
                           static_cast<int>(op.outputs.size()));
      report.strategy = "contraction";
      report.lines.push_back(
          (groups->batch.empty() ? "" : groupText("batch", groups->batch) + ", ") +
          groupText("M", groups->m) + ", " + groupText("N", groups->n) + ", " +
          groupText("K", groups->k) + ": packed panels and a register tile, vectors along N");
      report.lines.insert(report.lines.end(), tiles.reasons.begin(), tiles.reasons.end());
      ir::StructuredOp arranged = op;
      orderSums(op, *groups);
      ir::Block block = arrange(builder_, arranged, *groups, target_);
      if (!block.empty())
        report.lines.push_back(
            "the input contiguous along another iterator of N is transposed first");
      ir::Block code = contraction(builder_, arranged, *groups, tiles, report.lines);
      std::move(code.begin(), code.end(), std::back_inserter(block));
      return block;
    }
    report.lines.push_back("no contraction: " +
                           (groups ? "the target has no vectors" : groups.reason()));
    auto streamed = windows(builder_, op, target_);
    if (!streamed) streamed = stream(builder_, op, target_);
    if (streamed) {
      report.strategy = "stream";
      report.lines.push_back("vectors along '" + streamed->axis + "', " + streamed->form);
      return std::move(streamed->block);
    }
    report.lines.push_back("no vectors: " + streamed.reason());
    ir::Block block;
    block.push_back({op});
    return block;
  }

  transforms::Builder builder_;
  const target::Target& target_;

 public:
  std::vector<OpReport> reports;
};

}  // namespace

ir::Kernel schedule(const ir::Kernel& kernel, const target::Target& target,
                    std::vector<OpReport>* reports) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  Scheduler scheduler(result, target);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  if (reports) *reports = std::move(scheduler.reports);
  return result;
}

}  // namespace einc::strategy
