/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * DLPack tensors in and out, without depending on DLPack: the structs below have the layout that
 * its specification fixes, so a DLManagedTensor * of any library may be cast to einc_dl_managed *
 * and a DLManagedTensorVersioned * to einc_dl_managed_versioned *, and back.
 *
 * In DLPack the shape and the strides count elements, byte_offset counts bytes. Both forms are
 * understood: the current one, versioned, of major version 1; and the older one (up to 0.8), which
 * knows neither a version nor flags.
 *
 * Ownership. A managed tensor is owned by whoever holds the pointer, until he calls its deleter,
 * once. Import borrows: it takes no ownership, whether it succeeds or fails, and the descriptor it
 * fills is valid until the tensor is released. Export makes a managed tensor that its
 * consumer has to release.
 */
#ifndef EINC_RUNTIME_DLPACK_H_
#define EINC_RUNTIME_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- The data structures of the specification. */

/* einc_dl_dtype.code */
enum einc_dl_code {
  EINC_DL_INT = 0,
  EINC_DL_UINT = 1,
  EINC_DL_FLOAT = 2,
  EINC_DL_BFLOAT = 4,
  EINC_DL_BOOL = 6
};

/* einc_dl_device.type */
enum einc_dl_device_type { EINC_DL_CPU = 1 };

/* einc_dl_managed_versioned.flags, a bit mask. Einc has no sub-byte types, so it sets no others. */
#define EINC_DL_FLAG_READ_ONLY UINT64_C(1)
#define EINC_DL_FLAG_IS_COPIED UINT64_C(2)

#define EINC_DL_MAJOR_VERSION 1
#define EINC_DL_MINOR_VERSION 2

typedef struct {
  uint32_t major, minor;
} einc_dl_version;

typedef struct {
  int32_t type, id;
} einc_dl_device;

/* bits: of one lane. lanes: 1 for scalars. */
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} einc_dl_dtype;

typedef struct {
  void *data; /* may be null if there are no elements */
  einc_dl_device device;
  int32_t ndim;
  einc_dl_dtype dtype;
  int64_t *shape;       /* ndim sizes */
  int64_t *strides;     /* ndim strides; null means row-major, before version 1.2 only */
  uint64_t byte_offset; /* from `data` to element (0, 0, ...) */
} einc_dl_tensor;

/* The older form. */
typedef struct einc_dl_managed {
  einc_dl_tensor tensor;
  void *manager_ctx;                             /* the producer's */
  void (*deleter)(struct einc_dl_managed *self); /* frees *self as well; may be null */
} einc_dl_managed;

/* The current form. With another major version only the fields before `tensor` may be touched. */
typedef struct einc_dl_managed_versioned {
  einc_dl_version version;
  void *manager_ctx;
  void (*deleter)(struct einc_dl_managed_versioned *self);
  uint64_t flags;
  einc_dl_tensor tensor;
} einc_dl_managed_versioned;

/* --- Import. */

/*
 * Fills the strided memref `descriptor` (see memref.h) with a view of the tensor's data.
 * `dtype` and `rank` are what the descriptor has; `writable` is 0 if elements will only be read.
 * Elements are aligned to their size.
 *
 *   NULL_DESCRIPTOR     managed or descriptor is null
 *   DLPACK_VERSION      the major version is not 1 (release it without looking further)
 *   DLPACK_READ_ONLY    writable, and flagged as read-only
 *   DLPACK_DEVICE       not in plain CPU memory; memory pinned for a GPU is refused as well
 *   DLPACK_LANES, DLPACK_DTYPE, DLPACK_RANK, DLPACK_SHAPE
 *   DLPACK_STRIDES      strides are null, rank > 0, and the version is 1.2 or later. Older ones,
 *                       as well as the unversioned form, mean row-major by that
 *   DLPACK_BYTE_OFFSET  the byte offset is not a multiple of the element size
 *   NEGATIVE_SIZE, OVERFLOW, NULL_DATA, MISALIGNED, WOULD_ALIAS as in einc_memref_check
 *   BAD_VIEW            rank is not in 0..EINC_MAX_RANK, or dtype is no scalar of whole bytes
 */
einc_status einc_dl_import(const einc_dl_managed_versioned *managed, einc_dl_dtype dtype, int rank,
                           int writable, void *descriptor);
einc_status einc_dl_import_unversioned(const einc_dl_managed *managed, einc_dl_dtype dtype,
                                       int rank, int writable, void *descriptor);

/* Calls the deleter, if there is one. Null is allowed. */
void einc_dl_release(einc_dl_managed_versioned *managed);
void einc_dl_release_unversioned(einc_dl_managed *managed);

/* --- Export. */

/*
 * Makes a managed tensor that shows the descriptor's elements; they are not copied. Its deleter
 * calls release(context), unless `release` is null, and then frees the managed tensor; it may run
 * in any thread. `descriptor` itself is not needed after the call. Strides are always given,
 * byte_offset is always 0, data is null if there are no elements.
 *
 * `read_only` sets the flag; the older form has none, so it takes only what may be written.
 * On failure *out is as it was, and `release` is not called.
 * NULL_DESCRIPTOR (descriptor or out), OUT_OF_MEMORY, BAD_VIEW, and those of einc_memref_check.
 */
einc_status einc_dl_export(const void *descriptor, int rank, einc_dl_dtype dtype, int read_only,
                           void (*release)(void *context), void *context,
                           einc_dl_managed_versioned **out);
einc_status einc_dl_export_unversioned(const void *descriptor, int rank, einc_dl_dtype dtype,
                                       void (*release)(void *context), void *context,
                                       einc_dl_managed **out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_DLPACK_H_ */
