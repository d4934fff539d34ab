// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/complete.h"

#include <optional>
#include <utility>

#include "compiler/strategy/device/decide.h"
#include "compiler/strategy/device/product.h"
#include "compiler/strategy/plan/apply.h"

namespace einc::strategy {
namespace {

// Nothing of the op is done: it is on no part of its operands.
bool isWholeOp(const Place& place, const ir::StructuredOp& op) {
  bool same = place.op.inputs.size() >= op.inputs.size() &&
              place.op.outputs[0].tensor == op.outputs[0].tensor;
  for (size_t i = 0; same && i < op.inputs.size(); ++i)
    same = place.op.inputs[i].tensor == op.inputs[i].tensor;
  return same;
}

class OfProduct : public Completion {
 public:
  OfProduct(transforms::Builder& builder, const Ops& ops, size_t product, size_t first,
            const ScheduleOptions& options)
      : builder_(builder), ops_(ops), product_(product), first_(first), options_(options) {}

 private:
  Steps choose(const Place& place, bool) override {
    if (!isWholeOp(place, ops_[product_])) return {};
    return smallForm(builder_, ops_, first_, options_).steps;
  }

  transforms::Builder& builder_;
  const Ops& ops_;
  size_t product_, first_;
  const ScheduleOptions& options_;
};

}  // namespace

Steps completedOnDevice(const ir::Kernel& kernel, const Ops& ops, size_t first, const Steps& steps,
                        const ScheduleOptions& ofAll) {
  const auto product = ops.size() > 1 && !fusesOnTiles(steps) ? std::nullopt
                       : ops.size() > 1                       ? productOf(kernel, ops)
                                                              : std::optional<size_t>(0);
  if (!product) return steps;
  ScheduleOptions options = ofAll;
  options.afterStep = nullptr;
  ir::Kernel aside = kernel;
  transforms::Builder builder(aside);
  OfProduct completion(builder, ops, *product, first, options);
  std::vector<StepError> wrong;
  if (ops.size() == 1)
    apply(builder, Place{ops[0], operandNames(kernel, ops[0])}, steps, options, wrong, &completion);
  else
    apply(builder, ops, first, steps, options, wrong, &completion);
  return wrong.empty() ? completion.filled(steps) : steps;
}

}  // namespace einc::strategy
