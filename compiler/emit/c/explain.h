// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// NAME_explain: what would run for these sizes and strides, and why. The statements of the loops
// that choose are walked once more, with sentences in the place of code:
//
//   end = einc_say(end, "form where M * N <= 512000, B has stride 1 along dimension 1: ");
//   if (M * N <= 512000 && B_stride1 == 1) {
//     end = einc_say(end, "yes\n");
//   } else {
//     end = einc_say(end, "no, ");
//     if (!(M * N <= 512000)) end = einc_say_number(end, "M * N is ", M * N, "\n");
//     else end = einc_say_number(end, "B has stride ", B_stride1, " along dimension 1\n");
//   }
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
