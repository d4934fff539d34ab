// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Libraries of kernels for Vulkan devices: their texts, and what of the runtime goes with them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/outputs.h"
#include "compiler/driver/shaders.h"
#include "compiler/emit/c/device.h"
#include "compiler/support/result.h"

namespace einc::driver {

std::vector<emit::DeviceCode> deviceCodes(const std::vector<DeviceKernel>& kernels);
Result<LibraryTexts> deviceTexts(const std::vector<DeviceKernel>& kernels,
                                 const std::string& library, const NamingOptions& naming);

// The files of runtime/vulkan and what it needs, by their paths in Einc's tree. All of it goes into
// a library, so that it can be linked as it is: from the second library in a program, a linker
// takes what it has not got already, which is nothing of this.
struct RuntimeFile {
  std::string_view path, text;
  bool isPublic;  // what programs include: lies beside a library's header
};
const std::vector<RuntimeFile>& runtimeFiles();

}  // namespace einc::driver
