// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/inlining.h"

#include <algorithm>

#include "compiler/facts/aliasing.h"
#include "compiler/transforms/inline.h"

namespace einc::strategy {
namespace {

// Whether the op reads the tensor where it writes the output, and nowhere else.
bool readsInPlace(const ir::StructuredOp& op, unsigned tensor, const ir::Operand& output) {
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    return input.tensor != tensor || (input.map == output.map && !input.pad);
  });
}

}  // namespace

Result<int64_t> readersInline(const ir::Kernel& kernel, const ir::StructuredOp& op,
                              std::span<const ir::StructuredOp> later) {
  int64_t readers = 0;
  bool overwritten = false;
  for (const ir::StructuredOp& reader : later) {
    bool reads = false;
    for (size_t o = 0; o < reader.operandCount(); ++o)
      reads |= reader.operand(o).tensor == op.outputs[0].tensor;
    auto merged = reads ? transforms::inlined(kernel, op, reader) : std::nullopt;
    if (reads && !merged) return Reason{"an op that reads it cannot compute it on the way"};
    if (reads && overwritten) return Reason{"what it reads may be overwritten before"};
    readers += reads;
    for (const ir::Operand& output : reader.outputs)
      for (const ir::Operand& input : op.inputs) {
        if (output.tensor == input.tensor) return Reason{"what it reads is overwritten"};
        if (!facts::mayShareMemory(kernel, output.tensor, input.tensor)) continue;
        overwritten = true;
        if (merged && !readsInPlace(*merged, input.tensor, output))
          return Reason{"an op that reads it may overwrite what it is computed from"};
      }
  }
  return readers;
}

bool writesAllOfOne(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  return op.outputs.size() == 1 && transforms::isWholeMap(kernel, op);
}

std::vector<ir::StructuredOp> withoutOp(const ir::Kernel& kernel,
                                        const std::vector<ir::StructuredOp>& ops, size_t which) {
  std::vector<ir::StructuredOp> result;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i == which) continue;
    auto merged = i > which ? transforms::inlined(kernel, ops[which], ops[i]) : std::nullopt;
    result.push_back(merged ? *merged : ops[i]);
  }
  return result;
}

}  // namespace einc::strategy
