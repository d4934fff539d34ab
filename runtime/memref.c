// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/memref.h"

#include <string.h>

// The two pointers point to the element type, which is not known here: they are moved as bytes.
typedef struct {
  void *allocated, *aligned;
} pointers;

// The offset, then rank sizes, then rank strides.
static const int64_t *integers(const void *descriptor) {
  return (const int64_t *)((const char *)descriptor + sizeof(pointers));
}

einc_status einc_memref_set(void *descriptor, void *allocated, void *aligned,
                            const einc_layout *layout) {
  if (descriptor == NULL || layout == NULL) return EINC_NULL_DESCRIPTOR;
  einc_layout checked;
  const einc_status status =
      einc_layout_make(layout->rank, layout->sizes, layout->strides, layout->offset, &checked);
  if (status != EINC_OK) return status;
  const pointers both = {allocated, aligned};
  memcpy(descriptor, &both, sizeof(both));
  int64_t *out = (int64_t *)((char *)descriptor + sizeof(pointers));
  *out++ = checked.offset;
  for (int d = 0; d < checked.rank; ++d) *out++ = checked.sizes[d];
  for (int d = 0; d < checked.rank; ++d) *out++ = checked.strides[d];
  return EINC_OK;
}

einc_status einc_memref_init(void *descriptor, int rank, size_t element_bytes, void *data,
                             const int64_t *sizes) {
  if (descriptor == NULL) return EINC_NULL_DESCRIPTOR;
  einc_layout layout;
  int64_t count;
  einc_status status = einc_layout_row_major(rank, sizes, &layout);
  if (status == EINC_OK) status = einc_layout_check(&layout, element_bytes);
  if (status == EINC_OK) status = einc_layout_count(&layout, &count);
  if (status != EINC_OK) return status;
  if (data == NULL && count > 0) return EINC_NULL_DATA;
  return einc_memref_set(descriptor, data, data, &layout);
}

einc_status einc_memref_layout(const void *descriptor, int rank, einc_layout *layout) {
  if (descriptor == NULL) return EINC_NULL_DESCRIPTOR;
  if (rank < 0 || rank > EINC_MAX_RANK) return EINC_BAD_VIEW;
  const int64_t *offset = integers(descriptor);
  const int64_t *sizes = offset + 1;
  return einc_layout_make(rank, sizes, sizes + rank, *offset, layout);
}

einc_status einc_memref_count(const void *descriptor, int rank, int64_t *count) {
  einc_layout layout;
  const einc_status status = einc_memref_layout(descriptor, rank, &layout);
  return status == EINC_OK ? einc_layout_count(&layout, count) : status;
}

einc_status einc_memref_byte_range(const void *descriptor, int rank, size_t element_bytes,
                                   const void **first, const void **last) {
  einc_layout layout;
  int64_t low, high;
  einc_status status = einc_memref_layout(descriptor, rank, &layout);
  if (status == EINC_OK) status = einc_layout_check(&layout, element_bytes);
  if (status == EINC_OK) status = einc_layout_range(&layout, &low, &high);
  if (status != EINC_OK) return status;
  if (low == high) {
    *first = *last = NULL;
    return EINC_OK;
  }
  pointers both;
  memcpy(&both, descriptor, sizeof(both));
  if (both.aligned == NULL) return EINC_NULL_DATA;
  // In integers, where leaving the address space is defined and can be seen: the range must be
  // an ascending one, and the way to each end must not wrap around.
  const uintptr_t base = (uintptr_t)both.aligned;
  const uintptr_t low_address = base + (uintptr_t)low * element_bytes;
  const uintptr_t high_address = base + (uintptr_t)high * element_bytes;
  if (low_address >= high_address) return EINC_OVERFLOW;
  if (low < 0 ? low_address > base : low_address < base) return EINC_OVERFLOW;
  *first = (const void *)low_address;
  *last = (const void *)high_address;
  return EINC_OK;
}

einc_status einc_memref_check(const void *descriptor, int rank, size_t element_bytes,
                              size_t alignment, int writable) {
  const void *first, *last;
  einc_layout layout;
  einc_status status = einc_memref_byte_range(descriptor, rank, element_bytes, &first, &last);
  if (status == EINC_OK) status = einc_memref_layout(descriptor, rank, &layout);
  if (status != EINC_OK || first == last) return status;
  if (alignment > 1 && (uintptr_t)first % alignment != 0) return EINC_MISALIGNED;
  return writable && einc_layout_overlaps_itself(&layout) ? EINC_WOULD_ALIAS : EINC_OK;
}
