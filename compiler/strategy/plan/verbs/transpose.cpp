// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   transpose m to n
#include "compiler/strategy/streams/transpose.h"

#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
namespace {

// Lines along `to` are written whole, once; inputs have lines along `from`.
std::optional<std::string> cannotTranspose(const At& here, const std::string& from,
                                           const std::string& to) {
  const ir::StructuredOp& op = here.op;
  if (ir::reduces(op) || op.outputs.size() != 1 || ir::readsOperand(op, op.inputs.size()))
    return "an op is transposed that writes one output, without a reduction and once";
  bool isRead = false;
  for (size_t i = 0; i < op.inputs.size(); ++i) isRead |= here.contiguous.count({i, from}) != 0;
  if (from == to || !isRead || !here.contiguous.count({op.inputs.size(), to}))
    return "the output is to be known to be contiguous along '" + to + "', and an input along '" +
           from + "': when contiguous(...) and contiguous(...) { ... }";
  return std::nullopt;
}

}  // namespace

ir::Block apply(const Work& work, const At& here, const TransposeStep& step) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'transpose': the op is done");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  for (const std::string& name : {step.from, step.to})
    if (!here.find(name)) return work.refuse(here, noIterator(here, name));
  const std::string from = here.actualName(step.from), to = here.actualName(step.to);
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  if (here.streaming) return work.refuse(here, "'transpose' goes around the caches by itself");
  if (auto why = cannotTranspose(here, from, to)) return work.refuse(here, *why);
  return Transpose(work.builder, work.options, to).run(here.op, from);
}

}  // namespace einc::strategy
