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
  ByModel(const ir::Kernel& kernel, const ScheduleOptions& options, bool isAnySaid)
      : kernel_(kernel), options_(options), isAnySaid_(isAnySaid) {}

 private:
  // By one thread, but for ops of which nothing is said.
  Steps choose(const Place& place, bool isWhole) override {
    ScheduleOptions options = options_;
    if (isAnySaid_) options.threads = 1;
    Steps steps = formOf(place, options, /*memory=*/true);
    // There is no memory of the size of a tile for each thread.
    if (place.isOnThreads && takesMemory(place, steps, options))
      steps = formOf(place, options, /*memory=*/false);
    if (isWhole) return steps;
    return {Step(AloneStep{std::move(steps)}, "the model's, as the steps before leave it")};
  }
  bool takesMemory(const Place& place, const Steps& steps, const ScheduleOptions& options) const {
    ir::Kernel aside = kernel_;
    transforms::Builder builder(aside);
    return needsMemory(apply(builder, Place{place.op, place.names}, steps, options));
  }
  Steps formOf(const Place& place, const ScheduleOptions& options, bool memory) const {
    OpSettings none({}, "", 0);
    return bestForm({kernel_, place.op, place.names, options, none, memory, place.whole}).steps;
  }

  const ir::Kernel& kernel_;  // with what was made on the way
  const ScheduleOptions& options_;
  bool isAnySaid_;
};

}  // namespace

Steps completed(const ir::Kernel& kernel, const Ops& ops, size_t first, const Steps& steps,
                const ScheduleOptions& ofAll) {
  ScheduleOptions options = ofAll;
  options.afterStep = nullptr;
  ir::Kernel aside = kernel;
  transforms::Builder builder(aside);
  ByModel model(aside, options, !steps.empty());
  std::vector<StepError> wrong;
  if (ops.size() == 1) {
    Place place{ops[0], operandNames(kernel, ops[0])};
    place.number = first;
    place.whole = &ops[0];
    apply(builder, std::move(place), steps, options, wrong, &model);
  } else {
    apply(builder, ops, first, steps, options, wrong, &model);
  }
  return wrong.empty() ? model.filled(steps) : steps;
}

}  // namespace einc::strategy
