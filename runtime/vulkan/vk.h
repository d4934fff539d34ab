/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs compute kernels (SPIR-V) on a Vulkan device, 1.1 or later. The Vulkan loader is opened when
 * the first function needs it; nothing is linked, and this header needs none of Vulkan's.
 *
 *   einc_vk_context *context;  einc_vk_buffer *buffer;  einc_vk_kernel *kernel;
 *   einc_vk_event *event;
 *   einc_vk_context_create(NULL, &context);
 *   einc_vk_buffer_create(context, bytes, &buffer);
 *   einc_vk_buffer_write(buffer, 0, data, bytes);
 *   einc_vk_kernel_create(context, &description, &kernel);
 *   einc_vk_run(context, dispatches, count, &event);        returns at once
 *   einc_vk_event_wait(event, EINC_VK_FOREVER);
 *   einc_vk_buffer_read(buffer, 0, data, bytes);
 *
 * Errors. Functions return EINC_VK_OK or a status of status.def, and then leave their outputs as
 * they were. Any of them may return BAD_ARGUMENT (a null pointer), OUT_OF_HOST_MEMORY,
 * OUT_OF_DEVICE_MEMORY, DEVICE_LOST (from then on, always) and DRIVER_FAILED. einc_vk_last_message
 * says more. What the driver cannot bear is refused before it is told, except for this: SPIR-V is
 * checked in its structure only, so it must come from a compiler or a validator, and kernels must
 * stay within the ranges that are bound to them.
 *
 * Ownership. Each object is freed once by who created it, null is allowed there, and in any order:
 * an object lives on while others need it (a buffer until the runs that use it have ended and their
 * events are freed; a context until its last object is gone). Nothing passed in is kept, handles
 * excepted.
 *
 * Threads. All functions may be called from any thread at any time, but for freeing what another
 * thread still passes. Runs are carried out in the order of their submission, and each sees what
 * earlier ones wrote. The contents of a buffer that a run is using must not be touched: wait first.
 *
 * Sizes and offsets count bytes, unless they are said to count elements or workgroups.
 */
#ifndef EINC_RUNTIME_VULKAN_VK_H_
#define EINC_RUNTIME_VULKAN_VK_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int einc_vk_status;

enum einc_vk_status_value {
#define EINC_VK_STATUS(name, value, sentence) EINC_VK_##name = value,
#include "runtime/vulkan/status.def"
#undef EINC_VK_STATUS
  EINC_VK_STATUS_END = 1 /* never returned */
};

/* Explains a status in a short English phrase. Never null, for any int; the string is static. */
const char *einc_vk_status_string(einc_vk_status status);

/*
 * What the last failure in the calling thread was about, with numbers: "push constants: 300 bytes,
 * the device takes 128". Never null; good until the thread's next failure.
 */
const char *einc_vk_last_message(void);

typedef struct einc_vk_context einc_vk_context;
typedef struct einc_vk_buffer einc_vk_buffer;
typedef struct einc_vk_kernel einc_vk_kernel;
typedef struct einc_vk_event einc_vk_event;

/* --- devices ---------------------------------------------------------------------------------- */

/* Features, as bits. Contexts turn on all that their device has. */
enum einc_vk_feature {
  EINC_VK_F64 = 1,
  EINC_VK_F16 = 2,
  EINC_VK_INT8 = 4,
  EINC_VK_INT16 = 8,
  EINC_VK_INT64 = 16,
  EINC_VK_STORAGE_8 = 32,  /* arrays of 8-bit elements in buffers */
  EINC_VK_STORAGE_16 = 64, /* arrays of 16-bit elements in buffers */
  EINC_VK_SUBGROUP_ARITHMETIC = 128,
  EINC_VK_SUBGROUP_SHUFFLE = 256,
  /* What arithmetic on floats of so many bits keeps, as kernels are made here: NaN, infinities and
   * the sign of zero; subnormal numbers. */
  EINC_VK_NAN_16 = 512,
  EINC_VK_NAN_32 = 1024,
  EINC_VK_NAN_64 = 2048,
  EINC_VK_SUBNORMAL_16 = 4096,
  EINC_VK_SUBNORMAL_32 = 8192,
  EINC_VK_SUBNORMAL_64 = 16384
};

enum einc_vk_device_kind {
  EINC_VK_OTHER = 0,
  EINC_VK_INTEGRATED = 1,
  EINC_VK_DISCRETE = 2,
  EINC_VK_VIRTUAL = 3,
  EINC_VK_SOFTWARE = 4
};

typedef struct {
  char name[256];
  int kind;          /* einc_vk_device_kind */
  uint32_t api[2];   /* Vulkan's version: major, minor */
  uint32_t features; /* bits of einc_vk_feature */
  uint32_t subgroup_size;
  uint32_t max_workgroup_count[3]; /* of one dispatch; a run splits larger ones */
  uint32_t max_workgroup_size[3];
  uint32_t max_workgroup_invocations;
  uint32_t max_shared_bytes; /* of a workgroup */
  uint32_t max_push_bytes;
  uint32_t max_buffers; /* of a kernel; never more than EINC_VK_MAX_BUFFERS */
  uint32_t max_allocations;
  uint64_t max_binding_bytes; /* of one range */
  uint64_t max_buffer_bytes;
  uint64_t memory_bytes;     /* the largest heap that is the device's own */
  uint64_t offset_alignment; /* of ranges, a power of two */
  double timestamp_ns;       /* one tick; 0: no timestamps */
  uint32_t units;            /* that run workgroups at once; 0: the driver does not say */
  /* Of all its loops together that one invocation may run; a loop takes one more to find its end.
   * After so many, a loop ends, whatever its condition says. 0: any number. */
  uint32_t max_rounds;
} einc_vk_device_info;

#define EINC_VK_MAX_BUFFERS 32

/*
 * Describes the devices, in the loader's order, in devices[0], ..., as many as there are and fit
 * into `capacity`; *count is how many there are. Devices that cannot compute are left out.
 * NO_LOADER, NO_DRIVER, NO_DEVICE.
 */
einc_vk_status einc_vk_list_devices(einc_vk_device_info *devices, int capacity, int *count);

/* --- contexts --------------------------------------------------------------------------------- */

/* Vulkan's own handles, as pointers: VkInstance, VkPhysicalDevice, VkDevice, VkQueue. */
typedef struct {
  void *instance, *physical_device, *device, *queue;
  uint32_t queue_family;
  /* Those of einc_vk_feature that the device was created with; NAN_ and SUBNORMAL_ take Vulkan 1.2. */
  uint32_t features;
} einc_vk_handles;

/* All zero: the best device, and nothing else. */
typedef struct {
  /* Null: the best (discrete, integrated, virtual, software). A decimal number: that of the list.
   * Else: the first device whose name has this in it, in upper or lower case. */
  const char *device;
  /* Not 0: under the validation layer with its checks of synchronisation. */
  int validation;
  /* Called with each of the layer's warnings and errors, from whatever thread; may be null. */
  void (*on_message)(void *user, const char *text);
  void *user;
  /* An existing folder for compiled kernels, one file a device; null: none. A file that is broken,
   * or was written by another driver, is ignored and later replaced. */
  const char *cache_folder;
  /* Splits dispatches with more workgroups than this in a direction; 0: the device's limit. */
  uint32_t max_workgroup_count;
  /* Not 0: copies through staging buffers even where the host sees the device's memory. */
  int always_stage;
  /* A device of the caller's to be used and not freed; null: a new one. It must outlive the
   * context, and the queue must not be used without einc_vk_queue_lock. `device` and `validation`
   * are ignored. */
  const einc_vk_handles *existing;
} einc_vk_options;

/*
 * Options may be null. NO_LOADER, NO_DRIVER, NO_DEVICE, UNKNOWN_DEVICE, NO_VALIDATION. A context's
 * device is asked for its limits once.
 */
einc_vk_status einc_vk_context_create(const einc_vk_options *options, einc_vk_context **context);

/* Also writes the pipeline cache, if kernels were compiled since; a failure of that is ignored. */
void einc_vk_context_free(einc_vk_context *context);

/* The limits that the context goes by: the device's, but for options. Null for null. */
const einc_vk_device_info *einc_vk_context_device(const einc_vk_context *context);

/* How many messages the validation layer has had so far. */
uint64_t einc_vk_context_messages(const einc_vk_context *context);

/* Writes the pipeline cache now: to a new file that then replaces the old. CACHE_NOT_WRITTEN (also
 * if there is no folder). */
einc_vk_status einc_vk_context_save_cache(einc_vk_context *context);

/* For code that uses the device beside this context: its handles, and its queue for itself. */
einc_vk_status einc_vk_context_handles(const einc_vk_context *context, einc_vk_handles *handles);
void einc_vk_queue_lock(einc_vk_context *context);
void einc_vk_queue_unlock(einc_vk_context *context);

/* --- buffers ---------------------------------------------------------------------------------- */

/* Device memory of `bytes` bytes, 0 allowed, contents unspecified. BUFFER_TOO_LARGE,
 * TOO_MANY_OBJECTS. */
einc_vk_status einc_vk_buffer_create(einc_vk_context *context, uint64_t bytes,
                                     einc_vk_buffer **buffer);

/*
 * A VkBuffer of the caller's, with memory bound to it, on the context's device; its usage has
 * storage buffer and transfer source and destination. It must outlive the buffer and its runs.
 * Imported buffers may share memory with each other.
 */
einc_vk_status einc_vk_buffer_import(einc_vk_context *context, uint64_t vk_buffer, uint64_t bytes,
                                     einc_vk_buffer **buffer);

void einc_vk_buffer_free(einc_vk_buffer *buffer);

uint64_t einc_vk_buffer_bytes(const einc_vk_buffer *buffer);

/*
 * A number that stands for the buffer's first byte where code wants to tell memory apart: a
 * multiple of 4096, always the same, and the bytes of no two buffers of a context have a number in
 * common. It is no address, and imported buffers that share memory do not show that in it. 0 for
 * null.
 */
uint64_t einc_vk_buffer_address(const einc_vk_buffer *buffer);

/* Copies between host memory and the buffer, and returns when that is done. Where it has to go
 * through the device, it happens after all runs submitted before. OUT_OF_BUFFER. */
einc_vk_status einc_vk_buffer_write(einc_vk_buffer *buffer, uint64_t offset, const void *data,
                                    uint64_t bytes);
einc_vk_status einc_vk_buffer_read(einc_vk_buffer *buffer, uint64_t offset, void *data,
                                   uint64_t bytes);

/* --- kernels ---------------------------------------------------------------------------------- */

/* The value of a specialisation constant: 32 bits of int, uint or float, 0 or 1 for bool. */
typedef struct {
  uint32_t id, value;
} einc_vk_constant;

/* What a SPIR-V module expects: storage buffers as bindings 0, 1, ... of set 0, push constants. */
typedef struct {
  const uint32_t *spirv;
  size_t spirv_bytes;
  const char *entry_point; /* null: main */
  uint32_t buffer_count;
  uint32_t written; /* bit i: buffer i may be written; the others are only read */
  uint32_t push_bytes;
  /* Not 0: push constants have three uint32_t at base_offset, which each dispatch fills with the
   * workgroup it starts from; the kernel adds them to gl_WorkGroupID. Otherwise, counts of
   * workgroups past the device's limit are refused. */
  int splits;
  uint32_t base_offset;
  uint32_t workgroup_size[3]; /* each 1 or more, after specialisation */
  uint32_t shared_bytes;      /* of a workgroup */
  uint32_t features;          /* beyond those that the module itself declares */
  const einc_vk_constant *constants;
  uint32_t constant_count;
} einc_vk_kernel_description;

/*
 * Compiles a kernel. BAD_SPIRV, MISSING_FEATURE, TOO_MANY_BUFFERS, PUSH_TOO_LARGE,
 * WORKGROUP_TOO_LARGE, SHARED_TOO_LARGE.
 */
einc_vk_status einc_vk_kernel_create(einc_vk_context *context,
                                     const einc_vk_kernel_description *description,
                                     einc_vk_kernel **kernel);

void einc_vk_kernel_free(einc_vk_kernel *kernel);

/* --- runs ------------------------------------------------------------------------------------- */

#define EINC_VK_TO_END UINT64_MAX

/* A part of a buffer. The offset is a multiple of offset_alignment. An empty one may be bound. */
typedef struct {
  const einc_vk_buffer *buffer;
  uint64_t offset, bytes; /* EINC_VK_TO_END: all from the offset on */
} einc_vk_range;

typedef struct {
  const einc_vk_kernel *kernel;
  const einc_vk_range *ranges; /* as many as the kernel has buffers */
  uint32_t range_count;
  uint32_t push_bytes;
  const void *push;
  uint64_t workgroups[3]; /* any 0: nothing is done */
} einc_vk_dispatch;

/*
 * Submits dispatches and returns. They run as if one after the other: where one reads or writes
 * what an earlier one of the run has written, or writes what it has read, a barrier stands between
 * them. All are checked before anything is done. WRONG_BUFFERS, WRONG_PUSH, OUT_OF_BUFFER,
 * MISALIGNED, BINDING_TOO_LARGE, TOO_MANY_WORKGROUPS (past the limit of a kernel that does not
 * split; 2^32 or more in a direction; more than EINC_VK_MAX_PARTS parts), OTHER_CONTEXT.
 */
einc_vk_status einc_vk_run(einc_vk_context *context, const einc_vk_dispatch *dispatches,
                           size_t count, einc_vk_event **event);
#define EINC_VK_MAX_PARTS 65536

/* What einc_vk_run would refuse, without running anything. */
einc_vk_status einc_vk_run_check(einc_vk_context *context, const einc_vk_dispatch *dispatches,
                                 size_t count);

#define EINC_VK_FOREVER UINT64_MAX

/* Waits until the run has ended, or for so many nanoseconds; 0 asks. TIMEOUT. */
einc_vk_status einc_vk_event_wait(einc_vk_event *event, uint64_t timeout_ns);

/*
 * When the run began and ended on the device, in nanoseconds of the device's own clock, which may
 * wrap around between two runs. Either pointer may be null. TIMEOUT, NO_TIMESTAMPS.
 */
einc_vk_status einc_vk_event_times(einc_vk_event *event, double *begin_ns, double *end_ns);

/* Waits for the run. */
void einc_vk_event_free(einc_vk_event *event);

/*
 * Appends a layout to push constants: its offset, its sizes, its strides, each of index_bytes (4 or
 * 8) at a multiple of that; *used, in bytes, says where to begin and then where it ends. All
 * elements must lie in the bound_bytes bytes of the range, element 0 at its begin. BAD_LAYOUT,
 * OUT_OF_RANGE, INDEX_TOO_LARGE (an offset of any element that does not fit, too), PUSH_TOO_LARGE
 * (past `capacity`).
 */
einc_vk_status einc_vk_push_layout(const einc_layout *layout, uint64_t element_bytes,
                                   uint64_t bound_bytes, int index_bytes, void *push,
                                   size_t capacity, size_t *used);

/* The same from a descriptor (runtime/memref.h), whose pointers are not looked at. */
einc_vk_status einc_vk_push_memref(const void *descriptor, int rank, uint64_t element_bytes,
                                   uint64_t bound_bytes, int index_bytes, void *push,
                                   size_t capacity, size_t *used);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_VULKAN_VK_H_ */
