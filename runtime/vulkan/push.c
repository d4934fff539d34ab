// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Layouts as push constants.
#include <string.h>

#include "runtime/memref.h"
#include "runtime/vulkan/internal.h"

static einc_vk_status check_layout(const einc_layout *layout, uint64_t element_bytes,
                                   uint64_t bound_bytes, int64_t *count, int64_t *high) {
  int64_t low;
  einc_status status = einc_layout_check(layout, (size_t)element_bytes);
  if (status == EINC_OK) status = einc_layout_count(layout, count);
  if (status == EINC_OK) status = einc_layout_range(layout, &low, high);
  if (status != EINC_OK) return einc_vk_fail(EINC_VK_BAD_LAYOUT, "%s", einc_status_string(status));
  if (*count > 0 && (low < 0 || (uint64_t)*high > bound_bytes / element_bytes)) {
    return einc_vk_fail(EINC_VK_OUT_OF_RANGE, "elements %lld to %lld, the range has %llu",
                        (long long)low, (long long)*high - 1,
                        (unsigned long long)(bound_bytes / element_bytes));
  }
  return EINC_VK_OK;
}

// At *at; 0 if it does not fit into 32 bits.
static int put(int64_t value, int index_bytes, char *push, size_t *at) {
  if (index_bytes == 8) {
    memcpy(push + *at, &value, sizeof(value));
  } else {
    const int32_t narrow = (int32_t)value;
    if (narrow != value) return 0;
    memcpy(push + *at, &narrow, sizeof(narrow));
  }
  *at += (size_t)index_bytes;
  return 1;
}

einc_vk_status einc_vk_push_layout(const einc_layout *layout, uint64_t element_bytes,
                                   uint64_t bound_bytes, int index_bytes, void *push,
                                   size_t capacity, size_t *used) {
  if (layout == NULL || push == NULL || used == NULL || (index_bytes != 4 && index_bytes != 8) ||
      element_bytes == 0 || element_bytes > SIZE_MAX) {
    return einc_vk_fail(EINC_VK_BAD_ARGUMENT, "einc_vk_push_layout");
  }
  int64_t count = 0, high = 0;
  const einc_vk_status status = check_layout(layout, element_bytes, bound_bytes, &count, &high);
  if (status != EINC_VK_OK) return status;
  const size_t unit = (size_t)index_bytes, bytes = (1 + 2 * (size_t)layout->rank) * unit;
  const size_t padding = (unit - *used % unit) % unit;
  if (*used > capacity || padding > capacity - *used || bytes > capacity - *used - padding) {
    return einc_vk_fail(EINC_VK_PUSH_TOO_LARGE, "a layout of %zu bytes at %zu, room for %zu", bytes,
                        *used, capacity);
  }
  char packed[(1 + 2 * EINC_MAX_RANK) * sizeof(int64_t)];
  size_t end = 0;
  int fits = index_bytes == 8 || count == 0 || high - 1 <= INT32_MAX;
  fits = fits && put(count == 0 ? 0 : layout->offset, index_bytes, packed, &end);
  for (int d = 0; fits && d < layout->rank; ++d) {
    fits = put(layout->sizes[d], index_bytes, packed, &end);
  }
  for (int d = 0; fits && d < layout->rank; ++d) {
    // Strides that mean nothing may be anything.
    const int means = count > 0 && layout->sizes[d] > 1;
    fits = put(means ? layout->strides[d] : 0, index_bytes, packed, &end);
  }
  if (!fits) return einc_vk_fail(EINC_VK_INDEX_TOO_LARGE, "ask for indices of 8 bytes");
  memcpy((char *)push + *used + padding, packed, bytes);
  *used += padding + bytes;
  return EINC_VK_OK;
}

einc_vk_status einc_vk_push_memref(const void *descriptor, int rank, uint64_t element_bytes,
                                   uint64_t bound_bytes, int index_bytes, void *push,
                                   size_t capacity, size_t *used) {
  einc_layout layout;
  const einc_status status = einc_memref_layout(descriptor, rank, &layout);
  if (status != EINC_OK) return einc_vk_fail(EINC_VK_BAD_LAYOUT, "%s", einc_status_string(status));
  return einc_vk_push_layout(&layout, element_bytes, bound_bytes, index_bytes, push, capacity,
                             used);
}
