// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is in a kernel library, as JSON for tools: defs, their C functions, tensors, attributes; of
// one for devices (device.h) also the dispatches.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/c/c.h"
#include "compiler/emit/text/signature.h"
#include "llvm/Support/JSON.h"

namespace einc::emit {

Result<std::string> emitManifest(const std::vector<KernelCode>& kernels, const COptions& options);

// What is known of a kernel without its code.
llvm::json::Object kernelObject(const ir::Kernel& kernel, const COptions& options,
                                const std::vector<Prototype>& prototypes);
// The document: what all libraries have, `more` and the kernels.
std::string manifestText(const COptions& options, llvm::json::Array kernels,
                         llvm::json::Object more);

}  // namespace einc::emit
