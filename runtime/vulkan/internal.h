/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this folder share. Tests include it too: they put functions that fail into a
 * context's table.
 */
#ifndef EINC_RUNTIME_VULKAN_INTERNAL_H_
#define EINC_RUNTIME_VULKAN_INTERNAL_H_

#define VK_NO_PROTOTYPES
#include <pthread.h>
#include <vulkan/vulkan_core.h>

#include "runtime/vulkan/vk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vulkan's functions, by what they are asked of. Nothing links to them. */
#define EINC_VK_INSTANCE_FUNCTIONS(F)       \
  F(DestroyInstance)                        \
  F(EnumeratePhysicalDevices)               \
  F(GetPhysicalDeviceProperties2)           \
  F(GetPhysicalDeviceFeatures2)             \
  F(GetPhysicalDeviceQueueFamilyProperties) \
  F(GetPhysicalDeviceMemoryProperties)      \
  F(EnumerateDeviceExtensionProperties)     \
  F(CreateDevice)                           \
  F(GetDeviceProcAddr)

/* Those that may fail; each has a test in which it does. */
#define EINC_VK_FALLIBLE_FUNCTIONS(F) \
  F(AllocateCommandBuffers)           \
  F(AllocateDescriptorSets)           \
  F(AllocateMemory)                   \
  F(BeginCommandBuffer)               \
  F(BindBufferMemory)                 \
  F(CreateBuffer)                     \
  F(CreateCommandPool)                \
  F(CreateComputePipelines)           \
  F(CreateDescriptorPool)             \
  F(CreateDescriptorSetLayout)        \
  F(CreateFence)                      \
  F(CreatePipelineLayout)             \
  F(CreateQueryPool)                  \
  F(CreateShaderModule)               \
  F(EndCommandBuffer)                 \
  F(GetQueryPoolResults)              \
  F(MapMemory)                        \
  F(QueueSubmit)                      \
  F(ResetCommandPool)                 \
  F(ResetDescriptorPool)              \
  F(ResetFences)                      \
  F(WaitForFences)

#define EINC_VK_DEVICE_FUNCTIONS(F) \
  EINC_VK_FALLIBLE_FUNCTIONS(F)     \
  F(CmdBindDescriptorSets)          \
  F(CmdBindPipeline)                \
  F(CmdCopyBuffer)                  \
  F(CmdDispatch)                    \
  F(CmdPipelineBarrier)             \
  F(CmdPushConstants)               \
  F(CmdResetQueryPool)              \
  F(CmdWriteTimestamp)              \
  F(CreatePipelineCache)            \
  F(DestroyBuffer)                  \
  F(DestroyCommandPool)             \
  F(DestroyDescriptorPool)          \
  F(DestroyDescriptorSetLayout)     \
  F(DestroyDevice)                  \
  F(DestroyFence)                   \
  F(DestroyPipeline)                \
  F(DestroyPipelineCache)           \
  F(DestroyPipelineLayout)          \
  F(DestroyQueryPool)               \
  F(DestroyShaderModule)            \
  F(DeviceWaitIdle)                 \
  F(FreeMemory)                     \
  F(GetBufferMemoryRequirements)    \
  F(GetDeviceQueue)                 \
  F(GetPipelineCacheData)           \
  F(UpdateDescriptorSets)

typedef struct {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  PFN_vkCreateDebugUtilsMessengerEXT CreateDebugUtilsMessengerEXT;
  PFN_vkDestroyDebugUtilsMessengerEXT DestroyDebugUtilsMessengerEXT;
#define EINC_VK_MEMBER(name) PFN_vk##name name;
  EINC_VK_INSTANCE_FUNCTIONS(EINC_VK_MEMBER)
  EINC_VK_DEVICE_FUNCTIONS(EINC_VK_MEMBER)
#undef EINC_VK_MEMBER
} einc_vk_functions;

struct einc_vk_context {
  einc_vk_functions vk;
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family, timestamp_bits;
  int borrowed; /* instance and device are the caller's */
  int always_stage;
  einc_vk_device_info info;
  VkPhysicalDeviceMemoryProperties memory;

  VkDebugUtilsMessengerEXT messenger;
  void (*on_message)(void *user, const char *text);
  void *user;

  VkPipelineCache cache;
  char *cache_path; /* null: no file */
  uint64_t cache_hash;

  pthread_mutex_t queue_lock;
  pthread_mutex_t lock; /* of all below */
  int references;       /* the user's, and one for each object */
  int lost;
  uint32_t allocations;
  uint64_t messages;
  uint64_t next_address; /* of buffers that are asked for theirs */
  einc_vk_event *idle;   /* events to be used again */
};

struct einc_vk_buffer {
  einc_vk_context *context;
  int references; /* the user's, and one for each run; under the context's lock */
  VkBuffer buffer;
  VkDeviceMemory memory; /* null: imported */
  uint64_t bytes;
  uint64_t address; /* 0: not asked for yet; under the context's lock */
  char *mapped;     /* null: copies go through staging buffers */
};

struct einc_vk_kernel {
  einc_vk_context *context;
  int references; /* as above */
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  uint32_t buffer_count, written, push_bytes, base_offset;
  int splits;
};

/* A run: what it is recorded in, and what it keeps alive. */
struct einc_vk_event {
  einc_vk_context *context;
  einc_vk_event *next; /* in the list of idle ones */
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  VkQueryPool queries; /* null: no timestamps */
  VkDescriptorPool descriptors;
  uint32_t max_sets, max_descriptors;
  const einc_vk_kernel **kernels;
  const einc_vk_buffer **buffers;
  size_t kernel_count, buffer_count;
};

/* --- loader.c --- */

extern const char *einc_vk_loader_name; /* tests change it */
einc_vk_status einc_vk_load(einc_vk_functions *vk);
einc_vk_status einc_vk_load_instance(einc_vk_functions *vk, VkInstance instance);
einc_vk_status einc_vk_load_device(einc_vk_functions *vk, VkDevice device);

/* --- status.c --- */

void einc_vk_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Keeps the message for einc_vk_last_message; its value is the status. */
#define einc_vk_fail(status, ...) (einc_vk_note(__VA_ARGS__), (status))
/* The status of what a function of Vulkan has returned. */
einc_vk_status einc_vk_result(VkResult result, const char *function);

/* --- device.c --- */

/* The version of Vulkan that contexts ask for, at most: 1.2. 0: less than 1.1. */
uint32_t einc_vk_api(const einc_vk_functions *vk);
/* All devices; free *devices. */
einc_vk_status einc_vk_physical_devices(const einc_vk_functions *vk, VkInstance instance,
                                        VkPhysicalDevice **devices, uint32_t *count);
/* 0 if the device cannot compute. */
int einc_vk_describe(const einc_vk_functions *vk, VkPhysicalDevice physical, uint32_t api,
                     einc_vk_device_info *info, uint32_t *family, uint32_t *timestamp_bits);
einc_vk_status einc_vk_open_device(const einc_vk_functions *vk, VkPhysicalDevice physical,
                                   const einc_vk_device_info *info, uint32_t family,
                                   VkDevice *device);

/* --- context.c --- */

/* With a new instance; `context` gets the messages of the layer, if it is not null. */
einc_vk_status einc_vk_open_instance(einc_vk_functions *vk, einc_vk_context *context,
                                     VkInstance *instance);
/* DEVICE_LOST if it is. */
einc_vk_status einc_vk_alive(einc_vk_context *context);
/* As einc_vk_result; notes that the device is lost. */
einc_vk_status einc_vk_check(einc_vk_context *context, VkResult result, const char *function);
void einc_vk_retain(einc_vk_context *context, int *references);
/* 1 if that was the last reference. */
int einc_vk_release(einc_vk_context *context, int *references);
void einc_vk_context_release(einc_vk_context *context);

/* --- cache.c --- */

einc_vk_status einc_vk_cache_open(einc_vk_context *context, const char *folder);

/* --- spirv.c --- */

/* Words before a module's first instruction; and the instructions that the runtime knows. */
enum {
  EINC_VK_SPIRV_HEADER = 5,
  EINC_VK_OP_EXTENSION = 10,
  EINC_VK_OP_ENTRY_POINT = 15,
  EINC_VK_OP_EXECUTION_MODE = 16,
  EINC_VK_OP_CAPABILITY = 17
};

/* Checks the structure of a module; *features is what it declares. */
einc_vk_status einc_vk_check_spirv(const einc_vk_kernel_description *description,
                                   const uint32_t *api, uint32_t *features);

/* Whether this OpEntryPoint (model, function, name, ...) of so many words is the one asked for. */
int einc_vk_is_entry(const uint32_t *words, uint32_t count, const char *name);

/* --- float.c --- */

/* What a device of Vulkan 1.2 or later can keep, as bits of einc_vk_feature. */
uint32_t einc_vk_float_features(const einc_vk_functions *vk, VkPhysicalDevice physical);
/* The checked module of a kernel so that it keeps what these features allow; to be freed. */
einc_vk_status einc_vk_keep_floats(const einc_vk_kernel_description *description, uint32_t features,
                                   uint32_t **module, size_t *bytes);

/* --- buffer.c, kernel.c --- */

void einc_vk_buffer_release(const einc_vk_buffer *buffer);
void einc_vk_kernel_release(const einc_vk_kernel *kernel);

/* --- event.c --- */

/* An event whose commands are being recorded, after a barrier to whatever ran before. */
einc_vk_status einc_vk_event_begin(einc_vk_context *context, uint32_t sets, uint32_t descriptors,
                                   einc_vk_event **event);
einc_vk_status einc_vk_event_submit(einc_vk_event *event);
/* For one that is not running. */
void einc_vk_event_discard(einc_vk_event *event);
void einc_vk_event_destroy(einc_vk_event *event);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_VULKAN_INTERNAL_H_ */
