// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/read_again.h"

#include <algorithm>
#include <functional>

#include "compiler/strategy/streams/large_outputs.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Whether there are any of these, and each has been read.
bool areRead(const ir::StructuredOp& op, const std::function<bool(const ir::Operand&)>& isOne,
             const std::function<bool(unsigned tensor)>& isRead) {
  bool readsAny = false;
  for (const ir::Operand& input : op.inputs) {
    if (input.shapeOnly || !isOne(input)) continue;
    readsAny = true;
    if (!isRead(input.tensor)) return false;
  }
  return readsAny;
}

}  // namespace

bool isReadAgain(const ir::Kernel& kernel, const Ops& ops, size_t number) {
  auto isArgument = [&](const ir::Operand& input) {
    return ir::isArgument(kernel.tensors[input.tensor].role);
  };
  return areRead(ops[number], isArgument, [&](unsigned tensor) {
    return std::any_of(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(number),
                       [&](const ir::StructuredOp& op) { return ir::readsElementsOf(op, tensor); });
  });
}

bool isReadAgain(const ir::Kernel& kernel, const ir::StructuredOp& op,
                 const std::set<unsigned>& before) {
  auto isTile = [&](const ir::Operand& input) {
    return !input.map.empty() && kernel.tensors[input.tensor].role == ir::Role::View &&
           kernel.tensors[memoryOf(kernel, input.tensor)].role == ir::Role::Input;
  };
  return areRead(op, isTile, [&](unsigned tensor) { return before.count(tensor) != 0; });
}

}  // namespace einc::strategy
