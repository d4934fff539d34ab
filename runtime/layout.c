// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/layout.h"

#include "runtime/checked.h"

/* See status.h. Other files that return statuses of the runtime call functions of this one. */
const int *const einc_layout_statuses = &einc_status_count;

static int is_empty(const einc_layout *in) {
  for (int d = 0; d < in->rank; ++d) {
    if (in->sizes[d] == 0) return 1;
  }
  return 0;
}

static einc_status check_sizes(int rank, const int64_t *sizes) {
  if (rank < 0 || rank > EINC_MAX_RANK) return EINC_BAD_VIEW;
  for (int d = 0; d < rank; ++d) {
    if (sizes[d] < 0) return EINC_NEGATIVE_SIZE;
  }
  return EINC_OK;
}

einc_status einc_layout_make(int rank, const int64_t *sizes, const int64_t *strides, int64_t offset,
                             einc_layout *out) {
  einc_status status = check_sizes(rank, sizes);
  if (status != EINC_OK) return status;
  einc_layout result = {0};
  result.rank = rank;
  result.offset = offset;
  for (int d = 0; d < rank; ++d) {
    result.sizes[d] = sizes[d];
    result.strides[d] = strides[d];
  }
  *out = result;
  return EINC_OK;
}

einc_status einc_layout_row_major(int rank, const int64_t *sizes, einc_layout *out) {
  einc_status status = check_sizes(rank, sizes);
  if (status != EINC_OK) return status;
  einc_layout result = {0};
  result.rank = rank;
  for (int d = 0; d < rank; ++d) result.sizes[d] = sizes[d];
  int64_t count;
  status = einc_layout_count(&result, &count);
  if (status != EINC_OK) return status;
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    result.strides[d] = stride;
    // Overflows for empty layouts only, whose strides mean nothing.
    if (sizes[d] > 0 && !einc_checked_mul(stride, sizes[d], &stride)) stride = 0;
  }
  *out = result;
  return EINC_OK;
}

einc_status einc_layout_count(const einc_layout *in, int64_t *count) {
  const einc_status status = check_sizes(in->rank, in->sizes);
  if (status != EINC_OK) return status;
  int64_t product = is_empty(in) ? 0 : 1;
  for (int d = 0; d < in->rank && product != 0; ++d) {
    if (!einc_checked_mul(product, in->sizes[d], &product)) return EINC_OVERFLOW;
  }
  *count = product;
  return EINC_OK;
}

einc_status einc_layout_range(const einc_layout *in, int64_t *low, int64_t *high) {
  const einc_status status = check_sizes(in->rank, in->sizes);
  if (status != EINC_OK) return status;
  int64_t first = in->offset, last = in->offset;
  if (is_empty(in)) {
    *low = *high = in->offset;
    return EINC_OK;
  }
  for (int d = 0; d < in->rank; ++d) {
    int64_t reach;
    if (!einc_checked_mul(in->sizes[d] - 1, in->strides[d], &reach)) return EINC_OVERFLOW;
    int64_t *end = reach < 0 ? &first : &last;
    if (!einc_checked_add(*end, reach, end)) return EINC_OVERFLOW;
  }
  if (!einc_checked_add(last, 1, &last)) return EINC_OVERFLOW;
  *low = first;
  *high = last;
  return EINC_OK;
}

einc_status einc_layout_check(const einc_layout *in, size_t element_bytes) {
  if (element_bytes == 0 || element_bytes > PTRDIFF_MAX) return EINC_BAD_VIEW;
  int64_t count, low, high, span;
  einc_status status = einc_layout_count(in, &count);
  if (status == EINC_OK) status = einc_layout_range(in, &low, &high);
  if (status != EINC_OK || count == 0) return status;
  const int64_t most = PTRDIFF_MAX / (int64_t)element_bytes;
  if (!einc_checked_sub(high, low, &span)) return EINC_OVERFLOW;
  return low < -most || high > most || span > most ? EINC_OVERFLOW : EINC_OK;
}

// Keeps elements start, start + step, ... (`size` of them, all inside) of one dimension. An empty
// result moves neither offset nor stride: they would mean nothing, and could overflow.
static einc_status cut(einc_layout *layout, int dim, int64_t start, int64_t size, int64_t step) {
  const int64_t stride = layout->strides[dim];
  if (!is_empty(layout) && size > 0) {
    int64_t move;
    if (!einc_checked_mul(start, stride, &move)) return EINC_OVERFLOW;
    if (!einc_checked_add(layout->offset, move, &layout->offset)) return EINC_OVERFLOW;
    if (size > 1 && !einc_checked_mul(stride, step, &layout->strides[dim])) return EINC_OVERFLOW;
  }
  layout->sizes[dim] = size;
  return EINC_OK;
}

einc_status einc_layout_slice(const einc_layout *in, int dim, int64_t start, int64_t stop,
                              int64_t step, einc_layout *out) {
  if (dim < 0 || dim >= in->rank || step == 0) return EINC_BAD_VIEW;
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = in->sizes[dim] + low;
  if (start < low || start > high || stop < low || stop > high) return EINC_OUT_OF_RANGE;
  const int64_t distance = step > 0 ? stop - start : start - stop;
  // INT64_MIN has no negative; every distance is below INT64_MAX, so that is the same slice.
  const int64_t width = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
  const int64_t size = distance > 0 ? (distance - 1) / width + 1 : 0;
  einc_layout result = *in;
  const einc_status status = cut(&result, dim, start, size, step);
  if (status == EINC_OK) *out = result;
  return status;
}

einc_status einc_layout_subview(const einc_layout *in, const int64_t *offsets, const int64_t *sizes,
                                const int64_t *steps, einc_layout *out) {
  einc_status status = check_sizes(in->rank, sizes);
  einc_layout result = *in;
  for (int d = 0; d < in->rank && status == EINC_OK; ++d) {
    const int64_t bound = in->sizes[d];
    int64_t last = offsets[d];
    if (sizes[d] > 0 && (!einc_checked_mul(sizes[d] - 1, steps[d], &last) ||
                         !einc_checked_add(last, offsets[d], &last))) {
      return EINC_OUT_OF_RANGE;
    }
    if (offsets[d] < 0 || offsets[d] > bound || last < 0 || last > bound) return EINC_OUT_OF_RANGE;
    if (sizes[d] > 0 && (offsets[d] == bound || last == bound)) return EINC_OUT_OF_RANGE;
    status = cut(&result, d, offsets[d], sizes[d], steps[d]);
  }
  if (status == EINC_OK) *out = result;
  return status;
}

einc_status einc_layout_transpose(const einc_layout *in, const int *permutation, einc_layout *out) {
  einc_layout result = *in;
  uint32_t seen = 0;
  for (int d = 0; d < in->rank; ++d) {
    const int from = permutation[d];
    if (from < 0 || from >= in->rank || (seen >> from & 1) != 0) return EINC_BAD_VIEW;
    seen |= UINT32_C(1) << from;
    result.sizes[d] = in->sizes[from];
    result.strides[d] = in->strides[from];
  }
  *out = result;
  return EINC_OK;
}

einc_status einc_layout_reverse(const einc_layout *in, int dim, einc_layout *out) {
  if (dim < 0 || dim >= in->rank) return EINC_BAD_VIEW;
  return einc_layout_slice(in, dim, in->sizes[dim] - 1, -1, -1, out);
}

einc_status einc_layout_broadcast(const einc_layout *in, int rank, const int64_t *sizes,
                                  einc_layout *out) {
  if (rank < in->rank) return EINC_BAD_VIEW;
  einc_layout result;
  einc_status status = einc_layout_row_major(rank, sizes, &result);  // for the checks
  if (status != EINC_OK) return status;
  result.offset = in->offset;
  const int added = rank - in->rank;
  for (int d = 0; d < rank; ++d) {
    const int from = d - added;
    const int repeated = from < 0 || (in->sizes[from] == 1 && sizes[d] != 1);
    if (!repeated && in->sizes[from] != sizes[d]) return EINC_SIZE_MISMATCH;
    result.strides[d] = repeated ? 0 : in->strides[from];
  }
  *out = result;
  return EINC_OK;
}

// Whether dimensions first..last of the arrays step evenly when walked in row-major order.
static int steps_evenly(const int64_t *sizes, const int64_t *strides, int first, int last) {
  for (int d = first; d < last; ++d) {
    int64_t inner;
    if (!einc_checked_mul(sizes[d + 1], strides[d + 1], &inner) || inner != strides[d]) return 0;
  }
  return 1;
}

// Old dimensions (without those of size 1) and new ones are walked side by side and cut into the
// smallest groups of equal element count. New strides exist if and only if each old group steps
// evenly; the new group then divides that one long dimension.
einc_status einc_layout_reshape(const einc_layout *in, int rank, const int64_t *sizes,
                                einc_layout *out) {
  einc_layout result;
  int64_t old_count, new_count;
  einc_status status = einc_layout_row_major(rank, sizes, &result);
  if (status == EINC_OK) status = einc_layout_count(&result, &new_count);
  if (status == EINC_OK) status = einc_layout_count(in, &old_count);
  if (status != EINC_OK) return status;
  if (old_count != new_count) return EINC_SIZE_MISMATCH;
  result.offset = in->offset;
  if (new_count == 0) {
    *out = result;
    return EINC_OK;
  }

  int64_t old_sizes[EINC_MAX_RANK] = {0}, old_strides[EINC_MAX_RANK] = {0};
  int old_rank = 0;
  for (int d = 0; d < in->rank; ++d) {
    if (in->sizes[d] == 1) continue;
    old_sizes[old_rank] = in->sizes[d];
    old_strides[old_rank++] = in->strides[d];
  }
  int new_first = 0;
  for (int old_first = 0; old_first < old_rank;) {
    int old_last = old_first, new_last = new_first;
    int64_t old_group = old_sizes[old_first], new_group = sizes[new_first];
    while (old_group != new_group) {  // both divide the count, so neither overflows nor runs out
      if (old_group < new_group) {
        old_group *= old_sizes[++old_last];
      } else {
        new_group *= sizes[++new_last];
      }
    }
    if (!steps_evenly(old_sizes, old_strides, old_first, old_last)) return EINC_NOT_CONTIGUOUS;
    int64_t stride = old_strides[old_last];
    for (int d = new_last; d >= new_first; --d) {
      result.strides[d] = stride;
      // Overflows at the last step, or before dimensions of size 1: their strides mean nothing.
      if (!einc_checked_mul(stride, sizes[d], &stride)) stride = 0;
    }
    old_first = old_last + 1;
    new_first = new_last + 1;
  }
  *out = result;  // new dimensions left over have size 1
  return EINC_OK;
}
