// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/device_here.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/driver/device_description.h"

namespace einc::driver {
namespace {

einc_vk_device_info infoOf(int kind, uint32_t subgroup, uint32_t invocations, uint32_t shared) {
  einc_vk_device_info info = {};
  std::strcpy(info.name, "some device");
  info.kind = kind;
  info.subgroup_size = subgroup;
  info.max_workgroup_invocations = invocations;
  for (uint32_t& size : info.max_workgroup_size) size = invocations;
  info.max_shared_bytes = shared;
  return info;
}

TEST(DeviceHere, VulkanSaysWhatItCanAndTheKindTheRest) {
  einc_vk_device_info info = infoOf(EINC_VK_DISCRETE, 64, 1024, 65536);
  target::Device device = describeDevice(info, 4);
  EXPECT_EQ(device.name, "vulkan-native");
  EXPECT_EQ(device.words, "some device");
  EXPECT_EQ(device.subgroup, 64);
  EXPECT_EQ(device.invocations, 256);  // as the row has it
  EXPECT_EQ(device.sharedBytes, 65536);
  EXPECT_EQ(device.registers, 128);
  EXPECT_EQ(device.units, 64);
  EXPECT_EQ(device.rounds, 0);
  info.units = 132;
  EXPECT_EQ(describeDevice(info, 4).units, 132);

  info = infoOf(EINC_VK_SOFTWARE, 8, 1024, 32768);
  info.max_rounds = 65535;
  device = describeDevice(info, 6);
  EXPECT_EQ(device.units, 6);
  EXPECT_LT(device.rounds, 65535);
  EXPECT_GT(device.rounds, 60000);
}

TEST(DeviceHere, NothingIsAboveTheLimits) {
  for (int kind = EINC_VK_OTHER; kind <= EINC_VK_SOFTWARE; ++kind)
    for (uint32_t subgroup : {0u, 1u, 24u, 32u, 128u})
      for (uint32_t invocations : {1u, 64u, 100u, 128u, 1536u})
        for (uint32_t shared : {1024u, 16384u, 233472u}) {
          target::Device device =
              describeDevice(infoOf(kind, subgroup, invocations, shared), /*units=*/0);
          EXPECT_LE(device.invocations, invocations);
          EXPECT_LE(device.subgroup, device.invocations);
          EXPECT_EQ(device.sharedBytes, shared);
          EXPECT_GE(device.units, 1);
          for (int64_t number : {device.invocations, device.subgroup}) {
            EXPECT_GE(number, 1);
            EXPECT_EQ(number & (number - 1), 0) << number;
          }
        }
}

TEST(DeviceHere, EachNumberIsInTheText) {
  const target::Device device{"vulkan-x", "a device", 8, 128, 32768, 31, 1, 999};
  EXPECT_EQ(deviceText(device),
            "vulkan-x is a device: subgroups of 8, workgroups of at most 128 invocations, 32768 "
            "bytes of shared memory,\n  31 registers an invocation, 1 unit, at most 999 rounds of "
            "loops an invocation\n");
}

}  // namespace
}  // namespace einc::driver
