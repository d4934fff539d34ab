/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The header as a C program sees it: alone, and without Vulkan's. */
#include <stdio.h>

#include "runtime/vulkan/vk.h"

#ifdef VK_VERSION_1_0
#error "vk.h must not need Vulkan's headers"
#endif

int main(void) {
  einc_vk_buffer *buffer = NULL;
  const einc_vk_status status = einc_vk_buffer_create(NULL, 1, &buffer);
  printf("%s: %s\n", einc_vk_status_string(status), einc_vk_last_message());
  return status == EINC_VK_BAD_ARGUMENT && buffer == NULL ? 0 : 1;
}
