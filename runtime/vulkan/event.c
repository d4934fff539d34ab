// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Events: a command pool, a fence and what else one run needs, to be used again by later runs.
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

void einc_vk_event_destroy(einc_vk_event *event) {
  const einc_vk_functions *vk = &event->context->vk;
  const VkDevice device = event->context->device;
  vk->DestroyDescriptorPool(device, event->descriptors, NULL);
  vk->DestroyQueryPool(device, event->queries, NULL);
  vk->DestroyFence(device, event->fence, NULL);
  vk->DestroyCommandPool(device, event->pool, NULL);
  free((void *)event->kernels);
  free((void *)event->buffers);
  free(event);
}

// --- making -----------------------------------------------------------------------------------

static einc_vk_status make_parts(einc_vk_event *event) {
  einc_vk_context *context = event->context;
  const einc_vk_functions *vk = &context->vk;
  const VkDevice device = context->device;
  const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                             .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                             .queueFamilyIndex = context->family};
  VkCommandPool pool;
  einc_vk_status status = einc_vk_check(
      context, vk->CreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
  if (status != EINC_VK_OK) return status;
  event->pool = pool;

  const VkCommandBufferAllocateInfo commands_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1};
  status =
      einc_vk_check(context, vk->AllocateCommandBuffers(device, &commands_info, &event->commands),
                    "vkAllocateCommandBuffers");
  if (status != EINC_VK_OK) return status;

  const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  status =
      einc_vk_check(context, vk->CreateFence(device, &fence_info, NULL, &fence), "vkCreateFence");
  if (status != EINC_VK_OK) return status;
  event->fence = fence;
  if (context->timestamp_bits == 0) return EINC_VK_OK;

  const VkQueryPoolCreateInfo query_info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                            .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                            .queryCount = 2};
  VkQueryPool queries;
  status = einc_vk_check(context, vk->CreateQueryPool(device, &query_info, NULL, &queries),
                         "vkCreateQueryPool");
  if (status == EINC_VK_OK) event->queries = queries;
  return status;
}

static einc_vk_status reset_parts(einc_vk_event *event) {
  einc_vk_context *context = event->context;
  const einc_vk_functions *vk = &context->vk;
  einc_vk_status status = einc_vk_check(
      context, vk->ResetCommandPool(context->device, event->pool, 0), "vkResetCommandPool");
  if (status != EINC_VK_OK) return status;
  status =
      einc_vk_check(context, vk->ResetFences(context->device, 1, &event->fence), "vkResetFences");
  if (status != EINC_VK_OK || event->descriptors == VK_NULL_HANDLE) return status;
  return einc_vk_check(context, vk->ResetDescriptorPool(context->device, event->descriptors, 0),
                       "vkResetDescriptorPool");
}

// Room for so many sets with so many descriptors in all.
static einc_vk_status make_descriptors(einc_vk_event *event, uint32_t sets, uint32_t descriptors) {
  einc_vk_context *context = event->context;
  const einc_vk_functions *vk = &context->vk;
  if (sets <= event->max_sets && descriptors <= event->max_descriptors) return EINC_VK_OK;
  vk->DestroyDescriptorPool(context->device, event->descriptors, NULL);
  event->descriptors = VK_NULL_HANDLE;
  event->max_sets = event->max_descriptors = 0;
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptors};
  const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                           .maxSets = sets,
                                           .poolSizeCount = 1,
                                           .pPoolSizes = &size};
  VkDescriptorPool pool;
  const einc_vk_status status =
      einc_vk_check(context, vk->CreateDescriptorPool(context->device, &info, NULL, &pool),
                    "vkCreateDescriptorPool");
  if (status != EINC_VK_OK) return status;
  event->descriptors = pool;
  event->max_sets = sets;
  event->max_descriptors = descriptors;
  return EINC_VK_OK;
}

static einc_vk_status take(einc_vk_context *context, einc_vk_event **event) {
  pthread_mutex_lock(&context->lock);
  einc_vk_event *taken = context->idle;
  if (taken != NULL) context->idle = taken->next;
  pthread_mutex_unlock(&context->lock);
  einc_vk_status status;
  if (taken != NULL) {
    status = reset_parts(taken);
  } else {
    taken = (einc_vk_event *)calloc(1, sizeof(*taken));
    if (taken == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "event");
    taken->context = context;
    status = make_parts(taken);
  }
  if (status == EINC_VK_OK) {
    *event = taken;
  } else {
    einc_vk_event_destroy(taken);
  }
  return status;
}

// --- recording --------------------------------------------------------------------------------

// Past here, the second stages and accesses see what the first ones did.
static void barrier(einc_vk_event *event, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags accessed) {
  const VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, written, accessed};
  event->context->vk.CmdPipelineBarrier(event->commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static const VkPipelineStageFlags kStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
static const VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

static void stamp(einc_vk_event *event, uint32_t query) {
  if (event->queries == VK_NULL_HANDLE) return;
  // The bottom of the pipe: when everything before has ended.
  event->context->vk.CmdWriteTimestamp(event->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                       event->queries, query);
}

einc_vk_status einc_vk_event_begin(einc_vk_context *context, uint32_t sets, uint32_t descriptors,
                                   einc_vk_event **event) {
  const einc_vk_functions *vk = &context->vk;
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  einc_vk_event *begun = NULL;
  einc_vk_status status = take(context, &begun);
  if (status != EINC_VK_OK) return status;
  status = make_descriptors(begun, sets, descriptors);
  if (status == EINC_VK_OK) {
    status = einc_vk_check(context, vk->BeginCommandBuffer(begun->commands, &info),
                           "vkBeginCommandBuffer");
  }
  if (status != EINC_VK_OK) {
    einc_vk_event_destroy(begun);
    return status;
  }
  barrier(begun, kStages, kWrites, kStages, kReads | kWrites);
  if (begun->queries != VK_NULL_HANDLE) {
    vk->CmdResetQueryPool(begun->commands, begun->queries, 0, 2);
  }
  stamp(begun, 0);
  // A run that is under way needs its context.
  einc_vk_retain(context, &context->references);
  *event = begun;
  return EINC_VK_OK;
}

einc_vk_status einc_vk_event_submit(einc_vk_event *event) {
  einc_vk_context *context = event->context;
  const einc_vk_functions *vk = &context->vk;
  stamp(event, 1);
  barrier(event, kStages, kWrites, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  einc_vk_status status =
      einc_vk_check(context, vk->EndCommandBuffer(event->commands), "vkEndCommandBuffer");
  if (status != EINC_VK_OK) return status;
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &event->commands};
  pthread_mutex_lock(&context->queue_lock);
  const VkResult result = vk->QueueSubmit(context->queue, 1, &info, event->fence);
  pthread_mutex_unlock(&context->queue_lock);
  return einc_vk_check(context, result, "vkQueueSubmit");
}

// --- ending -----------------------------------------------------------------------------------

static void let_go(einc_vk_event *event) {
  for (size_t i = 0; i < event->kernel_count; ++i) einc_vk_kernel_release(event->kernels[i]);
  for (size_t i = 0; i < event->buffer_count; ++i) einc_vk_buffer_release(event->buffers[i]);
  event->kernel_count = event->buffer_count = 0;
  free((void *)event->kernels);
  free((void *)event->buffers);
  event->kernels = NULL;
  event->buffers = NULL;
}

void einc_vk_event_discard(einc_vk_event *event) {
  einc_vk_context *context = event->context;
  let_go(event);
  einc_vk_event_destroy(event);
  einc_vk_context_release(context);
}

static VkResult wait_for(einc_vk_event *event, uint64_t timeout_ns) {
  const einc_vk_context *context = event->context;
  return context->vk.WaitForFences(context->device, 1, &event->fence, VK_TRUE, timeout_ns);
}

einc_vk_status einc_vk_event_wait(einc_vk_event *event, uint64_t timeout_ns) {
  if (event == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_event_wait");
  const einc_vk_status status = einc_vk_alive(event->context);
  if (status != EINC_VK_OK) return status;
  return einc_vk_check(event->context, wait_for(event, timeout_ns), "vkWaitForFences");
}

einc_vk_status einc_vk_event_times(einc_vk_event *event, double *begin_ns, double *end_ns) {
  einc_vk_status status = einc_vk_event_wait(event, 0);
  if (status != EINC_VK_OK) return status;
  einc_vk_context *context = event->context;
  if (event->queries == VK_NULL_HANDLE) {
    return einc_vk_fail(EINC_VK_NO_TIMESTAMPS, "%s", context->info.name);
  }
  uint64_t ticks[2];
  status = einc_vk_check(context,
                         context->vk.GetQueryPoolResults(
                             context->device, event->queries, 0, 2, sizeof(ticks), ticks,
                             sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                         "vkGetQueryPoolResults");
  if (status != EINC_VK_OK) return status;
  const uint32_t bits = context->timestamp_bits;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  const double begin = (double)(ticks[0] & mask) * context->info.timestamp_ns;
  // By the difference, so that a run in which the clock wraps around still has its length.
  const double taken = (double)((ticks[1] - ticks[0]) & mask) * context->info.timestamp_ns;
  if (begin_ns != NULL) *begin_ns = begin;
  if (end_ns != NULL) *end_ns = begin + taken;
  return EINC_VK_OK;
}

void einc_vk_event_free(einc_vk_event *event) {
  if (event == NULL) return;
  einc_vk_context *context = event->context;
  if (wait_for(event, UINT64_MAX) != VK_SUCCESS) {
    // Out of memory, or lost: then nothing runs any more.
    pthread_mutex_lock(&context->queue_lock);
    context->vk.DeviceWaitIdle(context->device);
    pthread_mutex_unlock(&context->queue_lock);
    einc_vk_event_discard(event);
    return;
  }
  let_go(event);
  pthread_mutex_lock(&context->lock);
  event->next = context->idle;
  context->idle = event;
  pthread_mutex_unlock(&context->lock);
  einc_vk_context_release(context);
}
