// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The description of the device that is in this machine: what Vulkan says of it, and of the rest
// what its kind suggests.
#pragma once

#include <string>

#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::driver {

// The target "vulkan-native": the device of that name (einc_vk_options::device), the best if it is
// empty. Asked for once: later calls give the same. The reason is for people: no loader, no device
// of that name.
Result<const target::Target*> deviceHere(const std::string& name);

// A sentence with every number of a description.
std::string deviceText(const target::Device& device);

}  // namespace einc::driver
