/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Calls of BLIS through its typed interface, whose integers have 64 bits: matrices with any strides
 * of rows and columns, negative ones too, but for -1: BLIS chooses kernels by the absolute value
 * (bli_is_row_stored). einc_blis_refuses_NAME says why BLIS cannot do it, if it cannot: it takes
 * sizes from 1 on, and no two elements at one place as far as strides show it, which BLIS would end
 * the program for; and no products that BLIS is known to get wrong. beta = 0 never reads what is
 * overwritten. */
#pragma once

#include "libcalls/calls.h"

/*@ blis_names: */
#define EINC_BLIS_F32(name) bli_s##name
#define EINC_BLIS_F64(name) bli_d##name

/*@ blis_strides: call */
/* The strides of a matrix as BLIS takes them: a dimension of one position has none of its own. */
EINC_CALL void einc_blis_strides(const int64_t *sizes, const int64_t *strides, int64_t *rows,
                                 int64_t *columns) {
  *rows = strides[0] < 0 ? -strides[0] : strides[0];
  *columns = strides[1] < 0 ? -strides[1] : strides[1];
  if (sizes[0] == 1) *rows = sizes[1] == 1 ? 1 : *columns * sizes[1];
  if (sizes[1] == 1) *columns = sizes[0] == 1 ? 1 : *rows * sizes[0];
  if (sizes[0] > 1 && strides[0] < 0) *rows = -*rows;
  if (sizes[1] > 1 && strides[1] < 0) *columns = -*columns;
}

/*@ blis_refuses_matrix: blis_strides refusal call */
EINC_CALL const char *einc_blis_refuses_matrix(const int64_t *sizes, const int64_t *strides) {
  int64_t rows, columns;
  if (sizes[0] < 1 || sizes[1] < 1) return "is empty";
  if ((sizes[0] > 1 && strides[0] == -1) || (sizes[1] > 1 && strides[1] == -1))
    return "has stride -1";
  einc_blis_strides(sizes, strides, &rows, &columns);
  rows = rows < 0 ? -rows : rows;
  columns = columns < 0 ? -columns : columns;
  if (sizes[0] == 1 && sizes[1] == 1) return NULL;
  if (rows < columns ? rows > 0 && columns >= rows * sizes[0]
                     : columns > 0 && rows >= columns * sizes[1])
    return NULL;
  return "has lines that overlap";
}

/*@ blis_refuses_vector: refusal call */
EINC_CALL const char *einc_blis_refuses_vector(const int64_t *sizes, const int64_t *strides) {
  if (sizes[0] < 1) return "is empty";
  return sizes[0] == 1 || strides[0] != 0 ? NULL : "has stride 0";
}

/*@ blis_refuses_sizes: refusal call */
/* Products that BLIS 0.9.0 gets wrong, found at guard pages with all sizes up to 20, drawn larger
 * ones, all layouts and the kernels for each CPU. Its kernels for small products (haswell, zen,
 * zen2, zen3; where m or n is below 512 or k below 440) write C where it lies. What is left behind
 * whole tiles they read in whole vectors in f32, beyond the end of C (3 x 2, k = 4) or B (16 x 1,
 * k = 3), and a last row or column leaves out what zeros multiply, NaN too (5 x 3, k = 1), also in
 * f64. Multiples of 16 leave nothing; larger products and the kernels of other CPUs had no fault.
 * The refusal names the operand with the size. */
EINC_CALL einc_refusal einc_blis_refuses_sizes(int64_t m, int64_t n, int64_t k) {
  const int isSmall = m < 600 || n < 600 || k < 600;
  const int operand = m % 16 != 0 ? 0 : n % 16 != 0 || k % 16 != 0 ? 1 : -1;
  if (!isSmall || operand < 0) return einc_refused(0, NULL);
  return einc_refused(operand, "has sizes for which BLIS is known to be wrong");
}

/*@ blis_refuses_gemm_f32: rank2_f32 blis_refuses_matrix blis_refuses_sizes call */
EINC_CALL einc_refusal einc_blis_refuses_gemm_f32(const einc_memref_f32_2 *A,
                                                  const einc_memref_f32_2 *B,
                                                  const einc_memref_f32_2 *C) {
  einc_refusal refusal = einc_refused(0, einc_blis_refuses_matrix(A->sizes, A->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_blis_refuses_matrix(B->sizes, B->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(2, einc_blis_refuses_matrix(C->sizes, C->strides));
  if (refusal.why == NULL) refusal = einc_blis_refuses_sizes(C->sizes[0], C->sizes[1], A->sizes[1]);
  return refusal;
}

/*@ blis_gemm_f32: rank2_f32 blis_strides call blis_names */
void EINC_BLIS_F32(gemm)(int transposedA, int transposedB, int64_t m, int64_t n, int64_t k,
                         const float *alpha, const float *a, int64_t rsa, int64_t csa,
                         const float *b, int64_t rsb, int64_t csb, const float *beta, float *c,
                         int64_t rsc, int64_t csc);
/* C(m, n) = beta C + alpha A(m, k) B(k, n) */
EINC_CALL void einc_blis_gemm_f32(float alpha, const einc_memref_f32_2 *A,
                                  const einc_memref_f32_2 *B, float beta,
                                  const einc_memref_f32_2 *C) {
  int64_t rsa, csa, rsb, csb, rsc, csc;
  einc_blis_strides(A->sizes, A->strides, &rsa, &csa);
  einc_blis_strides(B->sizes, B->strides, &rsb, &csb);
  einc_blis_strides(C->sizes, C->strides, &rsc, &csc);
  EINC_BLIS_F32(gemm)(0, 0, C->sizes[0], C->sizes[1], A->sizes[1], &alpha, A->aligned + A->offset,
                      rsa, csa, B->aligned + B->offset, rsb, csb, &beta, C->aligned + C->offset,
                      rsc, csc);
}

/*@ blis_refuses_dot_f32: rank1_f32 rank0_f32 blis_refuses_vector call */
EINC_CALL einc_refusal einc_blis_refuses_dot_f32(const einc_memref_f32_1 *x,
                                                 const einc_memref_f32_1 *y,
                                                 const einc_memref_f32_0 *sum) {
  (void)sum;
  einc_refusal refusal = einc_refused(0, einc_blis_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_blis_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ blis_product_f32: blis_names */
void EINC_BLIS_F32(dotv)(int conjugatedX, int conjugatedY, int64_t n, const float *x, int64_t incx,
                         const float *y, int64_t incy, float *sum);

/*@ blis_dot_f32: rank1_f32 rank0_f32 step blis_product_f32 call blis_names */
/* sum = beta sum + alpha x(k) y(k) */
EINC_CALL void einc_blis_dot_f32(float alpha, const einc_memref_f32_1 *x,
                                 const einc_memref_f32_1 *y, float beta,
                                 const einc_memref_f32_0 *sum) {
  float *const s = sum->aligned + sum->offset;
  float product = 0;
  EINC_BLIS_F32(dotv)(0, 0, x->sizes[0], x->aligned + x->offset, einc_step(x->sizes, x->strides),
                      y->aligned + y->offset, einc_step(y->sizes, y->strides), &product);
  *s = (beta == 0 ? 0 : beta * *s) + alpha * product;
}

/*@ blis_refuses_sum_f32: rank1_f32 rank0_f32 blis_refuses_vector call */
EINC_CALL einc_refusal einc_blis_refuses_sum_f32(const einc_memref_f32_1 *x,
                                                 const einc_memref_f32_0 *sum) {
  (void)sum;
  return einc_refused(0, einc_blis_refuses_vector(x->sizes, x->strides));
}

/*@ blis_sum_f32: rank1_f32 rank0_f32 ones_f32 blis_product_f32 step call blis_names */
/* sum = sum + alpha x(k) */
EINC_CALL void einc_blis_sum_f32(float alpha, const einc_memref_f32_1 *x,
                                 const einc_memref_f32_0 *sum) {
  const int64_t step = einc_step(x->sizes, x->strides);
  int64_t i;
  float all = 0, part = 0;
  for (i = 0; i < x->sizes[0]; i += 64) {
    const int64_t count = x->sizes[0] - i < 64 ? x->sizes[0] - i : 64;
    EINC_BLIS_F32(dotv)(0, 0, count, x->aligned + x->offset + i * step, step, einc_ones_f32, 1,
                        &part);
    all += part;
  }
  sum->aligned[sum->offset] += alpha * all;
}

/*@ blis_refuses_axpy_f32: rank1_f32 blis_refuses_vector call */
EINC_CALL einc_refusal einc_blis_refuses_axpy_f32(const einc_memref_f32_1 *x,
                                                  const einc_memref_f32_1 *y) {
  einc_refusal refusal = einc_refused(0, einc_blis_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_blis_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ blis_axpy_f32: rank1_f32 step call blis_names */
void EINC_BLIS_F32(axpyv)(int conjugated, int64_t n, const float *alpha, const float *x,
                          int64_t incx, float *y, int64_t incy);
/* y(m) = y + alpha x(m) */
EINC_CALL void einc_blis_axpy_f32(float alpha, const einc_memref_f32_1 *x,
                                  const einc_memref_f32_1 *y) {
  EINC_BLIS_F32(axpyv)(0, x->sizes[0], &alpha, x->aligned + x->offset,
                       einc_step(x->sizes, x->strides), y->aligned + y->offset,
                       einc_step(y->sizes, y->strides));
}

/*@ blis_refuses_scal_f32: rank1_f32 blis_refuses_vector call */
EINC_CALL einc_refusal einc_blis_refuses_scal_f32(const einc_memref_f32_1 *x) {
  return einc_refused(0, einc_blis_refuses_vector(x->sizes, x->strides));
}

/*@ blis_scal_f32: rank1_f32 step call blis_names */
void EINC_BLIS_F32(scalv)(int conjugated, int64_t n, const float *alpha, float *x, int64_t incx);
/* x(m) = alpha x */
EINC_CALL void einc_blis_scal_f32(float alpha, const einc_memref_f32_1 *x) {
  EINC_BLIS_F32(scalv)(0, x->sizes[0], &alpha, x->aligned + x->offset,
                       einc_step(x->sizes, x->strides));
}

/*@ blis_refuses_copy_f32: rank1_f32 blis_refuses_vector call */
EINC_CALL einc_refusal einc_blis_refuses_copy_f32(const einc_memref_f32_1 *x,
                                                  const einc_memref_f32_1 *y) {
  einc_refusal refusal = einc_refused(0, einc_blis_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_blis_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ blis_copy_f32: rank1_f32 step call blis_names */
void EINC_BLIS_F32(copyv)(int conjugated, int64_t n, const float *x, int64_t incx, float *y,
                          int64_t incy);
/* y(m) = x(m) */
EINC_CALL void einc_blis_copy_f32(const einc_memref_f32_1 *x, const einc_memref_f32_1 *y) {
  EINC_BLIS_F32(copyv)(0, x->sizes[0], x->aligned + x->offset, einc_step(x->sizes, x->strides),
                       y->aligned + y->offset, einc_step(y->sizes, y->strides));
}
