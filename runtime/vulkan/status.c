// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "runtime/vulkan/internal.h"

static __thread char last_message[512];

const char *einc_vk_status_string(einc_vk_status status) {
  switch (status) {
#define EINC_VK_STATUS(name, value, sentence) \
  case value:                                 \
    return sentence;
#include "runtime/vulkan/status.def"
#undef EINC_VK_STATUS
    default:
      return "unknown status of Einc's Vulkan runtime";
  }
}

const char *einc_vk_last_message(void) { return last_message; }

void einc_vk_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_message, sizeof(last_message), format, arguments);
  va_end(arguments);
}

static einc_vk_status status_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_MEMORY_MAP_FAILED:
      return EINC_VK_OUT_OF_HOST_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
      return EINC_VK_OUT_OF_DEVICE_MEMORY;
    case VK_ERROR_DEVICE_LOST:
      return EINC_VK_DEVICE_LOST;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return EINC_VK_NO_DRIVER;
    case VK_ERROR_LAYER_NOT_PRESENT:
      return EINC_VK_NO_VALIDATION;
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return EINC_VK_MISSING_FEATURE;
    case VK_ERROR_TOO_MANY_OBJECTS:
      return EINC_VK_TOO_MANY_OBJECTS;
    case VK_TIMEOUT:
    case VK_NOT_READY:
      return EINC_VK_TIMEOUT;
    default:
      // Other positive numbers are no failures.
      return result >= 0 ? EINC_VK_OK : EINC_VK_DRIVER_FAILED;
  }
}

einc_vk_status einc_vk_result(VkResult result, const char *function) {
  const einc_vk_status status = status_of(result);
  if (status == EINC_VK_OK) return status;
  return einc_vk_fail(status, "%s: VkResult %d", function, (int)result);
}
