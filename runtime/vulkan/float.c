// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the arithmetic of kernels keeps. Vulkan lets devices take it that there are no NaN, no
// infinities and one zero, and flush subnormal numbers, unless a module says otherwise for each
// width, which it may only where the device can do it. So this is said when a kernel is made.
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

enum { kFloat16 = 9, kFloat64 = 10, kExtensionWords = 7, kModeWords = 4, kWidths = 3, kKinds = 2 };

// A mode, the capability that it takes, and the features that allow it for 16, 32 and 64 bits.
typedef struct {
  uint32_t mode, capability, features[kWidths];
} float_mode;

static const float_mode kModes[kKinds] = {
    // SignedZeroInfNanPreserve
    {4461, 4466, {EINC_VK_NAN_16, EINC_VK_NAN_32, EINC_VK_NAN_64}},
    // DenormPreserve
    {4459, 4464, {EINC_VK_SUBNORMAL_16, EINC_VK_SUBNORMAL_32, EINC_VK_SUBNORMAL_64}},
};

uint32_t einc_vk_float_features(const einc_vk_functions *vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceFloatControlsProperties can = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &can};
  vk->GetPhysicalDeviceProperties2(physical, &all);
  uint32_t bits = 0;
  if (can.shaderSignedZeroInfNanPreserveFloat16) bits |= EINC_VK_NAN_16;
  if (can.shaderSignedZeroInfNanPreserveFloat32) bits |= EINC_VK_NAN_32;
  if (can.shaderSignedZeroInfNanPreserveFloat64) bits |= EINC_VK_NAN_64;
  // Widths whose modes have to be the same are left as they are.
  const VkShaderFloatControlsIndependence independence = can.denormBehaviorIndependence;
  if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE) return bits;
  if (can.shaderDenormPreserveFloat32) bits |= EINC_VK_SUBNORMAL_32;
  if (independence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL) return bits;
  if (can.shaderDenormPreserveFloat16) bits |= EINC_VK_SUBNORMAL_16;
  if (can.shaderDenormPreserveFloat64) bits |= EINC_VK_SUBNORMAL_64;
  return bits;
}

// Where in a module something goes, and what it says there.
typedef struct {
  size_t capabilities, entries;  // the ends of both, in words
  uint32_t entry;                // the function of the entry point
  int computes[kWidths];
} module_places;

static module_places places_of(const uint32_t *words, size_t count, const char *name) {
  module_places places = {EINC_VK_SPIRV_HEADER, EINC_VK_SPIRV_HEADER, 0, {0, 1, 0}};
  for (size_t at = EINC_VK_SPIRV_HEADER; at < count; at += words[at] >> 16) {
    const uint32_t code = words[at] & 0xffff, size = words[at] >> 16;
    if (code == EINC_VK_OP_CAPABILITY && size == 2 && places.entry == 0) {
      places.capabilities = places.entries = at + size;
      if (words[at + 1] == kFloat16) places.computes[0] = 1;
      if (words[at + 1] == kFloat64) places.computes[2] = 1;
    }
    if (code != EINC_VK_OP_ENTRY_POINT) continue;
    places.entries = at + size;
    if (einc_vk_is_entry(words + at, size, name)) places.entry = words[at + 2];
  }
  return places;
}

static uint32_t *put(uint32_t *to, const uint32_t *words, size_t count) {
  memcpy(to, words, count * sizeof(*words));
  return to + count;
}

einc_vk_status einc_vk_keep_floats(const einc_vk_kernel_description *description, uint32_t features,
                                   uint32_t **module, size_t *bytes) {
  const uint32_t *words = description->spirv;
  const size_t count = description->spirv_bytes / sizeof(*words);
  const char *name = description->entry_point != NULL ? description->entry_point : "main";
  const module_places places = places_of(words, count, name);
  uint32_t capabilities[kKinds * 2], modes[kKinds * kWidths * kModeWords];
  size_t capability_words = 0, mode_words = 0;
  for (int kind = 0; kind < kKinds; ++kind) {
    const size_t before = mode_words;
    for (int width = 0; width < kWidths; ++width) {
      if (!places.computes[width] || !(features & kModes[kind].features[width])) continue;
      modes[mode_words++] = (uint32_t)kModeWords << 16 | EINC_VK_OP_EXECUTION_MODE;
      modes[mode_words++] = places.entry;
      modes[mode_words++] = kModes[kind].mode;
      modes[mode_words++] = 16U << width;
    }
    if (mode_words == before) continue;
    capabilities[capability_words++] = 2U << 16 | EINC_VK_OP_CAPABILITY;
    capabilities[capability_words++] = kModes[kind].capability;
  }
  uint32_t extension[kExtensionWords] = {(uint32_t)kExtensionWords << 16 | EINC_VK_OP_EXTENSION};
  const char controls[] = "SPV_KHR_float_controls";
  memcpy(extension + 1, controls, sizeof(controls));
  const size_t extension_words = mode_words > 0 ? kExtensionWords : 0;

  *bytes = (count + capability_words + extension_words + mode_words) * sizeof(*words);
  *module = (uint32_t *)malloc(*bytes);
  if (*module == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "SPIR-V");
  uint32_t *to = put(*module, words, places.capabilities);
  to = put(to, capabilities, capability_words);
  to = put(to, extension, extension_words);
  to = put(to, words + places.capabilities, places.entries - places.capabilities);
  to = put(to, modes, mode_words);
  put(to, words + places.entries, count - places.entries);
  return EINC_VK_OK;
}
