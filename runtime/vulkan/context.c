// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Contexts: an instance, one of its devices, one queue.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

static const char *const kLayer = "VK_LAYER_KHRONOS_validation";

static VKAPI_ATTR VkBool32 VKAPI_CALL message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data,
                                              void *user) {
  einc_vk_context *context = (einc_vk_context *)user;
  (void)severity;
  // The loader has messages too, about drivers that it cannot open. They concern nobody here.
  if (types == VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) return VK_FALSE;
  pthread_mutex_lock(&context->lock);
  ++context->messages;
  pthread_mutex_unlock(&context->lock);
  if (context->on_message != NULL) context->on_message(context->user, data->pMessage);
  return VK_FALSE;
}

static int has_layer(const einc_vk_functions *vk) {
  const PFN_vkEnumerateInstanceLayerProperties ask =
      (PFN_vkEnumerateInstanceLayerProperties)vk->GetInstanceProcAddr(
          NULL, "vkEnumerateInstanceLayerProperties");
  uint32_t count = 0;
  int found = 0;
  if (ask == NULL || ask(&count, NULL) != VK_SUCCESS) return 0;
  VkLayerProperties *all = (VkLayerProperties *)calloc((size_t)count + 1, sizeof(*all));
  if (all == NULL) return 0;
  if (ask(&count, all) >= 0) {
    for (uint32_t i = 0; i < count && !found; ++i) found = !strcmp(all[i].layerName, kLayer);
  }
  free(all);
  return found;
}

einc_vk_status einc_vk_open_instance(einc_vk_functions *vk, einc_vk_context *context,
                                     VkInstance *instance) {
  const uint32_t api = einc_vk_api(vk);
  const PFN_vkCreateInstance create =
      (PFN_vkCreateInstance)vk->GetInstanceProcAddr(NULL, "vkCreateInstance");
  if (api == 0 || create == NULL) return einc_vk_fail(EINC_VK_NO_DEVICE, "only Vulkan 1.0");
  if (context != NULL && !has_layer(vk)) return einc_vk_fail(EINC_VK_NO_VALIDATION, "%s", kLayer);

  const VkDebugUtilsMessengerCreateInfoEXT messenger = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
      .pfnUserCallback = message,
      .pUserData = context,
  };
  const VkValidationFeatureEnableEXT synchronization =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkValidationFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      .enabledValidationFeatureCount = 1,
      .pEnabledValidationFeatures = &synchronization,
  };
  const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                    VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "einc", .apiVersion = api};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pApplicationInfo = &application};
  if (context != NULL) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kLayer;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
  }
  VkInstance made;
  einc_vk_status status = einc_vk_result(create(&info, NULL, &made), "vkCreateInstance");
  if (status != EINC_VK_OK) return status;
  status = einc_vk_load_instance(vk, made);
  if (status == EINC_VK_OK && context != NULL) {
    status = einc_vk_result(
        vk->CreateDebugUtilsMessengerEXT(made, &messenger, NULL, &context->messenger),
        "vkCreateDebugUtilsMessengerEXT");
  }
  if (status == EINC_VK_OK) {
    *instance = made;
  } else if (vk->DestroyInstance != NULL) {
    vk->DestroyInstance(made, NULL);
  }
  return status;
}

// --- which device -----------------------------------------------------------------------------

static int contains(const char *text, const char *part) {
  for (; *text != 0; ++text) {
    size_t i = 0;
    while (part[i] != 0 && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) ++i;
    if (part[i] == 0) return 1;
  }
  return 0;
}

// How well the device that has `number` among those that compute is what was asked for; 0: not.
static int rank_device(const char *wanted, uint32_t number, const einc_vk_device_info *info) {
  static const int by_kind[] = {[EINC_VK_OTHER] = 1,
                                [EINC_VK_SOFTWARE] = 2,
                                [EINC_VK_VIRTUAL] = 3,
                                [EINC_VK_INTEGRATED] = 4,
                                [EINC_VK_DISCRETE] = 5};
  if (wanted == NULL) return by_kind[info->kind];
  if (*wanted != 0 && strspn(wanted, "0123456789") == strlen(wanted)) {
    return strtoul(wanted, NULL, 10) == number;
  }
  return contains(info->name, wanted);
}

static einc_vk_status choose_device(einc_vk_context *context, const char *wanted) {
  VkPhysicalDevice *all = NULL;
  uint32_t count = 0, number = 0;
  int best = 0;
  const einc_vk_status status =
      einc_vk_physical_devices(&context->vk, context->instance, &all, &count);
  if (status != EINC_VK_OK) return status;
  for (uint32_t i = 0; i < count; ++i) {
    einc_vk_device_info info;
    uint32_t family, timestamp_bits;
    if (!einc_vk_describe(&context->vk, all[i], einc_vk_api(&context->vk), &info, &family,
                          &timestamp_bits)) {
      continue;
    }
    const int rank = rank_device(wanted, number++, &info);
    if (rank <= best) continue;
    best = rank;
    context->physical = all[i];
    context->info = info;
    context->family = family;
    context->timestamp_bits = timestamp_bits;
  }
  free((void *)all);
  if (best > 0) return EINC_VK_OK;
  if (number == 0) return einc_vk_fail(EINC_VK_NO_DEVICE, "%u devices, none fits", (unsigned)count);
  return einc_vk_fail(EINC_VK_UNKNOWN_DEVICE, "%u devices, none is '%s'", (unsigned)number, wanted);
}

static einc_vk_status open_own(einc_vk_context *context, const einc_vk_options *options) {
  einc_vk_status status =
      einc_vk_open_instance(&context->vk, options->validation ? context : NULL, &context->instance);
  if (status == EINC_VK_OK) status = choose_device(context, options->device);
  if (status != EINC_VK_OK) return status;
  status = einc_vk_open_device(&context->vk, context->physical, &context->info, context->family,
                               &context->device);
  if (status != EINC_VK_OK) return status;
  status = einc_vk_load_device(&context->vk, context->device);
  if (status != EINC_VK_OK) return status;
  context->vk.GetDeviceQueue(context->device, context->family, 0, &context->queue);
  return EINC_VK_OK;
}

static einc_vk_status open_existing(einc_vk_context *context, const einc_vk_handles *handles) {
  if (handles->instance == NULL || handles->physical_device == NULL || handles->device == NULL ||
      handles->queue == NULL) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "a handle of the existing device is null");
  }
  context->borrowed = 1;
  context->instance = (VkInstance)handles->instance;
  context->physical = (VkPhysicalDevice)handles->physical_device;
  context->device = (VkDevice)handles->device;
  context->queue = (VkQueue)handles->queue;
  einc_vk_status status = einc_vk_load_instance(&context->vk, context->instance);
  if (status == EINC_VK_OK) status = einc_vk_load_device(&context->vk, context->device);
  if (status != EINC_VK_OK) return status;
  uint32_t family, bits;
  if (!einc_vk_describe(&context->vk, context->physical, einc_vk_api(&context->vk), &context->info,
                        &family, &bits)) {
    return einc_vk_fail(EINC_VK_NO_DEVICE, "the existing device cannot compute");
  }
  const uint32_t subgroups = EINC_VK_SUBGROUP_ARITHMETIC | EINC_VK_SUBGROUP_SHUFFLE;
  context->info.features &= handles->features | subgroups;
  context->family = handles->queue_family;
  // Only the family that was found is known to have timestamps.
  context->timestamp_bits = family == handles->queue_family ? bits : 0;
  if (context->timestamp_bits == 0) context->info.timestamp_ns = 0;
  return EINC_VK_OK;
}

// --- life -------------------------------------------------------------------------------------

static void destroy(einc_vk_context *context) {
  const einc_vk_functions *vk = &context->vk;
  while (context->idle != NULL) {
    einc_vk_event *event = context->idle;
    context->idle = event->next;
    einc_vk_event_destroy(event);
  }
  if (context->cache != VK_NULL_HANDLE) {
    if (context->cache_path != NULL) einc_vk_context_save_cache(context);
    vk->DestroyPipelineCache(context->device, context->cache, NULL);
  }
  if (!context->borrowed) {
    if (context->device != NULL && vk->DestroyDevice != NULL) {
      vk->DestroyDevice(context->device, NULL);
    }
    if (context->messenger != VK_NULL_HANDLE) {
      vk->DestroyDebugUtilsMessengerEXT(context->instance, context->messenger, NULL);
    }
    if (context->instance != NULL) vk->DestroyInstance(context->instance, NULL);
  }
  free(context->cache_path);
  pthread_mutex_destroy(&context->lock);
  pthread_mutex_destroy(&context->queue_lock);
  free(context);
}

einc_vk_status einc_vk_context_create(const einc_vk_options *options, einc_vk_context **context) {
  static const einc_vk_options defaults;
  if (options == NULL) options = &defaults;
  if (context == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_context_create");
  einc_vk_context *made = (einc_vk_context *)calloc(1, sizeof(*made));
  if (made == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "context");
  pthread_mutex_init(&made->lock, NULL);
  pthread_mutex_init(&made->queue_lock, NULL);
  made->references = 1;
  made->on_message = options->on_message;
  made->user = options->user;
  made->always_stage = options->always_stage;

  einc_vk_status status = einc_vk_load(&made->vk);
  if (status == EINC_VK_OK) {
    status = options->existing != NULL ? open_existing(made, options->existing)
                                       : open_own(made, options);
  }
  if (status == EINC_VK_OK) status = einc_vk_cache_open(made, options->cache_folder);
  if (status != EINC_VK_OK) {
    destroy(made);
    return status;
  }
  made->vk.GetPhysicalDeviceMemoryProperties(made->physical, &made->memory);
  for (int i = 0; i < 3; ++i) {
    uint32_t *limit = &made->info.max_workgroup_count[i];
    if (options->max_workgroup_count != 0 && options->max_workgroup_count < *limit) {
      *limit = options->max_workgroup_count;
    }
  }
  *context = made;
  return EINC_VK_OK;
}

void einc_vk_context_free(einc_vk_context *context) {
  if (context != NULL) einc_vk_context_release(context);
}

void einc_vk_retain(einc_vk_context *context, int *references) {
  pthread_mutex_lock(&context->lock);
  ++*references;
  pthread_mutex_unlock(&context->lock);
}

int einc_vk_release(einc_vk_context *context, int *references) {
  pthread_mutex_lock(&context->lock);
  const int left = --*references;
  pthread_mutex_unlock(&context->lock);
  return left == 0;
}

void einc_vk_context_release(einc_vk_context *context) {
  if (einc_vk_release(context, &context->references)) destroy(context);
}

einc_vk_status einc_vk_alive(einc_vk_context *context) {
  pthread_mutex_lock(&context->lock);
  const int lost = context->lost;
  pthread_mutex_unlock(&context->lock);
  return lost ? einc_vk_fail(EINC_VK_DEVICE_LOST, "the device was lost before") : EINC_VK_OK;
}

einc_vk_status einc_vk_check(einc_vk_context *context, VkResult result, const char *function) {
  const einc_vk_status status = einc_vk_result(result, function);
  if (status != EINC_VK_DEVICE_LOST) return status;
  pthread_mutex_lock(&context->lock);
  context->lost = 1;
  pthread_mutex_unlock(&context->lock);
  return status;
}

// --- questions --------------------------------------------------------------------------------

const einc_vk_device_info *einc_vk_context_device(const einc_vk_context *context) {
  return context == NULL ? NULL : &context->info;
}

uint64_t einc_vk_context_messages(const einc_vk_context *context) {
  if (context == NULL) return 0;
  einc_vk_context *locked = (einc_vk_context *)context;
  pthread_mutex_lock(&locked->lock);
  const uint64_t messages = context->messages;
  pthread_mutex_unlock(&locked->lock);
  return messages;
}

einc_vk_status einc_vk_context_handles(const einc_vk_context *context, einc_vk_handles *handles) {
  if (context == NULL || handles == NULL) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_context_handles");
  }
  const einc_vk_handles all = {context->instance, context->physical, context->device,
                               context->queue,    context->family,   context->info.features};
  *handles = all;
  return EINC_VK_OK;
}

void einc_vk_queue_lock(einc_vk_context *context) {
  if (context != NULL) pthread_mutex_lock(&context->queue_lock);
}

void einc_vk_queue_unlock(einc_vk_context *context) {
  if (context != NULL) pthread_mutex_unlock(&context->queue_lock);
}
