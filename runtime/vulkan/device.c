// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What devices there are, and what each can do.
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

uint32_t einc_vk_api(const einc_vk_functions *vk) {
  const PFN_vkEnumerateInstanceVersion ask =
      (PFN_vkEnumerateInstanceVersion)vk->GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
  uint32_t version = 0;
  if (ask == NULL || ask(&version) != VK_SUCCESS || version < VK_API_VERSION_1_1) return 0;
  return version < VK_API_VERSION_1_2 ? VK_API_VERSION_1_1 : VK_API_VERSION_1_2;
}

einc_vk_status einc_vk_physical_devices(const einc_vk_functions *vk, VkInstance instance,
                                        VkPhysicalDevice **devices, uint32_t *count) {
  VkResult result = VK_INCOMPLETE;
  *devices = NULL;
  while (result == VK_INCOMPLETE) {  // again if there are more by then
    free((void *)*devices);
    *devices = NULL;
    result = vk->EnumeratePhysicalDevices(instance, count, NULL);
    if (result != VK_SUCCESS) break;
    *devices = (VkPhysicalDevice *)calloc((size_t)*count + 1, sizeof(**devices));
    if (*devices == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "list of devices");
    result = vk->EnumeratePhysicalDevices(instance, count, *devices);
  }
  if (result == VK_SUCCESS) return EINC_VK_OK;
  free((void *)*devices);
  *devices = NULL;
  // This is how some versions of the loader say that no driver works.
  if (result == VK_ERROR_INITIALIZATION_FAILED) return einc_vk_fail(EINC_VK_NO_DRIVER, "no driver");
  return einc_vk_result(result, "vkEnumeratePhysicalDevices");
}

// --- features ---------------------------------------------------------------------------------

typedef struct {
  VkPhysicalDeviceFeatures2 core;
  VkPhysicalDevice16BitStorageFeatures storage16;
  VkPhysicalDevice8BitStorageFeatures storage8;
  VkPhysicalDeviceShaderFloat16Int8Features small;
} feature_chain;

static const char *const kExtension8 = VK_KHR_8BIT_STORAGE_EXTENSION_NAME;
static const char *const kExtensionSmall = VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME;

static void link_features(feature_chain *chain, int has_storage8, int has_small) {
  memset(chain, 0, sizeof(*chain));
  chain->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  chain->storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  chain->storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES;
  chain->small.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  chain->core.pNext = &chain->storage16;
  void **end = &chain->storage16.pNext;
  if (has_storage8) {
    *end = &chain->storage8;
    end = &chain->storage8.pNext;
  }
  if (has_small) *end = &chain->small;
}

static int has_extension(const einc_vk_functions *vk, VkPhysicalDevice physical, const char *name) {
  uint32_t count = 0;
  int found = 0;
  if (vk->EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS) return 0;
  VkExtensionProperties *all = (VkExtensionProperties *)calloc((size_t)count + 1, sizeof(*all));
  if (all == NULL) return 0;
  if (vk->EnumerateDeviceExtensionProperties(physical, NULL, &count, all) >= 0) {
    for (uint32_t i = 0; i < count && !found; ++i) found = !strcmp(all[i].extensionName, name);
  }
  free(all);
  return found;
}

static uint32_t features_of(const einc_vk_functions *vk, VkPhysicalDevice physical, uint32_t api) {
  const int core = api >= VK_API_VERSION_1_2;
  feature_chain chain;
  link_features(&chain, core || has_extension(vk, physical, kExtension8),
                core || has_extension(vk, physical, kExtensionSmall));
  vk->GetPhysicalDeviceFeatures2(physical, &chain.core);
  const VkPhysicalDeviceFeatures *f = &chain.core.features;
  uint32_t bits = 0;
  if (f->shaderFloat64) bits |= EINC_VK_F64;
  if (f->shaderInt16) bits |= EINC_VK_INT16;
  if (f->shaderInt64) bits |= EINC_VK_INT64;
  if (chain.small.shaderFloat16) bits |= EINC_VK_F16;
  if (chain.small.shaderInt8) bits |= EINC_VK_INT8;
  if (chain.storage8.storageBuffer8BitAccess) bits |= EINC_VK_STORAGE_8;
  if (chain.storage16.storageBuffer16BitAccess) bits |= EINC_VK_STORAGE_16;
  return bits;
}

einc_vk_status einc_vk_open_device(const einc_vk_functions *vk, VkPhysicalDevice physical,
                                   const einc_vk_device_info *info, uint32_t family,
                                   VkDevice *device) {
  const uint32_t bits = info->features;
  const int has_storage8 = (bits & EINC_VK_STORAGE_8) != 0;
  const int has_small = (bits & (EINC_VK_F16 | EINC_VK_INT8)) != 0;
  feature_chain chain;
  link_features(&chain, has_storage8, has_small);
  chain.core.features.shaderFloat64 = (bits & EINC_VK_F64) != 0;
  chain.core.features.shaderInt16 = (bits & EINC_VK_INT16) != 0;
  chain.core.features.shaderInt64 = (bits & EINC_VK_INT64) != 0;
  chain.small.shaderFloat16 = (bits & EINC_VK_F16) != 0;
  chain.small.shaderInt8 = (bits & EINC_VK_INT8) != 0;
  chain.storage8.storageBuffer8BitAccess = (VkBool32)has_storage8;
  chain.storage16.storageBuffer16BitAccess = (bits & EINC_VK_STORAGE_16) != 0;

  const char *extensions[2];
  uint32_t extension_count = 0;
  if (info->api[0] == 1 && info->api[1] < 2) {  // later they are part of Vulkan
    if (has_storage8) extensions[extension_count++] = kExtension8;
    if (has_small) extensions[extension_count++] = kExtensionSmall;
  }
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = family,
      .queueCount = 1,
      .pQueuePriorities = &priority,
  };
  const VkDeviceCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &chain.core,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = extension_count,
      .ppEnabledExtensionNames = extensions,
  };
  return einc_vk_result(vk->CreateDevice(physical, &create, NULL, device), "vkCreateDevice");
}

// --- limits -----------------------------------------------------------------------------------

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static int kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return EINC_VK_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return EINC_VK_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return EINC_VK_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return EINC_VK_SOFTWARE;
    default:
      return EINC_VK_OTHER;
  }
}

// The first family of queues that computes; 0 if there is none.
static int find_family(const einc_vk_functions *vk, VkPhysicalDevice physical, uint32_t *family,
                       uint32_t *timestamp_bits) {
  uint32_t count = 0;
  int found = 0;
  vk->GetPhysicalDeviceQueueFamilyProperties(physical, &count, NULL);
  VkQueueFamilyProperties *all = (VkQueueFamilyProperties *)calloc((size_t)count + 1, sizeof(*all));
  if (all == NULL) return 0;
  vk->GetPhysicalDeviceQueueFamilyProperties(physical, &count, all);
  for (uint32_t i = 0; i < count && !found; ++i) {
    if (all[i].queueCount == 0 || !(all[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
    *family = i;
    *timestamp_bits = all[i].timestampValidBits;
    found = 1;
  }
  free(all);
  return found;
}

static uint64_t largest_heap(const einc_vk_functions *vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  uint64_t largest = 0;
  vk->GetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap *heap = &memory.memoryHeaps[i];
    if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > largest) {
      largest = heap->size;
    }
  }
  return largest;
}

static uint32_t subgroup_features(const VkPhysicalDeviceSubgroupProperties *subgroup) {
  const VkSubgroupFeatureFlags arithmetic = VK_SUBGROUP_FEATURE_VOTE_BIT |
                                            VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                            VK_SUBGROUP_FEATURE_BALLOT_BIT;
  const VkSubgroupFeatureFlags shuffle =
      VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  uint32_t bits = 0;
  if (!(subgroup->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)) return 0;
  if (!(arithmetic & ~subgroup->supportedOperations)) bits |= EINC_VK_SUBGROUP_ARITHMETIC;
  if (!(shuffle & ~subgroup->supportedOperations)) bits |= EINC_VK_SUBGROUP_SHUFFLE;
  return bits;
}

static void copy_limits(const VkPhysicalDeviceLimits *limits, einc_vk_device_info *info) {
  for (int i = 0; i < 3; ++i) {
    info->max_workgroup_count[i] = limits->maxComputeWorkGroupCount[i];
    info->max_workgroup_size[i] = limits->maxComputeWorkGroupSize[i];
  }
  info->max_workgroup_invocations = limits->maxComputeWorkGroupInvocations;
  info->max_shared_bytes = limits->maxComputeSharedMemorySize;
  info->max_push_bytes = limits->maxPushConstantsSize;
  info->max_buffers = smaller(
      smaller(limits->maxPerStageDescriptorStorageBuffers, limits->maxDescriptorSetStorageBuffers),
      smaller(limits->maxPerStageResources, EINC_VK_MAX_BUFFERS));
  info->max_allocations = limits->maxMemoryAllocationCount;
  info->max_binding_bytes = limits->maxStorageBufferRange;
  info->offset_alignment = limits->minStorageBufferOffsetAlignment;
}

// By the extensions of those who say it.
static uint32_t units_of(const einc_vk_functions *vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCorePropertiesAMD amd = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  if (has_extension(vk, physical, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    all.pNext = &nvidia;
  } else if (has_extension(vk, physical, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    all.pNext = &amd;
  } else {
    return 0;
  }
  vk->GetPhysicalDeviceProperties2(physical, &all);
  return nvidia.shaderSMCount +
         amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
}

// Vulkan has no such limit, nor a way to ask for it: Mesa's software device ends loops like this.
// (It counts for invocations that run in step together, each loop by the longest.)
static uint32_t max_rounds(const einc_vk_device_info *info) {
  static const char name[] = "llvmpipe";
  return info->kind == EINC_VK_SOFTWARE && !strncmp(info->name, name, sizeof(name) - 1) ? 65535 : 0;
}

int einc_vk_describe(const einc_vk_functions *vk, VkPhysicalDevice physical, uint32_t api,
                     einc_vk_device_info *info, uint32_t *family, uint32_t *timestamp_bits) {
  VkPhysicalDeviceMaintenance3Properties sizes = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &sizes};
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &subgroup};
  const VkPhysicalDeviceProperties *properties = &all.properties;
  vk->GetPhysicalDeviceProperties2(physical, &all);
  if (properties->apiVersion < VK_API_VERSION_1_1) return 0;
  if (!find_family(vk, physical, family, timestamp_bits)) return 0;
  if (properties->apiVersion < api) api = VK_API_VERSION_1_1;

  memset(info, 0, sizeof(*info));
  memcpy(info->name, properties->deviceName, sizeof(info->name));
  info->name[sizeof(info->name) - 1] = 0;
  info->kind = kind_of(properties->deviceType);
  info->api[0] = VK_API_VERSION_MAJOR(api);
  info->api[1] = VK_API_VERSION_MINOR(api);
  info->features = features_of(vk, physical, api) | subgroup_features(&subgroup);
  if (api >= VK_API_VERSION_1_2) info->features |= einc_vk_float_features(vk, physical);
  info->subgroup_size = subgroup.subgroupSize;
  copy_limits(&properties->limits, info);
  info->memory_bytes = largest_heap(vk, physical);
  info->max_buffer_bytes = sizes.maxMemoryAllocationSize < info->memory_bytes
                               ? sizes.maxMemoryAllocationSize
                               : info->memory_bytes;
  info->units = units_of(vk, physical);
  info->max_rounds = max_rounds(info);
  info->timestamp_ns = *timestamp_bits > 0 ? (double)properties->limits.timestampPeriod : 0;
  return 1;
}

einc_vk_status einc_vk_list_devices(einc_vk_device_info *devices, int capacity, int *count) {
  einc_vk_functions vk;
  VkInstance instance;
  VkPhysicalDevice *all = NULL;
  uint32_t all_count = 0, family, timestamp_bits;
  if (count == NULL || capacity < 0 || (capacity > 0 && devices == NULL)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_list_devices");
  }
  einc_vk_status status = einc_vk_load(&vk);
  if (status == EINC_VK_OK) status = einc_vk_open_instance(&vk, NULL, &instance);
  if (status != EINC_VK_OK) return status;
  status = einc_vk_physical_devices(&vk, instance, &all, &all_count);
  if (all != NULL) {
    int found = 0;
    for (uint32_t i = 0; i < all_count; ++i) {
      einc_vk_device_info info;
      if (!einc_vk_describe(&vk, all[i], einc_vk_api(&vk), &info, &family, &timestamp_bits)) {
        continue;
      }
      if (found < capacity) devices[found] = info;
      ++found;
    }
    if (found == 0) {
      status = einc_vk_fail(EINC_VK_NO_DEVICE, "%u devices, none fits", (unsigned)all_count);
    } else {
      *count = found;
    }
    free((void *)all);
  }
  vk.DestroyInstance(instance, NULL);
  return status;
}
