// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is in a kernel library, as JSON for tools: defs, their C functions, tensors, attributes.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/c.h"

namespace einc::emit {

Result<std::string> emitManifest(const std::vector<KernelCode>& kernels, const COptions& options);

}  // namespace einc::emit
