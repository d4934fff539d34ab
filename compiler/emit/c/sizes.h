// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How much memory a kernel's loops take, as C that adds it up:
//
//   workspace += (M * N * 4 + 63) / 64 * 64;
//   const int64_t before = workspace;
//   workspace += (kc * nc * 4 + 63) / 64 * 64;
//   most = einc_greatest(most, workspace);
//   workspace = before;
//
// At the end of a block, what it took is free again. Of a loop's rounds those count that may differ.
#pragma once

#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/scope.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// The statements; `code` has allocs and what says how large they are (sizesOnly), and no others.
std::string sizeStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                           const COptions& options, const std::string& workspace);

}  // namespace einc::emit
