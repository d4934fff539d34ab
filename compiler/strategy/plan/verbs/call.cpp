// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   call cblas otherwise { loops }
//   call my_function
#include <optional>
#include <string>
#include <utility>

#include "compiler/ir/library_rule.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/map_to_library.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Why what there is of the operands here is nothing that a descriptor can say.
std::optional<std::string> noDescriptors(const At& here) {
  for (const ir::Iterator& i : here.op.iterators)
    if (here.collapsed.count(i.name) != 0)
      return "positions along '" + i.name + "', which is several iterators, may lie anywhere";
  const bool isOutside = here.spec && llvm::any_of(here.spec->inputs, [](const ir::Operand& input) {
                           return input.pad != nullptr;
                         });
  if (isOutside) return "of a tile nothing is there that it reads outside its tensors";
  return std::nullopt;
}

ir::Block toLibrary(const Work& work, At here, const CallStep& step) {
  auto call = transforms::libraryCall(work.builder.kernel(), here.op, step.function);
  if (!call) return work.refuse(here, "no call of " + step.function + ": " + call.reason());
  call->number = static_cast<unsigned>(here.number.value_or(0));
  call->body = work.run(std::move(here), step.otherwise);
  return transforms::only({std::move(*call)});
}

ir::Block toFunction(const Work& work, const At& here, const CallStep& step) {
  if (!step.otherwise.empty())
    return work.refuse(here, "'" + step.function +
                                 "' is no library (cblas, blis), and a function of your own is "
                                 "always called: leave out 'otherwise'");
  auto call = transforms::externalCall(work.builder.kernel(), here.op, step.function);
  if (!call) return work.refuse(here, "no call of " + step.function + ": " + call.reason());
  return transforms::only({std::move(*call)});
}

}  // namespace

ir::Block apply(const Work& work, At here, const CallStep& step) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'call': the op is done");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  if (step.function == work.builder.kernel().name)
    return work.refuse(here, "'" + step.function + "' is the function of this def itself");
  if (auto why = noDescriptors(here))
    return work.refuse(here, "no call of " + step.function + ": " + *why);
  return llvm::is_contained(ir::libraryNames(), step.function)
             ? toLibrary(work, std::move(here), step)
             : toFunction(work, here, step);
}

}  // namespace einc::strategy
