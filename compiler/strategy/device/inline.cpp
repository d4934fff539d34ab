// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/inline.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "compiler/facts/aliasing.h"
#include "compiler/ir/shape.h"
#include "compiler/strategy/device/private_values.h"
#include "compiler/transforms/inline.h"

namespace einc::strategy {
namespace {

// Whether the op reads the tensor where it writes the output, and nowhere else.
bool readsInPlace(const ir::StructuredOp& op, unsigned tensor, const ir::Operand& output) {
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    return input.tensor != tensor || (input.map == output.map && !input.pad);
  });
}

// Whether each of the later ops that reads what the op writes can compute it, from what is then
// still as it was.
bool isReadInline(const ir::Kernel& kernel, const ir::StructuredOp& op,
                  std::span<const ir::StructuredOp> later, int64_t mostReaders) {
  int64_t readers = 0;
  bool overwritten = false;
  for (const ir::StructuredOp& reader : later) {
    bool reads = false;
    for (size_t o = 0; o < reader.operandCount(); ++o)
      reads |= reader.operand(o).tensor == op.outputs[0].tensor;
    auto merged = reads ? transforms::inlined(kernel, op, reader) : std::nullopt;
    if (reads && (overwritten || !merged)) return false;
    readers += reads;
    for (const ir::Operand& output : reader.outputs)
      for (const ir::Operand& input : op.inputs) {
        if (output.tensor == input.tensor) return false;
        if (!facts::mayShareMemory(kernel, output.tensor, input.tensor)) continue;
        overwritten = true;
        if (merged && !readsInPlace(*merged, input.tensor, output)) return false;
      }
  }
  return readers <= mostReaders;
}

}  // namespace

Recomputed recomputed(const ir::Kernel& kernel, const target::Device& device, const Ops& ops,
                      const std::vector<std::vector<std::string>>& shared,
                      const std::set<unsigned>& others) {
  std::set<unsigned> kept = others;  // or what needs no memory anyway
  for (const PrivateValue& value :
       privateValues(kernel, ops, shared, others, device.numbers.mostPrivate))
    kept.insert(value.tensor);
  Recomputed result;
  Ops producers;
  for (size_t i = 0; i < ops.size(); ++i) {
    ir::StructuredOp op = ops[i];
    for (const ir::StructuredOp& producer : producers)
      if (auto merged = transforms::inlined(kernel, producer, op)) op = *merged;
    unsigned output = op.outputs[0].tensor;
    bool goes = kernel.tensors[output].role == ir::Role::Local && kept.count(output) == 0 &&
                transforms::isWholeMap(kernel, op) &&
                isReadInline(kernel, op, std::span(ops).subspan(i + 1), device.numbers.mostReaders);
    if (goes) result.gone.push_back(i);
    (goes ? producers : result.ops).push_back(std::move(op));
  }
  return result;
}

}  // namespace einc::strategy
