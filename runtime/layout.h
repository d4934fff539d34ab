/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * The algebra of strided layouts: where the elements of a view lie, as integers only. The view
 * types (memref.h, memref.hpp, dlpack.h) are thin shells around these functions.
 *
 * An element (i0, i1, ...) with 0 <= i_d < sizes[d] lies at offset + sum of i_d * strides[d].
 * Sizes, strides and offsets count elements, never bytes. Strides may be zero or negative. The
 * stride of a dimension of size 1, and every stride of an empty layout, means nothing.
 *
 * Functions return EINC_OK, or a status and leave *out as it was. `out` may be `in`. They check
 * all arithmetic, so no input makes them overflow, and they allocate nothing. Thread-safe.
 */
#ifndef EINC_RUNTIME_LAYOUT_H_
#define EINC_RUNTIME_LAYOUT_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EINC_MAX_RANK 32

/* Only the first `rank` sizes and strides are meaningful. */
typedef struct {
  int rank;
  int64_t offset;
  int64_t sizes[EINC_MAX_RANK];
  int64_t strides[EINC_MAX_RANK];
} einc_layout;

/*
 * A layout from its parts, with sizes[rank] and strides[rank]; either may be null if rank is 0.
 * BAD_VIEW: rank is not in 0..EINC_MAX_RANK; NEGATIVE_SIZE.
 */
einc_status einc_layout_make(int rank, const int64_t *sizes, const int64_t *strides, int64_t offset,
                             einc_layout *out);

/* A row-major layout with offset 0. BAD_VIEW, NEGATIVE_SIZE, OVERFLOW (of the element count). */
einc_status einc_layout_row_major(int rank, const int64_t *sizes, einc_layout *out);

/* The number of elements, 1 at rank 0. NEGATIVE_SIZE, OVERFLOW. */
einc_status einc_layout_count(const einc_layout *in, int64_t *count);

/*
 * All elements lie in [*low, *high), counted in elements, and both ends are reached; an empty
 * layout gives *low = *high = offset. NEGATIVE_SIZE, OVERFLOW.
 */
einc_status einc_layout_range(const einc_layout *in, int64_t *low, int64_t *high);

/*
 * Whether elements of `element_bytes` (>= 1) bytes can be addressed: the element count fits in
 * int64_t, and the byte offsets of both ends, and their distance, fit in ptrdiff_t.
 * NEGATIVE_SIZE, OVERFLOW, BAD_VIEW (rank or element_bytes).
 */
einc_status einc_layout_check(const einc_layout *in, size_t element_bytes);

/*
 * 1 if two different indices name the same element, else 0. Exact, not only sufficient, up to
 * EINC_OVERLAP_WORK steps of a search that branches over all dimensions but the two of smallest
 * stride; layouts that need more (none of rank <= 2, nor of rank 3 if the dimension of largest
 * stride has at most that many elements) are counted as overlapping. `in` must pass
 * einc_layout_check.
 */
int einc_layout_overlaps_itself(const einc_layout *in);
#define EINC_OVERLAP_WORK (1 << 18)

/*
 * Elements start, start + step, ... before `stop` of dimension `dim`, as Python's range() counts
 * them. Nothing is clamped and negative positions do not count from the end: for step > 0 both
 * ends lie in [0, size]; for step < 0 in [-1, size - 1], so stop = -1 includes element 0.
 * BAD_VIEW (dim, step 0), OUT_OF_RANGE.
 */
einc_status einc_layout_slice(const einc_layout *in, int dim, int64_t start, int64_t stop,
                              int64_t step, einc_layout *out);

/*
 * In each dimension d: sizes[d] elements from offsets[d] on, steps[d] apart (any step; step 0
 * repeats an element). NEGATIVE_SIZE, OUT_OF_RANGE.
 */
einc_status einc_layout_subview(const einc_layout *in, const int64_t *offsets, const int64_t *sizes,
                                const int64_t *steps, einc_layout *out);

/* Dimension d of the result is dimension permutation[d] of `in`. BAD_VIEW. */
einc_status einc_layout_transpose(const einc_layout *in, const int *permutation, einc_layout *out);

/* The same elements in opposite order along `dim`. BAD_VIEW. */
einc_status einc_layout_reverse(const einc_layout *in, int dim, einc_layout *out);

/*
 * NumPy's rule: dimensions are matched from the right; a dimension that is missing or of size 1 is
 * repeated with stride 0. SIZE_MISMATCH, BAD_VIEW (rank below in->rank), NEGATIVE_SIZE, OVERFLOW.
 */
einc_status einc_layout_broadcast(const einc_layout *in, int rank, const int64_t *sizes,
                                  einc_layout *out);

/*
 * The same elements in the same row-major order under other sizes. Succeeds whenever strides for
 * that exist, which also holds for many layouts that are not contiguous.
 * SIZE_MISMATCH (of the element counts), NOT_CONTIGUOUS, BAD_VIEW, NEGATIVE_SIZE, OVERFLOW.
 */
einc_status einc_layout_reshape(const einc_layout *in, int rank, const int64_t *sizes,
                                einc_layout *out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_LAYOUT_H_ */
