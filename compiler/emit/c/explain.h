// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A function that says what a call would run: the target's code, the choices that are made (choices.h),
// and the memory that is taken.
#pragma once

#include <string>

#include "compiler/emit/c/kernel.h"

namespace einc::emit {

// C expressions, with the parameters of the kernel.
struct Asked {
  std::string status;  // of a call
  std::string dense;   // whether arguments have no gaps; empty if that chooses nothing
};

// NAME_explain, and what it calls.
std::string explainText(const KernelCode& kernel, const COptions& options, Prelude& prelude,
                        const Asked& asked);

}  // namespace einc::emit
