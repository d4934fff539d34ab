// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/complete.h"

#include <utility>

#include "compiler/strategy/forms.h"
#include "compiler/strategy/plan/apply.h"

namespace einc::strategy {
namespace {

bool needsMemory(const ir::Block& block) {
  bool needs = false;
  ir::forEachStatement(block, [&](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    needs |= alloc && alloc->space == ir::Space::Heap;
  });
  return needs;
}

// By the best forms.
class ByModel : public Completion {
 public:
  // With `options` for what is left; threads do not share loops of what other steps come before.
  ByModel(const ir::Kernel& kernel, const Ops& ops, size_t first, const ScheduleOptions& options,
          bool isOnThreads)
      : kernel_(kernel), ops_(ops), first_(first), options_(options), isOnThreads_(isOnThreads) {}

 private:
  Steps choose(const Place& place, bool isWhole) override {
    const ir::StructuredOp* whole = place.number ? &ops_[*place.number - first_] : nullptr;
    Steps steps = formOf(place, whole, /*memory=*/true);
    // In a loop on threads there is no memory of the size of a tile.
    if (isOnThreads_ && takesMemory(place, steps)) steps = formOf(place, whole, /*memory=*/false);
    if (isWhole) return steps;
    return {AloneStep{std::move(steps)}};
  }
  Steps formOf(const Place& place, const ir::StructuredOp* whole, bool memory) const {
    OpSettings none({}, "", 0);
    return bestForm({kernel_, place.op, place.names, options_, none, memory, whole}).steps;
  }
  bool takesMemory(const Place& place, const Steps& steps) const {
    ir::Kernel aside = kernel_;
    transforms::Builder builder(aside);
    return needsMemory(apply(builder, Place{place.op, place.names}, steps, options_));
  }

  const ir::Kernel& kernel_;  // with what was made on the way
  const Ops& ops_;
  size_t first_;
  const ScheduleOptions& options_;
  bool isOnThreads_;
};

}  // namespace

Steps completed(const ir::Kernel& kernel, const Ops& ops, size_t first, const Steps& steps,
                const ScheduleOptions& ofAll) {
  ScheduleOptions options = ofAll;
  options.afterStep = nullptr;
  ir::Kernel aside = kernel;
  transforms::Builder builder(aside);
  ScheduleOptions rest = options;
  if (!steps.empty()) rest.threads = 1;
  ByModel model(aside, ops, first, rest, options.threads > 1 && !steps.empty());
  std::vector<StepError> wrong;
  if (ops.size() == 1) {
    Place place{ops[0], operandNames(kernel, ops[0])};
    place.number = first;
    apply(builder, std::move(place), steps, options, wrong, &model);
  } else {
    apply(builder, ops, first, steps, options, wrong, &model);
  }
  return wrong.empty() ? model.filled(steps) : steps;
}

}  // namespace einc::strategy
