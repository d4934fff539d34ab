/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * How generated kernels run on a Vulkan device: what a run does is recorded first, with whatever
 * may fail, and then submitted as a whole. Chunks as in scalars.h. The runtime's header stands
 * before this in a generated file. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/emit/prelude/checks.h"
#include "runtime/vulkan/vk.h"

/*@ kernels: */
typedef struct {
  einc_vk_kernel_description description;
  uint32_t constant_bytes; /* of constants in a buffer behind the others; 0: they are pushed */
  /* Not 0: nothing depends on the workgroup's size along x, which is specialisation constant 0.
   * The description's is the most that is wanted; counts along x are of invocations. */
  int chooses_size;
} einc_shader;

enum { EINC_SPARE = 8 };

/* The library's shaders on one device. */
typedef struct {
  einc_vk_context *context;
  einc_vk_buffer *none; /* stands for tensors without elements; keeps the context alive, too */
  const einc_shader *shaders;
  einc_vk_kernel **made;  /* of each shader, null until it is used */
  einc_vk_buffer **spare; /* EINC_SPARE of them or null: memory for temporary tensors */
} einc_kernels;

/*@ run: kernels */
/* What is recorded. After a failure, everything that follows does nothing. */
typedef struct {
  const einc_kernels *kernels;
  einc_status status;
  einc_vk_dispatch *dispatches;
  size_t count, room;
  einc_vk_range *ranges;    /* of the last dispatch; null: it has nothing to do */
  char *constants;          /* and its constants */
  einc_vk_buffer **buffers; /* those of this run alone */
  size_t buffer_count, buffer_room;
  einc_vk_buffer **temporaries; /* those that others may have after it */
  size_t temporary_count, temporary_room;
} einc_run;

/* Where there is no place for a buffer, it takes another's. */
static inline void einc_spare(const einc_kernels *kernels, einc_vk_buffer *buffer) {
  int i;
  for (i = 0; i < EINC_SPARE; ++i) {
    einc_vk_buffer *none = NULL;
    if (__atomic_compare_exchange_n(&kernels->spare[i], &none, buffer, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return;
  }
  einc_vk_buffer_free(__atomic_exchange_n(&kernels->spare[0], buffer, __ATOMIC_ACQ_REL));
}

/* Submits what was recorded, or, without an event, asks whether it would be taken. */
static einc_status einc_submit(einc_run *run, einc_vk_event **event) {
  einc_vk_context *context = run->kernels->context;
  size_t i;
  if (run->status == EINC_OK)
    run->status = event == NULL ? einc_vk_run_check(context, run->dispatches, run->count)
                                : einc_vk_run(context, run->dispatches, run->count, event);
  /* The runtime keeps what it still needs. */
  for (i = 0; i < run->buffer_count; ++i) einc_vk_buffer_free(run->buffers[i]);
  for (i = 0; i < run->count; ++i) free((void *)run->dispatches[i].ranges);
  /* Later runs begin when this one has ended. */
  for (i = 0; i < run->temporary_count; ++i) einc_spare(run->kernels, run->temporaries[i]);
  free(run->buffers);
  free(run->temporaries);
  free(run->dispatches);
  return run->status;
}

/*@ grow: run */
/* Room for one more of `count` items, of which *room fit; 0 if there is no memory. */
static int einc_grow(einc_run *run, void **items, size_t *room, size_t count, size_t bytes) {
  const size_t more = 2 * count + 4;
  void *moved;
  if (count < *room) return 1;
  moved = more > SIZE_MAX / bytes ? NULL : realloc(*items, more * bytes);
  if (moved == NULL) {
    run->status = EINC_OUT_OF_MEMORY;
    return 0;
  }
  *items = moved;
  *room = more;
  return 1;
}

/*@ operand: run is_empty */
/* What is bound of an argument's buffer, and where element 0 is in that, in elements. */
typedef struct {
  einc_vk_range range;
  int64_t offset;
} einc_operand;

/* Ranges begin where every device allows it, and where vectors of elements that are aligned in the
 * buffer are so, too. Shaders count elements in 32 bits. */
static einc_operand einc_operand_of(einc_run *run, const void *allocated, einc_view view) {
  const uint64_t asked = einc_vk_context_device(run->kernels->context)->offset_alignment;
  const int64_t alignment = asked > 256 ? (int64_t)asked : 256;
  einc_operand operand = {{NULL, 0, 0}, 0};
  int64_t low = view.offset, high = view.offset, begin;
  int d;
  operand.range.buffer = run->kernels->none;
  if (run->status != EINC_OK || einc_is_empty(&view)) return operand;
  for (d = 0; d < view.rank; ++d) {
    const int64_t reach = view.strides[d] * (view.sizes[d] - 1);
    *(reach < 0 ? &low : &high) += reach;
  }
  operand.range.buffer = (const einc_vk_buffer *)allocated;
  if (low < 0 ||
      (uint64_t)high >= einc_vk_buffer_bytes(operand.range.buffer) / (uint64_t)view.element) {
    run->status = EINC_VK_OUT_OF_BUFFER;
    return operand;
  }
  begin = low * view.element / alignment * alignment;
  operand.range.offset = (uint64_t)begin;
  operand.range.bytes = (uint64_t)((high + 1) * view.element - begin);
  operand.offset = view.offset - begin / view.element;
  if (high - begin / view.element > INT32_MAX) run->status = EINC_VK_INDEX_TOO_LARGE;
  return operand;
}

/*@ temporary: grow */
/* A spare buffer of so many bytes, or not too many more; null if there is none. */
static einc_vk_buffer *einc_find_spare(const einc_kernels *kernels, uint64_t bytes) {
  int i;
  for (i = 0; i < EINC_SPARE; ++i) {
    einc_vk_buffer *const buffer = __atomic_exchange_n(&kernels->spare[i], NULL, __ATOMIC_ACQ_REL);
    const uint64_t has = einc_vk_buffer_bytes(buffer);
    if (buffer == NULL) continue;
    if (has >= bytes && has / 2 <= bytes) return buffer;
    einc_spare(kernels, buffer);
  }
  return NULL;
}

/* A tensor of the run's own. */
static einc_vk_range einc_temporary(einc_run *run, int64_t elements, int64_t element) {
  einc_vk_range range = {NULL, 0, (uint64_t)(elements * element)};
  einc_vk_buffer *buffer;
  void *items = run->temporaries;
  if (run->status == EINC_OK && elements > INT32_MAX) run->status = EINC_VK_INDEX_TOO_LARGE;
  if (run->status != EINC_OK ||
      !einc_grow(run, &items, &run->temporary_room, run->temporary_count, sizeof(einc_vk_buffer *)))
    return range;
  run->temporaries = (einc_vk_buffer **)items;
  buffer = einc_find_spare(run->kernels, range.bytes);
  if (buffer == NULL)
    run->status = einc_vk_buffer_create(run->kernels->context, range.bytes, &buffer);
  if (run->status == EINC_OK) run->temporaries[run->temporary_count++] = buffer;
  range.buffer = buffer;
  return range;
}

/*@ dispatch: grow */
/* Invocations along x of a workgroup: as many as are wanted, or as the device has, in whole
 * subgroups where there is room for one. */
static uint32_t einc_workgroup_size(const einc_kernels *kernels, const einc_shader *shader) {
  const einc_vk_device_info *device = einc_vk_context_device(kernels->context);
  uint32_t size = shader->description.workgroup_size[0];
  if (!shader->chooses_size) return size;
  if (size > device->max_workgroup_size[0]) size = device->max_workgroup_size[0];
  if (size > device->max_workgroup_invocations) size = device->max_workgroup_invocations;
  if (device->subgroup_size > 0 && size > device->subgroup_size)
    size -= size % device->subgroup_size;
  return size;
}

static einc_status einc_compile(const einc_kernels *kernels, const einc_shader *shader,
                                einc_vk_kernel **kernel) {
  einc_vk_kernel_description description = shader->description;
  const einc_vk_constant size = {0, einc_workgroup_size(kernels, shader)};
  if (shader->chooses_size) {
    description.workgroup_size[0] = size.value;
    description.constants = &size;
    description.constant_count = 1;
  }
  return einc_vk_kernel_create(kernels->context, &description, kernel);
}

/* Two threads may compile a shader at once; the first to be done is taken by all. */
static einc_status einc_kernel(const einc_kernels *kernels, size_t shader,
                               const einc_vk_kernel **kernel) {
  einc_vk_kernel *made = __atomic_load_n(&kernels->made[shader], __ATOMIC_ACQUIRE), *other = NULL;
  if (made == NULL) {
    const einc_status status = einc_compile(kernels, &kernels->shaders[shader], &made);
    if (status != EINC_OK) return status;
    if (!__atomic_compare_exchange_n(&kernels->made[shader], &other, made, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      einc_vk_kernel_free(made);
      made = other;
    }
  }
  *kernel = made;
  return EINC_OK;
}

/* One more dispatch; those without workgroups are left out. Its buffers and constants follow. */
static void einc_dispatch(einc_run *run, size_t shader, int64_t x, int64_t y, int64_t z) {
  const einc_shader *code = &run->kernels->shaders[shader];
  const einc_vk_kernel_description *description = &code->description;
  const size_t ranges = description->buffer_count * sizeof(einc_vk_range);
  const int64_t size = einc_workgroup_size(run->kernels, code);
  const int64_t count[3] = {code->chooses_size ? x / size + (x % size > 0) : x, y, z};
  void *items = run->dispatches;
  einc_vk_dispatch dispatch = {NULL, NULL, 0, 0, NULL, {0, 0, 0}};
  int d;
  run->ranges = NULL;
  if (run->status != EINC_OK || x <= 0 || y <= 0 || z <= 0) return;
  for (d = 0; d < 3; ++d) {
    dispatch.workgroups[d] = (uint64_t)count[d];
    if (count[d] > INT32_MAX / (d == 0 ? size : description->workgroup_size[d])) {
      run->status = EINC_VK_INDEX_TOO_LARGE;
      return;
    }
  }
  run->status = einc_kernel(run->kernels, shader, &dispatch.kernel);
  if (run->status != EINC_OK ||
      !einc_grow(run, &items, &run->room, run->count, sizeof *run->dispatches))
    return;
  run->dispatches = (einc_vk_dispatch *)items;
  run->ranges =
      (einc_vk_range *)calloc(1, ranges + description->push_bytes + code->constant_bytes + 1);
  if (run->ranges == NULL) {
    run->status = EINC_OUT_OF_MEMORY;
    return;
  }
  dispatch.ranges = run->ranges;
  dispatch.push = (char *)run->ranges + ranges;
  dispatch.push_bytes = description->push_bytes;
  run->constants =
      (char *)run->ranges + ranges + (code->constant_bytes > 0 ? description->push_bytes : 0);
  run->dispatches[run->count++] = dispatch;
}

/*@ counts: dispatch */
/* What the last dispatch counts to: shaders have 32 bits for that. */
static inline void einc_counts(einc_run *run, int64_t most) {
  if (run->status == EINC_OK && run->ranges != NULL && most > INT32_MAX)
    run->status = EINC_VK_INDEX_TOO_LARGE;
}

/*@ check_narrow: range */
/* Shaders compute indices with 32 bits. */
static inline einc_status einc_check_narrow(einc_range index) {
  if (index.status != EINC_OK) return index.status;
  return index.low >= INT32_MIN && index.high <= INT32_MAX ? EINC_OK : EINC_VK_INDEX_TOO_LARGE;
}

/*@ rounds: dispatch */
/* What an invocation of the last dispatch runs of loops, at most. */
static inline void einc_rounds(einc_run *run, int64_t most) {
  const uint32_t limit = einc_vk_context_device(run->kernels->context)->max_rounds;
  if (run->status == EINC_OK && run->ranges != NULL && limit > 0 && most > limit)
    run->status = EINC_VK_TOO_MANY_ROUNDS;
}

/*@ loop: */
/* The rounds of a loop, and of those inside it in each, with one that finds the end; 2^31 - 1
 * stands for all that are more. */
static inline int64_t einc_loop(int64_t extent, int64_t inside) {
  const int64_t rounds = extent < 0 ? 0 : extent < INT32_MAX ? extent : INT32_MAX;
  const int64_t all = rounds * (inside < INT32_MAX ? inside + 1 : INT32_MAX) + 1;
  return all < INT32_MAX ? all : INT32_MAX;
}

/*@ larger: */
static inline int64_t einc_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/*@ bind: dispatch */
/* The next buffer of the last dispatch. */
static inline void einc_bind(einc_run *run, einc_vk_range range) {
  if (run->status == EINC_OK && run->ranges != NULL)
    run->ranges[run->dispatches[run->count - 1].range_count++] = range;
}

/*@ push: dispatch */
/* A constant of the last dispatch. */
static inline void einc_push(einc_run *run, size_t at, const void *value, size_t bytes) {
  if (run->status == EINC_OK && run->ranges != NULL) memcpy(run->constants + at, value, bytes);
}

/*@ push_f32: push */
static inline void einc_push_f32(einc_run *run, size_t at, float value) {
  einc_push(run, at, &value, sizeof value);
}

/*@ push_i32: push */
static inline void einc_push_i32(einc_run *run, size_t at, int32_t value) {
  einc_push(run, at, &value, sizeof value);
}

/*@ push_u32: push */
static inline void einc_push_u32(einc_run *run, size_t at, uint32_t value) {
  einc_push(run, at, &value, sizeof value);
}

/*@ push_index: push */
/* A size, an offset: shaders have 32 bits for those. */
static inline void einc_push_index(einc_run *run, size_t at, int64_t value) {
  const int32_t narrow = (int32_t)value;
  if (narrow == value)
    einc_push(run, at, &narrow, sizeof narrow);
  else if (run->status == EINC_OK && run->ranges != NULL)
    run->status = EINC_VK_INDEX_TOO_LARGE;
}

/*@ push_stride: push_index operand */
/* The stride of a dimension of so many positions: along one, or without elements, it means nothing.
 */
static inline void einc_push_stride(einc_run *run, size_t at, const einc_operand *operand,
                                    int64_t size, int64_t stride) {
  einc_push_index(run, at, size > 1 && operand->range.bytes > 0 ? stride : 0);
}

/*@ run_buffer: grow */
/* A buffer that lives as long as the run; null after a failure. */
static einc_vk_buffer *einc_run_buffer(einc_run *run, uint64_t bytes) {
  einc_vk_buffer *buffer = NULL;
  void *items = run->buffers;
  if (run->status != EINC_OK ||
      !einc_grow(run, &items, &run->buffer_room, run->buffer_count, sizeof *run->buffers))
    return NULL;
  run->buffers = (einc_vk_buffer **)items;
  run->status = einc_vk_buffer_create(run->kernels->context, bytes, &buffer);
  if (run->status == EINC_OK) run->buffers[run->buffer_count++] = buffer;
  return buffer;
}

/*@ bind_constants: bind run_buffer */
/* The constants as the last buffer of the last dispatch. */
static void einc_bind_constants(einc_run *run, uint64_t bytes) {
  einc_vk_range range = {NULL, 0, EINC_VK_TO_END};
  if (run->status != EINC_OK || run->ranges == NULL) return;
  range.buffer = einc_run_buffer(run, bytes);
  if (run->status == EINC_OK)
    run->status =
        einc_vk_buffer_write(run->buffers[run->buffer_count - 1], 0, run->constants, bytes);
  einc_bind(run, range);
}
