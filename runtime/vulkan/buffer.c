// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

// Larger copies go through the staging buffer in turns.
static const uint64_t kStagingBytes = UINT64_C(16) << 20;

// --- memory -----------------------------------------------------------------------------------

static const VkMemoryPropertyFlags kSeen =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// The first type of memory among `allowed` with these flags; -1: none.
static int find_type(const VkPhysicalDeviceMemoryProperties *memory, uint32_t allowed,
                     VkMemoryPropertyFlags flags) {
  // Others have rules of their own.
  const VkMemoryPropertyFlags known =
      kSeen | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  for (uint32_t i = 0; i < memory->memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags has = memory->memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1) && !(flags & ~has) && !(has & ~known)) return (int)i;
  }
  return -1;
}

// Where the device's memory is the host's, it is read and written in place. Elsewhere the host may
// see it too, but reads it slowly.
static int is_shared(const einc_vk_context *context) {
  return context->info.kind == EINC_VK_INTEGRATED || context->info.kind == EINC_VK_SOFTWARE;
}

static int choose_type(const einc_vk_context *context, uint32_t allowed, int staging) {
  const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  const VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const int shared = is_shared(context);
  const VkMemoryPropertyFlags wanted[3] = {
      staging ? kSeen | cached : local | (shared ? kSeen | cached : 0),
      staging ? kSeen : local | (shared ? kSeen : 0),
      staging ? kSeen : local,
  };
  int type = -1;
  for (int i = 0; i < 3 && type < 0; ++i) type = find_type(&context->memory, allowed, wanted[i]);
  return type >= 0 || staging ? type : find_type(&context->memory, allowed, 0);
}

static einc_vk_status count_allocation(einc_vk_context *context) {
  pthread_mutex_lock(&context->lock);
  const int fits = context->allocations < context->info.max_allocations;
  if (fits) ++context->allocations;
  pthread_mutex_unlock(&context->lock);
  return fits ? EINC_VK_OK
              : einc_vk_fail(EINC_VK_TOO_MANY_OBJECTS, "the device allows %u allocations",
                             (unsigned)context->info.max_allocations);
}

static void free_memory(einc_vk_context *context, VkDeviceMemory memory) {
  context->vk.FreeMemory(context->device, memory, NULL);
  pthread_mutex_lock(&context->lock);
  --context->allocations;
  pthread_mutex_unlock(&context->lock);
}

static einc_vk_status allocate(einc_vk_buffer *buffer, int staging) {
  einc_vk_context *context = buffer->context;
  const einc_vk_functions *vk = &context->vk;
  VkMemoryRequirements needs;
  vk->GetBufferMemoryRequirements(context->device, buffer->buffer, &needs);
  const int type = choose_type(context, needs.memoryTypeBits, staging);
  if (type < 0) return einc_vk_fail(EINC_VK_OUT_OF_DEVICE_MEMORY, "no fitting type of memory");
  const VkMemoryType *chosen = &context->memory.memoryTypes[type];
  if (needs.size > context->memory.memoryHeaps[chosen->heapIndex].size) {
    return einc_vk_fail(EINC_VK_OUT_OF_DEVICE_MEMORY, "%llu bytes are more than the heap has",
                        (unsigned long long)needs.size);
  }
  einc_vk_status status = count_allocation(context);
  if (status != EINC_VK_OK) return status;
  const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = (uint32_t)type};
  VkDeviceMemory memory;
  status = einc_vk_check(context, vk->AllocateMemory(context->device, &info, NULL, &memory),
                         "vkAllocateMemory");
  if (status != EINC_VK_OK) {
    pthread_mutex_lock(&context->lock);
    --context->allocations;
    pthread_mutex_unlock(&context->lock);
    return status;
  }
  buffer->memory = memory;
  status = einc_vk_check(context, vk->BindBufferMemory(context->device, buffer->buffer, memory, 0),
                         "vkBindBufferMemory");
  if (status != EINC_VK_OK) return status;
  const int in_place = is_shared(context) && !context->always_stage;
  if (!staging && (!in_place || (kSeen & ~chosen->propertyFlags))) return status;
  void *mapped = NULL;
  status = einc_vk_check(
      context, vk->MapMemory(context->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  if (status == EINC_VK_OK) buffer->mapped = (char *)mapped;
  return status;
}

// --- life -------------------------------------------------------------------------------------

static einc_vk_buffer *make(einc_vk_context *context, uint64_t bytes) {
  einc_vk_buffer *buffer = (einc_vk_buffer *)calloc(1, sizeof(*buffer));
  if (buffer == NULL) {
    einc_vk_note("buffer");
    return NULL;
  }
  buffer->context = context;
  buffer->references = 1;
  buffer->bytes = bytes;
  einc_vk_retain(context, &context->references);
  return buffer;
}

static void destroy(einc_vk_buffer *buffer, int imported) {
  einc_vk_context *context = buffer->context;
  if (!imported) {
    if (buffer->buffer != VK_NULL_HANDLE) {
      context->vk.DestroyBuffer(context->device, buffer->buffer, NULL);
    }
    if (buffer->memory != VK_NULL_HANDLE) free_memory(context, buffer->memory);
  }
  free(buffer);
  einc_vk_context_release(context);
}

static einc_vk_status create(einc_vk_context *context, uint64_t bytes, int staging,
                             einc_vk_buffer **buffer) {
  if (bytes > context->info.max_buffer_bytes) {
    return einc_vk_fail(EINC_VK_BUFFER_TOO_LARGE, "%llu bytes, the device allocates %llu",
                        (unsigned long long)bytes,
                        (unsigned long long)context->info.max_buffer_bytes);
  }
  einc_vk_buffer *made = make(context, bytes);
  if (made == NULL) return EINC_VK_OUT_OF_HOST_MEMORY;
  // Vulkan has no empty buffers, and shaders read small elements by words.
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = bytes == 0 ? 4 : (bytes + 3) / 4 * 4,
      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               (staging ? 0 : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
  };
  VkBuffer handle;
  einc_vk_status status = einc_vk_check(
      context, context->vk.CreateBuffer(context->device, &info, NULL, &handle), "vkCreateBuffer");
  if (status == EINC_VK_OK) {
    made->buffer = handle;
    status = allocate(made, staging);
  }
  if (status != EINC_VK_OK) {
    destroy(made, 0);
    return status;
  }
  *buffer = made;
  return EINC_VK_OK;
}

einc_vk_status einc_vk_buffer_create(einc_vk_context *context, uint64_t bytes,
                                     einc_vk_buffer **buffer) {
  if (context == NULL || buffer == NULL) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_buffer_create");
  }
  const einc_vk_status status = einc_vk_alive(context);
  return status == EINC_VK_OK ? create(context, bytes, 0, buffer) : status;
}

einc_vk_status einc_vk_buffer_import(einc_vk_context *context, uint64_t vk_buffer, uint64_t bytes,
                                     einc_vk_buffer **buffer) {
  if (context == NULL || buffer == NULL || vk_buffer == 0 || bytes == 0) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_buffer_import");
  }
  einc_vk_buffer *made = make(context, bytes);
  if (made == NULL) return EINC_VK_OUT_OF_HOST_MEMORY;
  made->buffer = (VkBuffer)vk_buffer;
  *buffer = made;
  return EINC_VK_OK;
}

void einc_vk_buffer_release(const einc_vk_buffer *buffer) {
  einc_vk_buffer *released = (einc_vk_buffer *)buffer;
  if (einc_vk_release(released->context, &released->references)) {
    destroy(released, released->memory == VK_NULL_HANDLE);
  }
}

void einc_vk_buffer_free(einc_vk_buffer *buffer) {
  if (buffer != NULL) einc_vk_buffer_release(buffer);
}

uint64_t einc_vk_buffer_bytes(const einc_vk_buffer *buffer) {
  return buffer == NULL ? 0 : buffer->bytes;
}

// Numbers are given out once and in order, to those who ask: temporary buffers do not.
uint64_t einc_vk_buffer_address(const einc_vk_buffer *buffer) {
  if (buffer == NULL) return 0;
  einc_vk_buffer *numbered = (einc_vk_buffer *)buffer;
  einc_vk_context *context = buffer->context;
  pthread_mutex_lock(&context->lock);
  if (numbered->address == 0) {
    context->next_address += 4096;
    numbered->address = context->next_address;
    context->next_address += (buffer->bytes + 4095) / 4096 * 4096;
  }
  const uint64_t address = numbered->address;
  pthread_mutex_unlock(&context->lock);
  return address;
}

// --- copies -----------------------------------------------------------------------------------

static einc_vk_status check_copy(const einc_vk_buffer *buffer, uint64_t offset, const void *data,
                                 uint64_t bytes) {
  if (buffer == NULL || (data == NULL && bytes > 0)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_buffer_write or _read");
  }
  if (offset > buffer->bytes || bytes > buffer->bytes - offset) {
    return einc_vk_fail(EINC_VK_OUT_OF_BUFFER, "%llu bytes at %llu, the buffer has %llu",
                        (unsigned long long)bytes, (unsigned long long)offset,
                        (unsigned long long)buffer->bytes);
  }
  return einc_vk_alive(buffer->context);
}

// Copies on the device, and waits.
static einc_vk_status copy(VkBuffer from, uint64_t from_offset, VkBuffer to, uint64_t to_offset,
                           uint64_t bytes, einc_vk_context *context) {
  einc_vk_event *event;
  einc_vk_status status = einc_vk_event_begin(context, 0, 0, &event);
  if (status != EINC_VK_OK) return status;
  const VkBufferCopy region = {from_offset, to_offset, bytes};
  context->vk.CmdCopyBuffer(event->commands, from, to, 1, &region);
  status = einc_vk_event_submit(event);
  if (status != EINC_VK_OK) {
    einc_vk_event_discard(event);
    return status;
  }
  status = einc_vk_event_wait(event, EINC_VK_FOREVER);
  einc_vk_event_free(event);
  return status;
}

// Exactly one of `in` and `out` is not null.
static einc_vk_status copy_staged(einc_vk_buffer *buffer, uint64_t offset, const char *in,
                                  char *out, uint64_t bytes) {
  einc_vk_context *context = buffer->context;
  einc_vk_buffer *staging = NULL;
  einc_vk_status status =
      create(context, bytes < kStagingBytes ? bytes : kStagingBytes, 1, &staging);
  for (uint64_t done = 0; status == EINC_VK_OK && done < bytes;) {
    const uint64_t part = bytes - done < staging->bytes ? bytes - done : staging->bytes;
    if (in != NULL) {
      memcpy(staging->mapped, in + done, (size_t)part);
      status = copy(staging->buffer, 0, buffer->buffer, offset + done, part, context);
    } else {
      status = copy(buffer->buffer, offset + done, staging->buffer, 0, part, context);
      if (status == EINC_VK_OK) memcpy(out + done, staging->mapped, (size_t)part);
    }
    done += part;
    if (status != EINC_VK_OK || done >= bytes) einc_vk_buffer_release(staging);
  }
  return status;
}

einc_vk_status einc_vk_buffer_write(einc_vk_buffer *buffer, uint64_t offset, const void *data,
                                    uint64_t bytes) {
  const einc_vk_status status = check_copy(buffer, offset, data, bytes);
  if (status != EINC_VK_OK || bytes == 0) return status;
  if (buffer->mapped == NULL) return copy_staged(buffer, offset, (const char *)data, NULL, bytes);
  memcpy(buffer->mapped + offset, data, (size_t)bytes);
  return EINC_VK_OK;
}

einc_vk_status einc_vk_buffer_read(einc_vk_buffer *buffer, uint64_t offset, void *data,
                                   uint64_t bytes) {
  const einc_vk_status status = check_copy(buffer, offset, data, bytes);
  if (status != EINC_VK_OK || bytes == 0) return status;
  if (buffer->mapped == NULL) return copy_staged(buffer, offset, NULL, (char *)data, bytes);
  memcpy(data, buffer->mapped + offset, (size_t)bytes);
  return EINC_VK_OK;
}
