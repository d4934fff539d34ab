// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels as self-contained C99 (freestanding headers and math.h): one file, or one for each def
// and one with what they share. For each def NAME:
//
//   static einc_status NAME_check(...)     everything that can be wrong, before data is touched
//   static void NAME_run(...)              the loops, printed from the kernel at hardware level;
//                                          with several targets one for each, NAME_run_v4(...),
//                                          and the choice among them by the CPU
//   einc_status NAME(...)                  check, then run
//   einc_status NAME_supported(...)        check
//   const char *NAME_explain(...)          what would run, and why, as sentences
//   void _mlir_ciface_NAME(...)            for callers compiled by MLIR; has no way to report
// and where the def has local tensors
//   einc_status NAME_workspace(..., int64_t *bytes)
//   einc_status NAME_with_workspace(..., void *workspace, int64_t bytes)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::emit {

// A kernel at hardware level, for one target.
struct TargetCode {
  const target::Target* target;
  const ir::Kernel* code;
  std::string schedule;  // what was done and why, for the comment above it
};

struct KernelCode {
  const ir::Kernel* contract;     // structured, on tensors: what the checks follow from
  std::vector<TargetCode> codes;  // what is printed; the most modest target first
  std::optional<ir::LibraryCall> exported = {};  // the function of a CBLAS that it is, too
};

struct COptions {
  std::string library;
  std::string prefix;
  int64_t threads = 1;          // at most; 1: no loop is on threads
  bool keepsOrder = false;      // of sums, as the passes were told; for the comment
  bool severalTargets = false;  // the code of each gets its name
  bool contiguous = false;      // arguments have unit stride along their last dimensions
  int64_t align = 1;            // their first elements are at multiples of so many bytes
  // For tests of the tests: a miscompilation to plant, one of plantNames().
  std::string plant;
};

// The names of the miscompilations that can be planted; no-barrier is for shaders alone, those
// behind it for C alone.
std::vector<std::string> plantNames();

struct CFile {
  std::string path;  // in the library's folder
  std::string text;
};

// One file, or why there is none: two defs with one C name.
Result<std::string> emitC(const std::vector<KernelCode>& kernels, const COptions& options);
// LIB.c, which the kernels share and which is the same for all kernels; and LIB/DEF.c for each def,
// which is the same whatever other defs there are. None includes another.
Result<std::vector<CFile>> emitCFiles(const std::vector<KernelCode>& kernels,
                                      const COptions& options);

}  // namespace einc::emit
