// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the runtime says of a device, as the model has it: for device_here.h, which needs no Vulkan.
#pragma once

#include <string>

#include "compiler/target/device.h"
#include "runtime/vulkan/vk.h"

namespace einc::driver {

// No number is above the device's limits. `units` is how many CPUs there are, of which a software
// device makes its units. `words` points into `info`.
target::Device describeDevice(const einc_vk_device_info& info, int64_t units);

// The device that a name chooses (einc_vk_options::device); "", or the reason why there is none.
// native_device.cpp has it, which opens devices.
std::string findDevice(const std::string& name, einc_vk_device_info& info);

}  // namespace einc::driver
