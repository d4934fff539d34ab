// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Facts about devices that run compute shaders, one row each in device.def; that of this machine is
// described by the driver (driver/device_here.h). No algorithms.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/target/numbers.h"

namespace einc::target {

struct Device {
  std::string_view name;   // as --target= spells it
  std::string_view words;  // for people
  int64_t subgroup;        // invocations that run in step
  int64_t invocations;     // of a workgroup, at most
  int64_t sharedBytes;     // of a workgroup, at most
  int64_t registers;       // 32-bit values that one invocation may keep
  int64_t units;           // that run workgroups at once
  int64_t rounds;          // of loops, that one invocation may run; 0: any number
  DeviceNumbers numbers = {};
};

// Of a vector, of any type: vec4.
constexpr int kDeviceLanes = 4;

// All rows.
const std::vector<Device>& allDevices();

}  // namespace einc::target
