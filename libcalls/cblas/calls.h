/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a CBLAS (Netlib's interface, and OpenBLAS's omatcopy). einc_cblas_refuses_NAME says
 * why the library cannot do it, if it cannot: it takes sizes from 1 on that fit its integers, one
 * unit stride of a matrix and the other one positive and beyond its lines, no vector with stride 0.
 * Only then einc_cblas_NAME may be called; so the library never has anything to complain about.
 * beta = 0 never reads what is overwritten.
 *
 * The library's integers are int; for one with integers of 64 bits (ILP64) compile with
 * -DEINC_CBLAS_INT=int64_t, and -DEINC_CBLAS(name)=cblas_##name##64_ or what its functions are
 * called. */
#pragma once

#include "libcalls/calls.h"

/*@ cblas_int: */
#ifndef EINC_CBLAS_INT
#define EINC_CBLAS_INT int
#endif
#ifndef EINC_CBLAS
#define EINC_CBLAS(name) cblas_##name
#endif
#define EINC_CBLAS_F32(name) EINC_CBLAS(s##name)
#define EINC_CBLAS_F64(name) EINC_CBLAS(d##name)

/*@ cblas_fits: cblas_int call */
EINC_CALL int einc_cblas_fits(int64_t n) { return n > 0 && (int64_t)(EINC_CBLAS_INT)n == n; }

/*@ cblas_layout: cblas_fits call */
/* How a matrix lies: row by row (111: not transposed), column by column (112: transposed), or in no
 * way that the library reads (0); how far its rows, or columns, are apart. */
EINC_CALL int einc_cblas_layout(const int64_t *sizes, const int64_t *strides, int64_t *leading) {
  const int64_t rows = sizes[0], columns = sizes[1];
  *leading = 0;
  if (!einc_cblas_fits(rows) || !einc_cblas_fits(columns)) return 0;
  if ((columns == 1 || strides[1] == 1) && (rows == 1 || strides[0] >= columns)) {
    *leading = rows == 1 ? columns : strides[0];
    return einc_cblas_fits(*leading) ? 111 : 0;
  }
  if ((rows == 1 || strides[0] == 1) && (columns == 1 || strides[1] >= rows)) {
    *leading = columns == 1 ? rows : strides[1];
    return einc_cblas_fits(*leading) ? 112 : 0;
  }
  return 0;
}

/*@ cblas_refuses_matrix: cblas_layout refusal call */
EINC_CALL const char *einc_cblas_refuses_matrix(const int64_t *sizes, const int64_t *strides) {
  const int64_t rows = sizes[0], columns = sizes[1];
  int64_t leading;
  if (einc_cblas_layout(sizes, strides, &leading) != 0) return NULL;
  if (rows == 0 || columns == 0) return "is empty";
  if (!einc_cblas_fits(rows) || !einc_cblas_fits(columns) || leading != 0)
    return "has a size or stride beyond the library's integers";
  if ((rows > 1 && strides[0] != 1) && (columns > 1 && strides[1] != 1))
    return "has no unit stride";
  return "has lines that overlap, or run backwards";
}

/*@ cblas_refuses_vector: cblas_fits step refusal call */
EINC_CALL const char *einc_cblas_refuses_vector(const int64_t *sizes, const int64_t *strides) {
  const int64_t step = einc_step(sizes, strides);
  if (einc_cblas_fits(sizes[0]) && einc_cblas_fits(step < 0 ? -step : step)) return NULL;
  if (sizes[0] == 0) return "is empty";
  return step == 0 ? "has stride 0" : "has a size or stride beyond the library's integers";
}

/*@ cblas_first_f32: rank1_f32 step call */
/* With a negative stride the library begins at the end. */
EINC_CALL float *einc_cblas_first_f32(const einc_memref_f32_1 *x) {
  const int64_t step = einc_step(x->sizes, x->strides);
  return x->aligned + x->offset + (step < 0 ? (x->sizes[0] - 1) * step : 0);
}

/*@ cblas_refuses_gemm_f32: rank2_f32 cblas_refuses_matrix call */
EINC_CALL einc_refusal einc_cblas_refuses_gemm_f32(const einc_memref_f32_2 *A,
                                                   const einc_memref_f32_2 *B,
                                                   const einc_memref_f32_2 *C) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_matrix(A->sizes, A->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_matrix(B->sizes, B->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(2, einc_cblas_refuses_matrix(C->sizes, C->strides));
  return refusal;
}

/*@ cblas_gemm_f32: rank2_f32 cblas_layout call */
void EINC_CBLAS_F32(gemm)(int order, int transposedA, int transposedB, EINC_CBLAS_INT m,
                          EINC_CBLAS_INT n, EINC_CBLAS_INT k, float alpha, const float *a,
                          EINC_CBLAS_INT lda, const float *b, EINC_CBLAS_INT ldb, float beta,
                          float *c, EINC_CBLAS_INT ldc);
/* C(m, n) = beta C + alpha A(m, k) B(k, n) */
EINC_CALL void einc_cblas_gemm_f32(float alpha, const einc_memref_f32_2 *A,
                                   const einc_memref_f32_2 *B, float beta,
                                   const einc_memref_f32_2 *C) {
  int64_t a, b, c;
  const int layoutA = einc_cblas_layout(A->sizes, A->strides, &a);
  const int layoutB = einc_cblas_layout(B->sizes, B->strides, &b);
  const int layoutC = einc_cblas_layout(C->sizes, C->strides, &c);
  /* What lies as C does is not transposed. */
  EINC_CBLAS_F32(gemm)(layoutC == 111 ? 101 : 102, layoutA == layoutC ? 111 : 112,
                       layoutB == layoutC ? 111 : 112, (EINC_CBLAS_INT)C->sizes[0],
                       (EINC_CBLAS_INT)C->sizes[1], (EINC_CBLAS_INT)A->sizes[1], alpha,
                       A->aligned + A->offset, (EINC_CBLAS_INT)a, B->aligned + B->offset,
                       (EINC_CBLAS_INT)b, beta, C->aligned + C->offset, (EINC_CBLAS_INT)c);
}

/*@ cblas_refuses_gemv_f32: rank2_f32 rank1_f32 cblas_refuses_matrix cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_gemv_f32(const einc_memref_f32_2 *A,
                                                   const einc_memref_f32_1 *x,
                                                   const einc_memref_f32_1 *y) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_matrix(A->sizes, A->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(2, einc_cblas_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ cblas_gemv_f32: rank2_f32 cblas_layout cblas_first_f32 zeros_f32 call */
void EINC_CBLAS_F32(gemv)(int order, int transposed, EINC_CBLAS_INT m, EINC_CBLAS_INT n,
                          float alpha, const float *a, EINC_CBLAS_INT lda, const float *x,
                          EINC_CBLAS_INT incx, float beta, float *y, EINC_CBLAS_INT incy);
/* y(m) = beta y + alpha A(m, k) x(k) */
EINC_CALL void einc_cblas_gemv_f32(float alpha, const einc_memref_f32_2 *A,
                                   const einc_memref_f32_1 *x, float beta,
                                   const einc_memref_f32_1 *y) {
  int64_t a;
  const int layout = einc_cblas_layout(A->sizes, A->strides, &a);
  if (beta == 0) einc_zeros_f32(y);
  EINC_CBLAS_F32(gemv)(layout == 111 ? 101 : 102, 111, (EINC_CBLAS_INT)A->sizes[0],
                       (EINC_CBLAS_INT)A->sizes[1], alpha, A->aligned + A->offset,
                       (EINC_CBLAS_INT)a, einc_cblas_first_f32(x),
                       (EINC_CBLAS_INT)einc_step(x->sizes, x->strides), beta == 0 ? 1 : beta,
                       einc_cblas_first_f32(y), (EINC_CBLAS_INT)einc_step(y->sizes, y->strides));
}

/*@ cblas_refuses_ger_f32: rank2_f32 rank1_f32 cblas_refuses_matrix cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_ger_f32(const einc_memref_f32_1 *x,
                                                  const einc_memref_f32_1 *y,
                                                  const einc_memref_f32_2 *A) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_vector(y->sizes, y->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(2, einc_cblas_refuses_matrix(A->sizes, A->strides));
  return refusal;
}

/*@ cblas_ger_f32: rank2_f32 cblas_layout cblas_first_f32 call */
void EINC_CBLAS_F32(ger)(int order, EINC_CBLAS_INT m, EINC_CBLAS_INT n, float alpha, const float *x,
                         EINC_CBLAS_INT incx, const float *y, EINC_CBLAS_INT incy, float *a,
                         EINC_CBLAS_INT lda);
/* A(m, n) = A + alpha x(m) y(n) */
EINC_CALL void einc_cblas_ger_f32(float alpha, const einc_memref_f32_1 *x,
                                  const einc_memref_f32_1 *y, const einc_memref_f32_2 *A) {
  int64_t a;
  const int layout = einc_cblas_layout(A->sizes, A->strides, &a);
  EINC_CBLAS_F32(ger)(layout == 111 ? 101 : 102, (EINC_CBLAS_INT)A->sizes[0],
                      (EINC_CBLAS_INT)A->sizes[1], alpha, einc_cblas_first_f32(x),
                      (EINC_CBLAS_INT)einc_step(x->sizes, x->strides), einc_cblas_first_f32(y),
                      (EINC_CBLAS_INT)einc_step(y->sizes, y->strides), A->aligned + A->offset,
                      (EINC_CBLAS_INT)a);
}

/*@ cblas_refuses_dot_f32: rank1_f32 rank0_f32 cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_dot_f32(const einc_memref_f32_1 *x,
                                                  const einc_memref_f32_1 *y,
                                                  const einc_memref_f32_0 *sum) {
  (void)sum;
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ cblas_product_f32: cblas_int */
float EINC_CBLAS_F32(dot)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, const float *y,
                          EINC_CBLAS_INT incy);

/*@ cblas_dot_f32: rank0_f32 cblas_first_f32 cblas_product_f32 call */
/* sum = beta sum + alpha x(k) y(k) */
EINC_CALL void einc_cblas_dot_f32(float alpha, const einc_memref_f32_1 *x,
                                  const einc_memref_f32_1 *y, float beta,
                                  const einc_memref_f32_0 *sum) {
  float *const s = sum->aligned + sum->offset;
  const float product =
      EINC_CBLAS_F32(dot)((EINC_CBLAS_INT)x->sizes[0], einc_cblas_first_f32(x),
                          (EINC_CBLAS_INT)einc_step(x->sizes, x->strides), einc_cblas_first_f32(y),
                          (EINC_CBLAS_INT)einc_step(y->sizes, y->strides));
  *s = (beta == 0 ? 0 : beta * *s) + alpha * product;
}

/*@ cblas_refuses_sum_f32: rank1_f32 rank0_f32 cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_sum_f32(const einc_memref_f32_1 *x,
                                                  const einc_memref_f32_0 *sum) {
  (void)sum;
  return einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
}

/*@ cblas_sum_f32: rank1_f32 rank0_f32 ones_f32 cblas_product_f32 step call */
/* sum = sum + alpha x(k) */
EINC_CALL void einc_cblas_sum_f32(float alpha, const einc_memref_f32_1 *x,
                                  const einc_memref_f32_0 *sum) {
  const int64_t step = einc_step(x->sizes, x->strides);
  int64_t i;
  float all = 0;
  for (i = 0; i < x->sizes[0]; i += 64) {
    const int64_t count = x->sizes[0] - i < 64 ? x->sizes[0] - i : 64;
    const float *const first = x->aligned + x->offset + (step < 0 ? i + count - 1 : i) * step;
    all +=
        EINC_CBLAS_F32(dot)((EINC_CBLAS_INT)count, first, (EINC_CBLAS_INT)step, einc_ones_f32, 1);
  }
  sum->aligned[sum->offset] += alpha * all;
}

/*@ cblas_refuses_axpy_f32: rank1_f32 cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_axpy_f32(const einc_memref_f32_1 *x,
                                                   const einc_memref_f32_1 *y) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ cblas_axpy_f32: cblas_first_f32 cblas_int call */
void EINC_CBLAS_F32(axpy)(EINC_CBLAS_INT n, float alpha, const float *x, EINC_CBLAS_INT incx,
                          float *y, EINC_CBLAS_INT incy);
/* y(m) = y + alpha x(m) */
EINC_CALL void einc_cblas_axpy_f32(float alpha, const einc_memref_f32_1 *x,
                                   const einc_memref_f32_1 *y) {
  EINC_CBLAS_F32(axpy)((EINC_CBLAS_INT)x->sizes[0], alpha, einc_cblas_first_f32(x),
                       (EINC_CBLAS_INT)einc_step(x->sizes, x->strides), einc_cblas_first_f32(y),
                       (EINC_CBLAS_INT)einc_step(y->sizes, y->strides));
}

/*@ cblas_refuses_scal_f32: rank1_f32 cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_scal_f32(const einc_memref_f32_1 *x) {
  return einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
}

/*@ cblas_scal_f32: rank1_f32 cblas_int step call */
void EINC_CBLAS_F32(scal)(EINC_CBLAS_INT n, float alpha, float *x, EINC_CBLAS_INT incx);
/* x(m) = alpha x; the library does nothing with a negative stride, so it begins at the end. */
EINC_CALL void einc_cblas_scal_f32(float alpha, const einc_memref_f32_1 *x) {
  const int64_t step = einc_step(x->sizes, x->strides);
  float *const first = x->aligned + x->offset + (step < 0 ? (x->sizes[0] - 1) * step : 0);
  EINC_CBLAS_F32(scal)((EINC_CBLAS_INT)x->sizes[0], alpha, first,
                       (EINC_CBLAS_INT)(step < 0 ? -step : step));
}

/*@ cblas_refuses_copy_f32: rank1_f32 cblas_refuses_vector call */
EINC_CALL einc_refusal einc_cblas_refuses_copy_f32(const einc_memref_f32_1 *x,
                                                   const einc_memref_f32_1 *y) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_vector(x->sizes, x->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_vector(y->sizes, y->strides));
  return refusal;
}

/*@ cblas_copy_f32: cblas_first_f32 cblas_int call */
void EINC_CBLAS_F32(copy)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, float *y,
                          EINC_CBLAS_INT incy);
/* y(m) = x(m) */
EINC_CALL void einc_cblas_copy_f32(const einc_memref_f32_1 *x, const einc_memref_f32_1 *y) {
  EINC_CBLAS_F32(copy)((EINC_CBLAS_INT)x->sizes[0], einc_cblas_first_f32(x),
                       (EINC_CBLAS_INT)einc_step(x->sizes, x->strides), einc_cblas_first_f32(y),
                       (EINC_CBLAS_INT)einc_step(y->sizes, y->strides));
}

/*@ cblas_refuses_omatcopy_f32: rank2_f32 cblas_refuses_matrix call */
EINC_CALL einc_refusal einc_cblas_refuses_omatcopy_f32(const einc_memref_f32_2 *A,
                                                       const einc_memref_f32_2 *B) {
  einc_refusal refusal = einc_refused(0, einc_cblas_refuses_matrix(A->sizes, A->strides));
  if (refusal.why == NULL)
    refusal = einc_refused(1, einc_cblas_refuses_matrix(B->sizes, B->strides));
  return refusal;
}

/*@ cblas_omatcopy_f32: rank2_f32 cblas_layout call */
void EINC_CBLAS_F32(omatcopy)(int order, int transposed, EINC_CBLAS_INT rows,
                              EINC_CBLAS_INT columns, float alpha, const float *a,
                              EINC_CBLAS_INT lda, float *b, EINC_CBLAS_INT ldb);
/* B(n, m) = alpha A(m, n) */
EINC_CALL void einc_cblas_omatcopy_f32(float alpha, const einc_memref_f32_2 *A,
                                       const einc_memref_f32_2 *B) {
  int64_t a, b;
  const int layoutA = einc_cblas_layout(A->sizes, A->strides, &a);
  const int layoutB = einc_cblas_layout(B->sizes, B->strides, &b);
  EINC_CBLAS_F32(omatcopy)(layoutA == 111 ? 101 : 102, layoutA == layoutB ? 112 : 111,
                           (EINC_CBLAS_INT)A->sizes[0], (EINC_CBLAS_INT)A->sizes[1], alpha,
                           A->aligned + A->offset, (EINC_CBLAS_INT)a, B->aligned + B->offset,
                           (EINC_CBLAS_INT)b);
}
