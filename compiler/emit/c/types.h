// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The types and statuses that header and source share.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::emit {

// einc_status and its values behind guards, so that several generated files can be included
// together: all of runtime/status.def, or those that kernels return.
enum class Statuses { All, OfKernels };
std::string statusType(Statuses which = Statuses::All);
// Where kernels with local tensors may get memory.
std::string arenaType();

// The descriptors of the kernels' tensors, and of `others`, each behind a guard.
std::string descriptorTypes(const std::vector<const ir::Kernel*>& kernels,
                            const std::vector<ir::Tensor>& others);

}  // namespace einc::emit
