// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

const char *einc_vk_loader_name = "libvulkan.so.1";

einc_vk_status einc_vk_load(einc_vk_functions *vk) {
  memset(vk, 0, sizeof(*vk));
  // Never closed: not every driver survives being unloaded.
  void *loader = dlopen(einc_vk_loader_name, RTLD_NOW | RTLD_LOCAL);
  if (loader == NULL) return einc_vk_fail(EINC_VK_NO_LOADER, "%s", dlerror());
  // POSIX lets pointers to functions be pointers to objects, C does not: hence the copy.
  void *symbol = dlsym(loader, "vkGetInstanceProcAddr");
  memcpy((void *)&vk->GetInstanceProcAddr, (void *)&symbol, sizeof(symbol));
  if (symbol != NULL) return EINC_VK_OK;
  return einc_vk_fail(EINC_VK_NO_LOADER, "%s has no vkGetInstanceProcAddr", einc_vk_loader_name);
}

einc_vk_status einc_vk_load_instance(einc_vk_functions *vk, VkInstance instance) {
  vk->CreateDebugUtilsMessengerEXT = (PFN_vkCreateDebugUtilsMessengerEXT)vk->GetInstanceProcAddr(
      instance, "vkCreateDebugUtilsMessengerEXT");
  vk->DestroyDebugUtilsMessengerEXT = (PFN_vkDestroyDebugUtilsMessengerEXT)vk->GetInstanceProcAddr(
      instance, "vkDestroyDebugUtilsMessengerEXT");
#define EINC_VK_GET(name)                                                 \
  vk->name = (PFN_vk##name)vk->GetInstanceProcAddr(instance, "vk" #name); \
  if (vk->name == NULL) return einc_vk_fail(EINC_VK_NO_DRIVER, "no vk" #name);
  EINC_VK_INSTANCE_FUNCTIONS(EINC_VK_GET)
#undef EINC_VK_GET
  return EINC_VK_OK;
}

einc_vk_status einc_vk_load_device(einc_vk_functions *vk, VkDevice device) {
#define EINC_VK_GET(name)                                             \
  vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(device, "vk" #name); \
  if (vk->name == NULL) return einc_vk_fail(EINC_VK_NO_DRIVER, "no vk" #name);
  EINC_VK_DEVICE_FUNCTIONS(EINC_VK_GET)
#undef EINC_VK_GET
  return EINC_VK_OK;
}
