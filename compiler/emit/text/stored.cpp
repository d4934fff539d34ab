// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/stored.h"

namespace einc::emit {

const ir::Tensor* storedTensor(const ir::Kernel& kernel) {
  for (const ir::Tensor& tensor : kernel.tensors)
    if (ir::info(tensor.type).onlyStores()) return &tensor;
  return nullptr;
}

std::optional<Reason> refuseStored(const ir::Kernel& kernel, const std::string& what) {
  const ir::Tensor* tensor = storedTensor(kernel);
  if (!tensor) return std::nullopt;
  return Reason{"tensor '" + tensor->name + "' is of " + std::string(ir::info(tensor->type).name) +
                ", and " + what + " no elements of it"};
}

}  // namespace einc::emit
