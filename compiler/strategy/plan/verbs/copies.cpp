// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/copies.h"

#include <algorithm>

#include "compiler/strategy/plan/limits.h"

namespace einc::strategy {

using affine::Expr;

Result<std::vector<Expr>> roomFor(const Work& work, const At& here,
                                  const std::vector<std::string>& names, int64_t bytes,
                                  bool isOnStack) {
  std::vector<Expr> room;
  const bool isKnown = here.isInLoop || isOnStack;
  for (const std::string& name : names) {
    const Expr extent = work.extent(here, name);
    auto known = extent.asConstant();
    if (auto most = here.most.find(name); !known && isKnown && most != here.most.end())
      known = most->second;
    if (isKnown && !known)
      return Reason{"the size of the copy is to be known: tile " + name + " before, by 256, say"};
    if (known && *known > 0 && *known > kMostCopied / bytes)
      return Reason{"a copy of more than " + std::to_string(kMostCopied >> 30) +
                    " GiB: smaller tiles before it will do"};
    bytes *= std::max<int64_t>(known.value_or(1), 1);
    room.push_back(known ? transforms::constant(*known) : extent);
  }
  if (isOnStack && bytes > kMostOnStack)
    return Reason{"a copy of more than " + std::to_string(kMostOnStack >> 10) +
                  " KiB does not go on the stack"};
  return room;
}

Result<size_t> inputOf(const Work& work, const At& here, const OperandName& name) {
  auto which = here.operand(name);
  if (!which) return Reason{noOperand(here, name)};
  if (*which >= here.op.inputs.size())
    return Reason{name.str() + " is an output: inputs are copied"};
  if (here.packed.count(*which) != 0) return Reason{*work.waits(here)};
  return *which;
}

void take(const Work& work, unsigned buffer, CopyStep::Where where, ir::Block& block) {
  if (where == CopyStep::Where::Heap)
    work.take(buffer, block);
  else
    block.push_back({ir::Alloc{
        buffer, where == CopyStep::Where::Stack ? ir::Space::Stack : ir::Space::Workgroup}});
}

}  // namespace einc::strategy
