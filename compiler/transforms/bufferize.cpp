// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bufferize.h"

#include <utility>

namespace einc::transforms {

ir::Kernel bufferize(const ir::Kernel& kernel) {
  ir::Kernel result = kernel;
  result.level = ir::Level::Buffers;
  ir::Block before = std::exchange(result.body, {});
  std::vector<bool> allocated(kernel.tensors.size());
  for (ir::Stmt& stmt : before) {
    ir::Block one;
    one.push_back(std::move(stmt));
    ir::forEachOp(one, [&](const ir::StructuredOp& op) {
      for (size_t i = 0; i < op.operandCount(); ++i) {
        unsigned tensor = op.operand(i).tensor;
        if (kernel.tensors[tensor].role != ir::Role::Local || allocated[tensor]) continue;
        allocated[tensor] = true;
        result.body.push_back({ir::Alloc{tensor}});
      }
    });
    result.body.push_back(std::move(one.front()));
  }
  return result;
}

}  // namespace einc::transforms
