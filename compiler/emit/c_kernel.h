// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One kernel's C functions.
#pragma once

#include <string>

#include "compiler/emit/c.h"
#include "compiler/emit/prelude.h"

namespace einc::emit {

// All functions of the kernel, public ones last; what they need of the prelude goes into `prelude`.
std::string kernelText(const KernelCode& kernel, const COptions& options, Prelude& prelude);

// Whether the def has local tensors, which need memory.
bool needsWorkspace(const ir::Kernel& kernel);

}  // namespace einc::emit
