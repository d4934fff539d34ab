// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Functions that kernels call, and that their user provides: MLIR's C interface to Linalg's calling
// convention.
//
//   void _mlir_ciface_my_f(einc_memref_f32_1 *A, float s, einc_memref_f32_1 *C);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/c/c.h"

namespace einc::emit {

struct ExternalFunction {
  std::string name;       // as it was given: "my_f"
  std::string prototype;  // with its parameters' names, without a semicolon
  std::string types;      // of the parameters
  struct Use {
    std::string def;
    std::vector<std::string> ops;  // what it computes there, as IR text
    bool operator==(const Use&) const = default;
  };
  std::vector<Use> uses;
};

// Each once, in the order of the kernels.
std::vector<ExternalFunction> externalFunctions(const std::vector<KernelCode>& kernels);

// Local tensors that they get, whose descriptors no kernel takes.
std::vector<ir::Tensor> externalTensors(const std::vector<KernelCode>& kernels);

// "_mlir_ciface_my_f"
std::string externalSymbol(const std::string& name);

// Two functions of one name with other parameters.
std::optional<Reason> findExternalClash(const std::vector<KernelCode>& kernels);

}  // namespace einc::emit
