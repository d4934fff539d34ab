// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels that run on a Vulkan device as one C99 file, which needs runtime/vulkan. For a library
// LIB with a def NAME:
//
//   struct LIB_vulkan_kernels              the shaders on a device, made when they are first used
//   static einc_status NAME_check(...)     as for a CPU: everything that can be wrong with a call
//   static void NAME_record(...)           the host's statements, printed from the kernel at
//                                          hardware level: a call for each dispatch and what it
//                                          binds
//   static einc_status NAME_submit(...)    check, record, then run or ask
//   einc_status NAME_vulkan(...)           submit, with an event
//   einc_status NAME_vulkan_supported(...) submit, asking only
//
// and its header and its manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/c/c.h"
#include "compiler/emit/text/shader.h"
#include "compiler/emit/text/signature.h"
#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

struct DeviceCode {
  const ir::Kernel* contract;  // structured, on tensors: what the checks follow from
  const ir::Kernel* code;      // at hardware level: the host's statements, with dispatches
  std::string schedule;
  const std::vector<Shader>* shaders;                 // one for each dispatch
  const std::vector<std::vector<uint32_t>>* modules;  // SPIR-V of each shader
};

// The file, or why there is none: two defs with one C name.
Result<std::string> emitDeviceC(const std::vector<DeviceCode>& kernels, const COptions& options);
Result<std::string> emitDeviceHeader(const std::vector<DeviceCode>& kernels,
                                     const COptions& options);
Result<std::string> emitDeviceManifest(const std::vector<DeviceCode>& kernels,
                                       const COptions& options);

// ---- What these share ----

// "LIB_vulkan": what the library's own names begin with.
std::string deviceLibraryName(const COptions& options);
// Of a kernel's public functions.
std::vector<Prototype> devicePrototypesOf(const ir::Kernel& kernel, const COptions& options);
// What programs call in a library: the kernels' functions and the library's own.
std::vector<std::string> deviceExportedNames(const std::vector<DeviceCode>& kernels,
                                             const COptions& options);
// The type and the functions of the library itself, declared.
std::string deviceLibraryDeclarations(const COptions& options);
// The reason why two of the kernels cannot be in one library.
std::optional<Reason> findDeviceNameClash(const std::vector<DeviceCode>& kernels,
                                          const COptions& options);

}  // namespace einc::emit
