// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/dlpack.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/layout.h"
#include "runtime/memref.h"

// In bytes; 0 for what is no scalar of whole bytes.
static size_t element_size(einc_dl_dtype dtype) {
  return dtype.lanes == 1 && dtype.bits % 8 == 0 ? dtype.bits / 8u : 0;
}

static einc_status import_tensor(const einc_dl_tensor *tensor, int strides_required,
                                 einc_dl_dtype dtype, int rank, int writable, void *descriptor) {
  const size_t bytes = element_size(dtype);
  if (bytes == 0 || rank < 0 || rank > EINC_MAX_RANK) return EINC_BAD_VIEW;
  if (tensor->device.type != EINC_DL_CPU) return EINC_DLPACK_DEVICE;
  if (tensor->dtype.lanes != 1) return EINC_DLPACK_LANES;
  if (tensor->dtype.code != dtype.code || tensor->dtype.bits != dtype.bits) {
    return EINC_DLPACK_DTYPE;
  }
  if (tensor->ndim != rank) return EINC_DLPACK_RANK;
  if (rank > 0 && tensor->shape == NULL) return EINC_DLPACK_SHAPE;
  if (rank > 0 && tensor->strides == NULL && strides_required) return EINC_DLPACK_STRIDES;
  if (tensor->byte_offset % bytes != 0) return EINC_DLPACK_BYTE_OFFSET;
  if (tensor->byte_offset > INT64_MAX) return EINC_OVERFLOW;

  einc_layout layout;
  einc_status status = rank > 0 && tensor->strides == NULL
                           ? einc_layout_row_major(rank, tensor->shape, &layout)
                           : einc_layout_make(rank, tensor->shape, tensor->strides, 0, &layout);
  if (status != EINC_OK) return status;
  layout.offset = (int64_t)(tensor->byte_offset / bytes);

  // Built aside, so that the caller's descriptor only changes on success.
  struct {
    void *allocated, *aligned;
    int64_t integers[1 + 2 * EINC_MAX_RANK];
  } checked;
  status = einc_memref_set(&checked, tensor->data, tensor->data, &layout);
  if (status == EINC_OK) status = einc_memref_check(&checked, rank, bytes, bytes, writable);
  if (status != EINC_OK) return status;
  return einc_memref_set(descriptor, tensor->data, tensor->data, &layout);
}

einc_status einc_dl_import(const einc_dl_managed_versioned *managed, einc_dl_dtype dtype, int rank,
                           int writable, void *descriptor) {
  if (managed == NULL || descriptor == NULL) return EINC_NULL_DESCRIPTOR;
  if (managed->version.major != EINC_DL_MAJOR_VERSION) return EINC_DLPACK_VERSION;
  if (writable && (managed->flags & EINC_DL_FLAG_READ_ONLY) != 0) return EINC_DLPACK_READ_ONLY;
  const int strides_required = managed->version.minor >= 2;
  return import_tensor(&managed->tensor, strides_required, dtype, rank, writable, descriptor);
}

einc_status einc_dl_import_unversioned(const einc_dl_managed *managed, einc_dl_dtype dtype,
                                       int rank, int writable, void *descriptor) {
  if (managed == NULL || descriptor == NULL) return EINC_NULL_DESCRIPTOR;
  return import_tensor(&managed->tensor, 0, dtype, rank, writable, descriptor);
}

void einc_dl_release(einc_dl_managed_versioned *managed) {
  if (managed != NULL && managed->deleter != NULL) managed->deleter(managed);
}

void einc_dl_release_unversioned(einc_dl_managed *managed) {
  if (managed != NULL && managed->deleter != NULL) managed->deleter(managed);
}

// What an exported tensor needs besides its managed tensor. Each is one allocation: manager_ctx
// points to this part of it.
typedef struct {
  void (*release)(void *context);
  void *context;
  int64_t sizes[EINC_MAX_RANK], strides[EINC_MAX_RANK];
} export_context;

typedef struct {
  einc_dl_managed managed;  // first: the deleter frees a pointer to it
  export_context context;
} exported_unversioned;

typedef struct {
  einc_dl_managed_versioned managed;  // first
  export_context context;
} exported;

static void finish(const export_context *context) {
  if (context->release != NULL) context->release(context->context);
}

static void delete_versioned(einc_dl_managed_versioned *self) {
  finish((const export_context *)self->manager_ctx);
  free(self);
}

static void delete_unversioned(einc_dl_managed *self) {
  finish((const export_context *)self->manager_ctx);
  free(self);
}

static einc_status check_export(const void *descriptor, int rank, einc_dl_dtype dtype,
                                int writable) {
  if (descriptor == NULL) return EINC_NULL_DESCRIPTOR;
  const size_t bytes = element_size(dtype);
  return bytes == 0 ? EINC_BAD_VIEW : einc_memref_check(descriptor, rank, bytes, bytes, writable);
}

// The descriptor has been checked.
static void fill(const void *descriptor, int rank, einc_dl_dtype dtype, einc_dl_tensor *tensor,
                 export_context *context) {
  einc_layout layout;
  int64_t count = 0;
  if (einc_memref_layout(descriptor, rank, &layout) != EINC_OK) return;
  if (einc_layout_count(&layout, &count) != EINC_OK) return;
  memcpy(context->sizes, layout.sizes, sizeof(context->sizes));
  memcpy(context->strides, layout.strides, sizeof(context->strides));
  struct {
    void *allocated, *aligned;
  } both;
  memcpy(&both, descriptor, sizeof(both));
  const int64_t offset_bytes = count == 0 ? 0 : layout.offset * (int64_t)element_size(dtype);
  tensor->data = count == 0 ? NULL : (char *)both.aligned + offset_bytes;
  tensor->device.type = EINC_DL_CPU;
  tensor->device.id = 0;
  tensor->ndim = rank;
  tensor->dtype = dtype;
  tensor->shape = context->sizes;
  tensor->strides = context->strides;
  tensor->byte_offset = 0;
}

einc_status einc_dl_export(const void *descriptor, int rank, einc_dl_dtype dtype, int read_only,
                           void (*release)(void *context), void *context,
                           einc_dl_managed_versioned **out) {
  if (out == NULL) return EINC_NULL_DESCRIPTOR;
  const einc_status status = check_export(descriptor, rank, dtype, !read_only);
  if (status != EINC_OK) return status;
  exported *made = (exported *)malloc(sizeof(exported));
  if (made == NULL) return EINC_OUT_OF_MEMORY;
  made->context.release = release;
  made->context.context = context;
  made->managed.version.major = EINC_DL_MAJOR_VERSION;
  made->managed.version.minor = EINC_DL_MINOR_VERSION;
  made->managed.manager_ctx = &made->context;
  made->managed.deleter = delete_versioned;
  made->managed.flags = read_only ? EINC_DL_FLAG_READ_ONLY : 0;
  fill(descriptor, rank, dtype, &made->managed.tensor, &made->context);
  *out = &made->managed;
  return EINC_OK;
}

einc_status einc_dl_export_unversioned(const void *descriptor, int rank, einc_dl_dtype dtype,
                                       void (*release)(void *context), void *context,
                                       einc_dl_managed **out) {
  if (out == NULL) return EINC_NULL_DESCRIPTOR;
  const einc_status status = check_export(descriptor, rank, dtype, 1);
  if (status != EINC_OK) return status;
  exported_unversioned *made = (exported_unversioned *)malloc(sizeof(exported_unversioned));
  if (made == NULL) return EINC_OUT_OF_MEMORY;
  made->context.release = release;
  made->context.context = context;
  made->managed.manager_ctx = &made->context;
  made->managed.deleter = delete_unversioned;
  fill(descriptor, rank, dtype, &made->managed.tensor, &made->context);
  *out = &made->managed;
  return EINC_OK;
}
