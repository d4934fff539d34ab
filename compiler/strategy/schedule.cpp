// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/strategy/contraction.h"
#include "compiler/strategy/streams.h"

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
    if (auto groups = contractionGroups(builder_.kernel(), op); groups && target_.vectorBytes > 0) {
      const ir::Tensor& output = builder_.kernel().tensors[op.outputs[0].tensor];
      ContractionTiles tiles =
          contractionTiles(target_, static_cast<int>(ir::info(output.type).bytes()),
                           static_cast<int>(op.outputs.size()));
      return contraction(builder_, op, *groups, tiles);
    }
    if (auto streamed = stream(builder_, op, target_)) return std::move(*streamed);
    ir::Block block;
    block.push_back({op});
    return block;
  }

  transforms::Builder builder_;
  const target::Target& target_;
};

}  // namespace

ir::Kernel schedule(const ir::Kernel& kernel, const target::Target& target) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Tiled;
  Scheduler scheduler(result, target);
  ir::Block body = scheduler.run(kernel.body);
  result.body = std::move(body);
  return result;
}

}  // namespace einc::strategy
