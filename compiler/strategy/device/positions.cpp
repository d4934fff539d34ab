// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/device/positions.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/device/private_values.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {
namespace {

// What steps call the tensor.
std::string nameOf(const Positions& at, const PrivateValue& kept) {
  const PrivateValue::Use& use = kept.uses.front();
  return at.ops.names.empty() ? at.kernel.tensors[kept.tensor].name
                              : at.ops.names[use.op][use.access].tensor;
}

// Whether a dimension of it is along the last of the shared iterators.
bool isAlongLast(const Positions& at, const PrivateValue& kept) {
  Ops ops = at.ops.ops;
  const std::vector<std::string> used = transforms::iteratorsOf(kept.uses.front().in(ops));
  return std::find(used.begin(), used.end(), at.shared.back()[kept.uses.front().op]) != used.end();
}

}  // namespace

std::vector<std::string> ownIterators(const Positions& at, size_t op, ir::IteratorKind kind) {
  std::vector<std::string> result;
  for (const ir::Iterator& i : at.ops.ops[op].iterators)
    if (i.kind == kind && std::none_of(at.shared.begin(), at.shared.end(),
                                       [&](const auto& names) { return names[op] == i.name; }))
      result.push_back(i.name);
  return result;
}

Steps bindAll(const Positions& at, BindStep::To to, int64_t last, const std::string& why) {
  Steps steps;
  for (const auto& names : at.shared) {
    const bool isLast = &names == &at.shared.back();
    steps.push_back(Step(BindStep{names[0], transforms::constant(isLast ? last : 1), to}, why));
  }
  return steps;
}

Steps keepAll(const Positions& at, KeepStep::Where where, int64_t most, int64_t rows) {
  Steps steps;
  for (const PrivateValue& kept :
       privateValues(at.kernel, at.ops.ops, at.shared, at.others, most)) {
    KeepStep step{{}, nameOf(at, kept), where};
    if (where == KeepStep::Where::Workgroup) {
      if (!kept.shape.empty()) continue;
      if (!at.shared.empty() && rows > 1 && isAlongLast(at, kept))
        step.memory.push_back({at.shared.back()[0], transforms::constant(rows)});
    }
    steps.push_back(Step(std::move(step), "it is read where it was just written"));
  }
  return steps;
}

}  // namespace einc::strategy
