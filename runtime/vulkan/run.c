// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs: checked as a whole, then recorded with barriers and in parts that the device can take.
#include <stdlib.h>
#include <string.h>

#include "runtime/vulkan/internal.h"

// --- checks -----------------------------------------------------------------------------------

static int is_empty(const einc_vk_dispatch *dispatch) {
  const uint64_t *n = dispatch->workgroups;
  return n[0] == 0 || n[1] == 0 || n[2] == 0;
}

static uint64_t end_of(const einc_vk_range *range) {
  return range->bytes == EINC_VK_TO_END ? range->buffer->bytes : range->offset + range->bytes;
}

static einc_vk_status check_range(const einc_vk_context *context, const einc_vk_range *range) {
  const einc_vk_device_info *info = &context->info;
  const einc_vk_buffer *buffer = range->buffer;
  if (buffer == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "a buffer of a dispatch is null");
  if (buffer->context != context) return einc_vk_fail(EINC_VK_OTHER_CONTEXT, "a buffer");
  if (range->offset > buffer->bytes ||
      (range->bytes != EINC_VK_TO_END && range->bytes > buffer->bytes - range->offset)) {
    return einc_vk_fail(EINC_VK_OUT_OF_BUFFER, "%llu bytes at %llu, the buffer has %llu",
                        (unsigned long long)range->bytes, (unsigned long long)range->offset,
                        (unsigned long long)buffer->bytes);
  }
  if (range->offset % info->offset_alignment != 0) {
    return einc_vk_fail(EINC_VK_MISALIGNED, "offset %llu, the device wants multiples of %llu",
                        (unsigned long long)range->offset,
                        (unsigned long long)info->offset_alignment);
  }
  if (end_of(range) - range->offset > info->max_binding_bytes) {
    return einc_vk_fail(EINC_VK_BINDING_TOO_LARGE, "%llu bytes, the device binds %llu",
                        (unsigned long long)(end_of(range) - range->offset),
                        (unsigned long long)info->max_binding_bytes);
  }
  return EINC_VK_OK;
}

// Also adds the number of parts to *parts.
static einc_vk_status check_workgroups(const einc_vk_context *context,
                                       const einc_vk_dispatch *dispatch, uint64_t *parts) {
  uint64_t product = 1;
  for (int i = 0; i < 3; ++i) {
    const uint64_t count = dispatch->workgroups[i], limit = context->info.max_workgroup_count[i];
    if (count > UINT32_MAX || (count > limit && !dispatch->kernel->splits)) {
      return einc_vk_fail(EINC_VK_TOO_MANY_WORKGROUPS, "workgroups[%d] is %llu, at most %llu", i,
                          (unsigned long long)count,
                          (unsigned long long)(dispatch->kernel->splits ? UINT32_MAX : limit));
    }
    product *= (count + limit - 1) / limit;
    if (product > EINC_VK_MAX_PARTS) break;
  }
  *parts += product;
  if (product <= EINC_VK_MAX_PARTS && *parts <= EINC_VK_MAX_PARTS) return EINC_VK_OK;
  return einc_vk_fail(EINC_VK_TOO_MANY_WORKGROUPS, "more than %d parts", EINC_VK_MAX_PARTS);
}

static einc_vk_status check_dispatch(const einc_vk_context *context,
                                     const einc_vk_dispatch *dispatch, uint64_t *parts) {
  const einc_vk_kernel *kernel = dispatch->kernel;
  if (kernel == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "a kernel is null");
  if (kernel->context != context) return einc_vk_fail(EINC_VK_OTHER_CONTEXT, "a kernel");
  if (dispatch->range_count != kernel->buffer_count) {
    return einc_vk_fail(EINC_VK_WRONG_BUFFERS, "%u ranges, the kernel has %u buffers",
                        (unsigned)dispatch->range_count, (unsigned)kernel->buffer_count);
  }
  if (dispatch->push_bytes != kernel->push_bytes) {
    return einc_vk_fail(EINC_VK_WRONG_PUSH, "%u bytes, the kernel takes %u",
                        (unsigned)dispatch->push_bytes, (unsigned)kernel->push_bytes);
  }
  if ((dispatch->push == NULL && dispatch->push_bytes > 0) ||
      (dispatch->ranges == NULL && dispatch->range_count > 0)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "ranges or push constants are null");
  }
  for (uint32_t i = 0; i < dispatch->range_count; ++i) {
    const einc_vk_status status = check_range(context, &dispatch->ranges[i]);
    if (status != EINC_VK_OK) return status;
  }
  return is_empty(dispatch) ? EINC_VK_OK : check_workgroups(context, dispatch, parts);
}

// --- barriers ---------------------------------------------------------------------------------

// What was accessed since the last barrier.
typedef struct {
  const einc_vk_buffer *buffer;
  uint64_t begin, end;
  int written;
} access;

typedef struct {
  access *accesses;
  size_t count;
} history;

// After so many a barrier costs less than looking through them.
enum { kMaxHistory = 256 };

static int shares_memory(const access *a, const access *b) {
  if (a->buffer->buffer == b->buffer->buffer) return a->begin < b->end && b->begin < a->end;
  return a->buffer->memory == VK_NULL_HANDLE && b->buffer->memory == VK_NULL_HANDLE;
}

static access access_of(const einc_vk_dispatch *dispatch, uint32_t i) {
  const einc_vk_range *range = &dispatch->ranges[i];
  access made = {range->buffer, range->offset, end_of(range),
                 (int)(dispatch->kernel->written >> i & 1)};
  if (made.begin == made.end) {  // Vulkan binds nothing empty: the first byte stands in
    made.begin = 0;
    made.end = 1;
  }
  return made;
}

static int needs_barrier(const history *before, const einc_vk_dispatch *dispatch) {
  if (before->count > kMaxHistory) return 1;
  for (uint32_t i = 0; i < dispatch->range_count; ++i) {
    const access now = access_of(dispatch, i);
    for (size_t j = 0; j < before->count; ++j) {
      const access *old = &before->accesses[j];
      if ((now.written || old->written) && shares_memory(&now, old)) return 1;
    }
  }
  return 0;
}

static void put_barrier(const einc_vk_event *event) {
  const VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL,
                                  VK_ACCESS_SHADER_WRITE_BIT,
                                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  event->context->vk.CmdPipelineBarrier(event->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0,
                                        NULL, 0, NULL);
}

// --- recording --------------------------------------------------------------------------------

static einc_vk_status bind(einc_vk_event *event, const einc_vk_dispatch *dispatch) {
  einc_vk_context *context = event->context;
  const einc_vk_functions *vk = &context->vk;
  const einc_vk_kernel *kernel = dispatch->kernel;
  vk->CmdBindPipeline(event->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
  if (kernel->push_bytes > 0) {
    vk->CmdPushConstants(event->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         kernel->push_bytes, dispatch->push);
  }
  if (kernel->buffer_count == 0) return EINC_VK_OK;

  const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = event->descriptors,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &kernel->set_layout};
  VkDescriptorSet set;
  const einc_vk_status status =
      einc_vk_check(context, vk->AllocateDescriptorSets(context->device, &info, &set),
                    "vkAllocateDescriptorSets");
  if (status != EINC_VK_OK) return status;
  VkDescriptorBufferInfo buffers[EINC_VK_MAX_BUFFERS];
  for (uint32_t i = 0; i < kernel->buffer_count; ++i) {
    const access range = access_of(dispatch, i);
    const VkDescriptorBufferInfo bound = {range.buffer->buffer, range.begin,
                                          range.end - range.begin};
    buffers[i] = bound;
  }
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .descriptorCount = kernel->buffer_count,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = buffers};
  vk->UpdateDescriptorSets(context->device, 1, &write, 0, NULL);
  vk->CmdBindDescriptorSets(event->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1,
                            &set, 0, NULL);
  return EINC_VK_OK;
}

static uint32_t part_of(uint64_t total, uint64_t base, uint32_t limit) {
  return total - base < limit ? (uint32_t)(total - base) : limit;
}

static void dispatch_parts(einc_vk_event *event, const einc_vk_dispatch *dispatch) {
  const einc_vk_functions *vk = &event->context->vk;
  const einc_vk_kernel *kernel = dispatch->kernel;
  const uint32_t *limit = event->context->info.max_workgroup_count;
  const uint64_t *n = dispatch->workgroups;
  int first = 1;
  for (uint64_t z = 0; z < n[2]; z += limit[2]) {
    for (uint64_t y = 0; y < n[1]; y += limit[1]) {
      for (uint64_t x = 0; x < n[0]; x += limit[0]) {
        // The parts write different elements of the same ranges. Vulkan would allow that side by
        // side, but neither the validation layer nor a kernel with atomics should have to know.
        if (!first && kernel->written != 0) put_barrier(event);
        first = 0;
        if (kernel->splits) {
          const uint32_t base[3] = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
          vk->CmdPushConstants(event->commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT,
                               kernel->base_offset, sizeof(base), base);
        }
        vk->CmdDispatch(event->commands, part_of(n[0], x, limit[0]), part_of(n[1], y, limit[1]),
                        part_of(n[2], z, limit[2]));
      }
    }
  }
}

static einc_vk_status record(einc_vk_event *event, const einc_vk_dispatch *dispatches, size_t count,
                             access *accesses) {
  history before = {accesses, 0};
  for (size_t i = 0; i < count; ++i) {
    const einc_vk_dispatch *dispatch = &dispatches[i];
    if (is_empty(dispatch)) continue;
    if (needs_barrier(&before, dispatch)) {
      put_barrier(event);
      before.count = 0;
    }
    const einc_vk_status status = bind(event, dispatch);
    if (status != EINC_VK_OK) return status;
    dispatch_parts(event, dispatch);
    for (uint32_t j = 0; j < dispatch->range_count; ++j) {
      before.accesses[before.count++] = access_of(dispatch, j);
    }
  }
  return EINC_VK_OK;
}

// Keeps what the run uses alive until its event is freed.
static einc_vk_status keep(einc_vk_event *event, const einc_vk_dispatch *dispatches, size_t count,
                           size_t ranges) {
  einc_vk_context *context = event->context;
  event->kernels = (const einc_vk_kernel **)calloc(count + 1, sizeof(*event->kernels));
  event->buffers = (const einc_vk_buffer **)calloc(ranges + 1, sizeof(*event->buffers));
  if (event->kernels == NULL || event->buffers == NULL) {
    return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "run");
  }
  for (size_t i = 0; i < count; ++i) {
    const einc_vk_dispatch *dispatch = &dispatches[i];
    einc_vk_retain(context, &((einc_vk_kernel *)dispatch->kernel)->references);
    event->kernels[event->kernel_count++] = dispatch->kernel;
    for (uint32_t j = 0; j < dispatch->range_count; ++j) {
      const einc_vk_buffer *buffer = dispatch->ranges[j].buffer;
      einc_vk_retain(context, &((einc_vk_buffer *)buffer)->references);
      event->buffers[event->buffer_count++] = buffer;
    }
  }
  return EINC_VK_OK;
}

// Also adds up the ranges in *ranges.
static einc_vk_status check_run(einc_vk_context *context, const einc_vk_dispatch *dispatches,
                                size_t count, uint32_t *ranges) {
  if (context == NULL || (dispatches == NULL && count > 0)) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_run");
  }
  if (count > EINC_VK_MAX_PARTS) {
    return einc_vk_fail(EINC_VK_TOO_MANY_WORKGROUPS, "more than %d dispatches", EINC_VK_MAX_PARTS);
  }
  uint64_t parts = 0;
  einc_vk_status status = einc_vk_alive(context);
  for (size_t i = 0; status == EINC_VK_OK && i < count; ++i) {
    status = check_dispatch(context, &dispatches[i], &parts);
    *ranges += dispatches[i].range_count;
  }
  return status;
}

einc_vk_status einc_vk_run_check(einc_vk_context *context, const einc_vk_dispatch *dispatches,
                                 size_t count) {
  uint32_t ranges = 0;
  return check_run(context, dispatches, count, &ranges);
}

einc_vk_status einc_vk_run(einc_vk_context *context, const einc_vk_dispatch *dispatches,
                           size_t count, einc_vk_event **event) {
  if (event == NULL) return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_run");
  uint32_t ranges = 0;
  einc_vk_status status = check_run(context, dispatches, count, &ranges);
  if (status != EINC_VK_OK) return status;

  einc_vk_event *made = NULL;
  access *accesses = (access *)calloc((size_t)ranges + 1, sizeof(*accesses));
  if (accesses == NULL) return einc_vk_fail(EINC_VK_OUT_OF_HOST_MEMORY, "run");
  status = einc_vk_event_begin(context, ranges > 0 ? (uint32_t)count : 0, ranges, &made);
  if (status == EINC_VK_OK) {
    status = keep(made, dispatches, count, ranges);
    if (status == EINC_VK_OK) status = record(made, dispatches, count, accesses);
    if (status == EINC_VK_OK) status = einc_vk_event_submit(made);
    if (status == EINC_VK_OK) {
      *event = made;
    } else {
      einc_vk_event_discard(made);
    }
  }
  free(accesses);
  return status;
}
