// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/aliasing.h"

#include <algorithm>

namespace einc::facts {
namespace {

// Whether an element is read for several positions of results, which may be done at different times.
bool readsForSeveral(const ir::StructuredOp& op, const ir::Operand& input) {
  return std::any_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& iterator) {
    return iterator.kind == ir::IteratorKind::Parallel &&
           std::none_of(input.map.begin(), input.map.end(),
                        [&](const affine::Expr& index) { return index.mentions(iterator.name); });
  });
}

}  // namespace

bool mayShareMemory(const ir::Kernel& kernel, unsigned output, unsigned input) {
  const ir::Tensor &out = kernel.tensors[output], &in = kernel.tensors[input];
  if (out.role != ir::Role::Output || in.role != ir::Role::Input) return false;
  if (out.type != in.type || out.shape != in.shape) return false;
  bool written = false, safe = true;
  ir::forEachOp(kernel.body, [&](const ir::StructuredOp& op) {
    const ir::Operand* write = nullptr;
    for (const ir::Operand& operand : op.outputs)
      if (operand.tensor == output) write = &operand;
    for (const ir::Operand& read : op.inputs) {
      if (read.tensor != input || read.shapeOnly) continue;
      if (written || (write && (read.map != write->map || read.pad))) safe = false;
      if (readsForSeveral(op, read)) safe = false;
    }
    if (!write) return;
    for (const ir::Iterator& iterator : op.iterators)
      if (iterator.kind == ir::IteratorKind::Reduction) safe = false;
    if (written) safe = false;
    written = true;
  });
  return written && safe;
}

std::vector<unsigned> sharedPlaces(const ir::Kernel& kernel) {
  std::vector<unsigned> places;
  for (unsigned t = 0; t < kernel.tensors.size(); ++t) places.push_back(t);
  for (unsigned in = 0; in < kernel.tensors.size(); ++in)
    for (unsigned out = 0; out < kernel.tensors.size(); ++out)
      if (mayShareMemory(kernel, out, in))
        std::replace(places.begin(), places.end(), unsigned{places[in]}, unsigned{places[out]});
  return places;
}

unsigned placeByType(const ir::Kernel& kernel, unsigned tensor) {
  const std::vector<ir::Tensor>& tensors = kernel.tensors;
  if (!ir::isArgument(tensors[tensor].role)) return tensor;
  for (unsigned t = 0; t < tensor; ++t)
    if (ir::isArgument(tensors[t].role) && tensors[t].type == tensors[tensor].type) return t;
  return tensor;
}

}  // namespace einc::facts
