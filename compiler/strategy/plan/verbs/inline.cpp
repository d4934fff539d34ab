// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   inline op 1
#include <utility>

#include "compiler/strategy/plan/inlining.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::optional<std::string> cannotInline(const Work& work, const At& here, const InlineStep& step) {
  if (!here.shared) return "'inline' is for an op among those that share loops";
  const auto number = static_cast<size_t>(step.op);
  const std::string op = "op " + std::to_string(step.op);
  if (step.op < 0 || !here.shared->hasOp(number)) return "there is no " + op + " among these";
  if (here.isTiled || here.next != here.shared->first())
    return "'inline' stands before all loops, and before the ops that are done";
  const NumberedOps& all = here.shared->given();
  const size_t which = here.shared->indexOf(number);
  const ir::Kernel& kernel = work.builder.kernel();
  const unsigned output = all.ops[which].outputs[0].tensor;
  if (kernel.tensors[output].role != ir::Role::Local || here.shared->isUsedElsewhere(output))
    return "'" + kernel.tensors[output].name + "', which " + op + " writes, is used by others, too";
  const std::string where =
      op + " cannot be computed where '" + kernel.tensors[output].name + "' is read: ";
  if (!writesAllOfOne(kernel, all.ops[which])) return where + "it does not write all of it";
  auto readers = readersInline(kernel, all.ops[which], std::span(all.ops).subspan(which + 1));
  if (!readers) return where + readers.reason();
  if (*readers == 0) return where + "no op here does";
  return std::nullopt;
}

}  // namespace

ir::Block apply(const Work& work, At here, const InlineStep& step) {
  if (auto why = cannotInline(work, here, step)) return work.refuse(here, *why);
  const NumberedOps& all = here.shared->given();
  const size_t which = here.shared->indexOf(static_cast<size_t>(step.op));
  const ir::Kernel& kernel = work.builder.kernel();
  NumberedOps fewer{withoutOp(kernel, all.ops, which), all.numbers, all.names};
  fewer.numbers.erase(fewer.numbers.begin() + static_cast<ptrdiff_t>(which));
  if (!fewer.names.empty()) {
    fewer.names.erase(fewer.names.begin() + static_cast<ptrdiff_t>(which));
    for (size_t i = which; i < fewer.ops.size(); ++i)
      fewer.names[i] = operandNames(kernel, fewer.ops[i]);
  }
  ir::Block block;
  const SharedOps shared = work.sharedOps(std::move(fewer), here.shared->elsewhere(),
                                          here.shared->looksOutside(), block);
  here.enter(shared);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
