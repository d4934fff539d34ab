// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The types and statuses that header and source share.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::emit {

// einc_status and its values behind guards, so that several generated files can be included
// together. Of the values those that occur in a text alone, if one is given: that of a file that is
// not included.
std::string statusType(const std::string& usedBy = "");

// The descriptors of the kernels' tensors, and of `others`, each behind a guard.
std::string descriptorTypes(const std::vector<const ir::Kernel*>& kernels,
                            const std::vector<ir::Tensor>& others);

}  // namespace einc::emit
