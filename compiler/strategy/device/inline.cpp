// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/inline.h"

#include <span>
#include <utility>

#include "compiler/strategy/device/private_values.h"
#include "compiler/strategy/plan/inlining.h"

namespace einc::strategy {

Recomputed recomputed(const ir::Kernel& kernel, const target::Device& device, const Ops& ops,
                      const std::vector<std::vector<std::string>>& shared,
                      const std::set<unsigned>& others) {
  std::set<unsigned> kept = others;  // or what needs no memory anyway
  for (const PrivateValue& value :
       privateValues(kernel, ops, shared, others, device.numbers.mostPrivate))
    kept.insert(value.tensor);
  Recomputed result{ops, {}};
  for (size_t i = 0; i < ops.size(); ++i) {
    const size_t at = i - result.gone.size();
    const ir::StructuredOp& op = result.ops[at];
    const unsigned output = op.outputs[0].tensor;
    const bool mayGo = kernel.tensors[output].role == ir::Role::Local && kept.count(output) == 0 &&
                       writesAllOfOne(kernel, op);
    if (!mayGo) continue;
    auto readers = readersInline(kernel, op, std::span(result.ops).subspan(at + 1));
    if (!readers || *readers > device.numbers.mostReaders) continue;
    result.gone.push_back(i);
    result.ops = withoutOp(kernel, result.ops, at);
  }
  return result;
}

}  // namespace einc::strategy
