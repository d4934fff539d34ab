/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * The tensor descriptor of generated kernels: MLIR's strided memref, byte for byte.
 *
 *   typedef struct { float *allocated, *aligned; int64_t offset, sizes[2], strides[2]; }
 *       einc_memref_f32_2;
 *
 * Element (i, j) is aligned[offset + i * strides[0] + j * strides[1]]. Offset, sizes and strides
 * count elements, never bytes. Strides may be zero or negative. `allocated` is what the owner will
 * free; kernels ignore it. A descriptor owns nothing.
 *
 * Generated headers declare the descriptors that their kernels take. EINC_MEMREF declares others:
 *
 *   EINC_MEMREF(float, f32, 3);   declares einc_memref_f32_3
 *   EINC_MEMREF_0(double, f64);   declares einc_memref_f64_0, which has no arrays
 *
 * The functions below take a pointer to a descriptor of any element type, with its rank and
 * element size, and never touch the elements. They return EINC_OK, or a status and leave their
 * outputs as they were; EINC_NULL_DESCRIPTOR and EINC_BAD_VIEW (a rank not in 0..EINC_MAX_RANK, or
 * an element size of 0) may come from all of them. Thread-safe; nothing is allocated.
 */
#ifndef EINC_RUNTIME_MEMREF_H_
#define EINC_RUNTIME_MEMREF_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/layout.h"
#include "runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EINC_MEMREF(c_type, type_name, rank)    \
  typedef struct {                              \
    c_type *allocated, *aligned;                \
    int64_t offset, sizes[rank], strides[rank]; \
  } einc_memref_##type_name##_##rank

#define EINC_MEMREF_0(c_type, type_name) \
  typedef struct {                       \
    c_type *allocated, *aligned;         \
    int64_t offset;                      \
  } einc_memref_##type_name##_0

/* Storage of the element types C has no name for. Those of i4 and u4 are two in a byte, the first in its
 * lower half, and offsets and strides count them: the functions below, which know elements of whole bytes,
 * are not for them. */
typedef uint16_t einc_f16;   /* IEEE binary16 */
typedef uint16_t einc_bf16;  /* the upper half of an IEEE binary32 */
typedef uint8_t einc_bool;   /* 0 or 1 */
typedef uint8_t einc_f8e4m3; /* no infinities; 0x7f and 0xff are NaN */
typedef uint8_t einc_f8e5m2; /* the upper half of an IEEE binary16 */

/*
 * Fills the descriptor with a row-major view of `data`, which must hold all elements.
 * NEGATIVE_SIZE, OVERFLOW, NULL_DATA (null with elements).
 */
einc_status einc_memref_init(void *descriptor, int rank, size_t element_bytes, void *data,
                             const int64_t *sizes);

/* Fills the descriptor from its parts, unchecked but for the rank and negative sizes. */
einc_status einc_memref_set(void *descriptor, void *allocated, void *aligned,
                            const einc_layout *layout);

/* Reads the layout. NEGATIVE_SIZE. */
einc_status einc_memref_layout(const void *descriptor, int rank, einc_layout *layout);

/* The number of elements, 1 at rank 0. NEGATIVE_SIZE, OVERFLOW. */
einc_status einc_memref_count(const void *descriptor, int rank, int64_t *count);

/*
 * The smallest range of addresses [*first, *last), in bytes, that holds all elements; both null for
 * an empty tensor. NEGATIVE_SIZE, OVERFLOW, NULL_DATA.
 */
einc_status einc_memref_byte_range(const void *descriptor, int rank, size_t element_bytes,
                                   const void **first, const void **last);

/*
 * Whether the elements may be read and, if `writable`, written. `alignment`, in bytes, is that of
 * the element type. NEGATIVE_SIZE, OVERFLOW, NULL_DATA, MISALIGNED, WOULD_ALIAS (writable, and two
 * indices name one element; see einc_layout_overlaps_itself). Empty tensors pass with any data.
 */
einc_status einc_memref_check(const void *descriptor, int rank, size_t element_bytes,
                              size_t alignment, int writable);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_MEMREF_H_ */
