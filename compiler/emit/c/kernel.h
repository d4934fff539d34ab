// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One kernel's C functions.
#pragma once

#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/prelude.h"
#include "compiler/emit/c/vectors.h"

namespace einc::emit {

// The loops for one target: outlined functions, NAME_run and NAME_bytes, which says how many bytes
// of workspace it takes.
std::string runText(const KernelCode& kernel, const TargetCode& code, const COptions& options,
                    Prelude& prelude, VectorPrelude& vectors);

// Declarations of what those call of the other functions; empty for most.
std::string forwardText(const KernelCode& kernel, const COptions& options, Prelude& prelude);

// The other functions, public ones last; what they need of the prelude goes into `prelude`.
std::string kernelText(const KernelCode& kernel, const COptions& options, Prelude& prelude);

// NAME_check alone.
std::string checkText(const ir::Kernel& contract, const COptions& options, Prelude& prelude);

// Whether an external function computes all of the def, whatever the target.
bool isExternal(const KernelCode& kernel);

// Whether the def has local tensors, which need memory.
bool needsWorkspace(const ir::Kernel& kernel);

}  // namespace einc::emit
