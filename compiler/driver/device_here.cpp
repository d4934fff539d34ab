// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device_here.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "compiler/driver/device_description.h"

namespace einc::driver {
namespace {

// The row for devices of this kind, for what Vulkan has no question for.
const target::Device& rowFor(int kind) {
  const char* name = kind == EINC_VK_SOFTWARE   ? "vulkan-software"
                     : kind == EINC_VK_DISCRETE ? "vulkan-desktop"
                                                : "vulkan";
  return *target::find(name)->device;
}

int64_t powerBelow(int64_t number) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(number, 1))));
}

}  // namespace

target::Device describeDevice(const einc_vk_device_info& info, int64_t units) {
  target::Device device = rowFor(info.kind);
  device.name = target::kNativeDevice;
  device.words = info.name;
  // Not all that the device has: registers are shared by the invocations of a workgroup.
  device.invocations =
      powerBelow(std::min<int64_t>({device.invocations, info.max_workgroup_invocations,
                                    info.max_workgroup_size[0], info.max_workgroup_size[1]}));
  device.subgroup = std::min(powerBelow(info.subgroup_size), device.invocations);
  device.sharedBytes = info.max_shared_bytes;
  if (info.units > 0) device.units = info.units;
  if (info.kind == EINC_VK_SOFTWARE) device.units = std::max<int64_t>(units, 1);
  // Some are left for loops over little, which the model does not count.
  device.rounds = info.max_rounds - info.max_rounds / 16;
  return device;
}

Result<const target::Target*> deviceHere(const std::string& name) {
  if (const target::Target* known = target::find(target::kNativeDevice)) return known;
  static einc_vk_device_info info;
  std::string reason = findDevice(name, info);
  if (!reason.empty()) return Reason{reason};
  static const target::Device device =
      describeDevice(info, static_cast<int64_t>(std::thread::hardware_concurrency()));
  return &target::setNativeDevice(device);
}

std::string deviceText(const target::Device& device) {
  auto text = [](int64_t number) { return std::to_string(number); };
  return std::string(device.name) + " is " + std::string(device.words) + ": subgroups of " +
         text(device.subgroup) + ", workgroups of at most " + text(device.invocations) +
         " invocations, " + text(device.sharedBytes) + " bytes of shared memory,\n  " +
         text(device.registers) + " registers an invocation, " + text(device.units) +
         (device.units == 1 ? " unit, " : " units, ") +
         (device.rounds == 0 ? "any number of" : "at most " + text(device.rounds)) +
         " rounds of loops an invocation\n";
}

}  // namespace einc::driver
