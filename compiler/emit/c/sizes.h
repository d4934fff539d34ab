// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How much memory a kernel's loops take, as C that adds it up:
//
//   workspace += (kc * nc * 4 + 63) / 64 * 64;
//
// Of a loop whose rounds take memory, as much as the largest takes.
#pragma once

#include <string>

#include "compiler/emit/c/c.h"
#include "compiler/emit/c/scope.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// What one buffer takes, so that the next is at a multiple of 64 bytes, too.
std::string bytesOf(const ir::Tensor& tensor, const std::string& elements);

// The statements; `code` has allocs and what says how large they are (sizesOnly), and no others.
std::string sizeStatements(const ir::Kernel& code, KernelScope& scope, Prelude& prelude,
                           const COptions& options, const std::string& workspace);

}  // namespace einc::emit
