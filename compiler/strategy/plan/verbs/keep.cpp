// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: sums_rows, n: nc)
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const KeepStep& step) {
  if (!here.region || here.region->isAlone())
    return work.refuse(here, "sums are kept for ops that are done on their tiles");
  std::vector<affine::Expr> shape, map;
  for (const auto& [name, positions] : step.memory) {
    if (!here.find(name)) return work.refuse(here, noIterator(here, name));
    auto number = work.number(here, positions);
    if (!number) return work.refuse(here, number.reason());
    shape.push_back(*number);
    map.push_back(transforms::at(here.actualName(name)));
  }
  const ir::Tensor results = work.builder.kernel().tensors[here.op.outputs[0].tensor];
  unsigned sums = work.builder.tensor("sums", results.type, std::move(shape), ir::Role::Local);
  const size_t outputs = here.op.outputs.size();
  here.region->keepSums(here.op, {sums, std::move(map), nullptr});
  here.names.insert(here.names.end() - static_cast<ptrdiff_t>(outputs), OperandName{});
  here.contiguous.clear();
  here.strided.clear();
  ir::Block block;
  work.take(sums, block);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
