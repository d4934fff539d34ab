/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What the calls of all libraries stand on. This file, cblas/calls.h and blis/calls.h are cut into
 * pieces, of which a generated file has those that it uses (of those for f32, also as ones for
 * f64). Calls take strided memrefs: sizes and strides count elements, strides may be anything. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*@ call: */
/* What looks at sizes and strides costs less where it is inlined: 8 of 25 ns. */
#if defined(__GNUC__)
#define EINC_CALL static inline __attribute__((always_inline, unused))
#else
#define EINC_CALL static inline
#endif

/*@ refusal: call */
/* What is wrong with which operand, so that a library does not take it; NULL if it takes all. */
typedef struct {
  const char *why;
  int operand;
} einc_refusal;

EINC_CALL einc_refusal einc_refused(int operand, const char *why) {
  const einc_refusal refusal = {why, operand};
  return refusal;
}

/*@ rank0_f32: */
#ifndef EINC_MEMREF_F32_0
#define EINC_MEMREF_F32_0
typedef struct {
  float *allocated, *aligned;
  int64_t offset;
} einc_memref_f32_0;
#endif

/*@ rank1_f32: */
#ifndef EINC_MEMREF_F32_1
#define EINC_MEMREF_F32_1
typedef struct {
  float *allocated, *aligned;
  int64_t offset;
  int64_t sizes[1], strides[1];
} einc_memref_f32_1;
#endif

/*@ rank2_f32: */
#ifndef EINC_MEMREF_F32_2
#define EINC_MEMREF_F32_2
typedef struct {
  float *allocated, *aligned;
  int64_t offset;
  int64_t sizes[2], strides[2];
} einc_memref_f32_2;
#endif

/*@ merged_stride: call */
/* How far neighbours are apart along several dimensions as one, the last is the innermost. That
 * they are no one dimension clears `merges`. */
EINC_CALL int64_t einc_merged_stride(int rank, const int64_t *sizes, const int64_t *strides,
                                     int *merges) {
  int64_t stride = 1, next = 0;
  int d, isFirst = 1;
  for (d = rank - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    if (isFirst) stride = strides[d];
    if (!isFirst && strides[d] != next) *merges = 0;
    isFirst = 0;
    next = strides[d] * sizes[d];
  }
  return stride;
}

/*@ step: call */
/* A vector of one element has no stride of its own. */
EINC_CALL int64_t einc_step(const int64_t *sizes, const int64_t *strides) {
  return sizes[0] == 1 ? 1 : strides[0];
}

/*@ zeros_f32: rank1_f32 call */
/* For libraries that would read what they overwrite. */
EINC_CALL void einc_zeros_f32(const einc_memref_f32_1 *x) {
  int64_t i;
  for (i = 0; i < x->sizes[0]; ++i) x->aligned[x->offset + i * x->strides[0]] = 0;
}

/*@ ones_f32: */
/* A sum is the product with a vector of these. */
static const float einc_ones_f32[64] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
