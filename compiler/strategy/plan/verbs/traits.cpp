// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/verbs/traits.h"

#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

// Whether a verb has such a constant, and what a function of it gives, or `otherwise` where it has none.
#define EINC_HAS(step, constant) \
  std::visit([](const auto& verb) { return requires { verb.constant; }; }, (step).node)
#define EINC_GIVEN(step, function, otherwise)        \
  std::visit(                                        \
      [](const auto& verb) {                         \
        if constexpr (requires { verb.function(); }) \
          return verb.function();                    \
        else                                         \
          return otherwise;                          \
      },                                             \
      (step).node)

bool endsList(const Step& step) { return EINC_HAS(step, kEndsList); }
bool isForCpus(const Step& step) { return EINC_HAS(step, kForCpus); }
bool needsReady(const Step& step) { return EINC_GIVEN(step, needsReady, true); }
bool isRare(const Step& step) { return EINC_HAS(step, kIsRare); }

bool isInSharedLoops(const Step& step) { return EINC_HAS(step, kInSharedLoops); }
bool isInRegion(const Step& step) { return EINC_HAS(step, kInRegion); }

bool looksOutside(const Step& step) { return EINC_GIVEN(step, looksOutside, false); }
bool anyLooksOutside(const Steps& steps) {
  return llvm::any_of(steps, [](const Step& step) {
    if (EINC_HAS(step, kLooksForItself)) return false;
    return looksOutside(step) ||
           llvm::any_of(listsIn(step), [](const Steps* list) { return anyLooksOutside(*list); });
  });
}
bool asksAnOp(const Step& step) { return EINC_GIVEN(step, asksAnOp, false); }

std::vector<OperandName> copiedBy(const Step& step) {
  return EINC_GIVEN(step, copied, std::vector<OperandName>());
}
std::vector<std::string> loopsAlong(const Step& step) {
  return EINC_GIVEN(step, along, std::vector<std::string>());
}

#undef EINC_HAS
#undef EINC_GIVEN

}  // namespace einc::strategy
