// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels as one self-contained C99 file (freestanding headers and math.h). For each def NAME:
//
//   static einc_status NAME_check(...)     everything that can be wrong, before data is touched
//   static void NAME_run(...)              the loops, printed from the kernel at hardware level
//   einc_status NAME(...)                  check, then run
//   einc_status NAME_supported(...)        check
//   void _mlir_ciface_NAME(...)            for callers compiled by MLIR; has no way to report
// and where the def has local tensors
//   einc_status NAME_workspace(..., int64_t *bytes)
//   einc_status NAME_with_workspace(..., void *workspace, int64_t bytes)
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

struct KernelCode {
  const ir::Kernel* contract;  // structured, on tensors: what the checks follow from
  const ir::Kernel* code;      // the same at hardware level: what is printed
};

struct COptions {
  std::string library;
  std::string prefix;
  // For tests of the tests: a miscompilation to plant. drop-last, off-by-one, swap-strides,
  // no-init, skip-check, wrong-offset; anything else plants nothing.
  std::string plant;
};

// The names of the miscompilations that can be planted.
std::vector<std::string> plantNames();

// The file, or why there is none: two defs with one C name.
Result<std::string> emitC(const std::vector<KernelCode>& kernels, const COptions& options);

}  // namespace einc::emit
