// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/text/stored.h"

namespace einc::emit {

std::optional<Reason> refuseStored(const ir::Kernel& kernel, const std::string& what) {
  for (const ir::Tensor& tensor : kernel.tensors)
    if (const ir::TypeInfo& type = ir::info(tensor.type); type.onlyStores())
      return Reason{"tensor '" + tensor.name + "' is of " + std::string(type.name) + ", and " +
                    what + " no elements of it"};
  return std::nullopt;
}

}  // namespace einc::emit
