/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Functions of a CBLAS that run kernels: einc_exported_NAME stands for the kernel that computes
 * what the row NAME of calls.def says. Programs that are linked to a CBLAS may be linked to them
 * instead. As in the reference: with alpha = 0 no other operand is read, with beta = 0 the result
 * is not, vectors with negative strides begin at their end, and with sizes of 0 nothing is done.
 * The first argument that is wrong goes to cblas_xerbla by its number, as the reference counts
 * them, and what a kernel refuses as number 0; a program may have a cblas_xerbla of its own. */
#pragma once

#include "libcalls/cblas/calls.h"

/*@ cblas_done: cblas_int call */
#include <stdio.h>
#include <stdlib.h>
#define EINC_CBLAS_QUOTED(name) #name
#define EINC_CBLAS_TEXT(name) EINC_CBLAS_QUOTED(name)
void cblas_xerbla(int parameter, const char *function, const char *format, ...);
__attribute__((weak)) void cblas_xerbla(int parameter, const char *function, const char *format,
                                        ...) {
  (void)parameter, (void)format;
  fprintf(stderr, "%s: arguments that the function does not take\n", function);
  exit(-1);
}
EINC_CALL void einc_cblas_done(einc_status status, const char *function) {
  if (status != EINC_OK) cblas_xerbla(0, function, "%s\n", einc_status_string(status));
}

/*@ cblas_wrong: cblas_done */
/* Whether an argument is wrong, which has been said then. */
EINC_CALL int einc_cblas_wrong(int parameter, const char *function) {
  if (parameter != 0) cblas_xerbla(parameter, function, "argument %d is wrong\n", parameter);
  return parameter != 0;
}
EINC_CALL int einc_cblas_orders(int order) { return order == 101 || order == 102; }
EINC_CALL int einc_cblas_is_transpose(int transposed) {
  return transposed >= 111 && transposed <= 113;
}

/*@ cblas_short: cblas_int call */
/* Whether lines of the matrix, as it is used, are longer than they are apart. */
EINC_CALL int einc_cblas_short(int order, int transposed, EINC_CBLAS_INT rows,
                               EINC_CBLAS_INT columns, EINC_CBLAS_INT leading) {
  const EINC_CBLAS_INT line = (order == 101) == (transposed == 111) ? columns : rows;
  return leading < 1 || leading < line;
}

/*@ cblas_rows_f32: rank2_f32 cblas_int call */
/* A matrix as it is used, which lies transposed or not. */
EINC_CALL einc_memref_f32_2 einc_cblas_rows_f32(int order, int transposed, const float *data,
                                                EINC_CBLAS_INT rows, EINC_CBLAS_INT columns,
                                                EINC_CBLAS_INT leading) {
  const int byRows = (order == 101) == (transposed == 111);
  const einc_memref_f32_2 matrix = {
      NULL, (float *)data, 0, {rows, columns}, {byRows ? leading : 1, byRows ? 1 : leading}};
  return matrix;
}

/*@ cblas_line_f32: rank1_f32 cblas_int call */
EINC_CALL einc_memref_f32_1 einc_cblas_line_f32(const float *data, EINC_CBLAS_INT size,
                                                EINC_CBLAS_INT step) {
  const einc_memref_f32_1 line = {
      NULL, (float *)data, step < 0 ? (int64_t)(1 - size) * step : 0, {size}, {step}};
  return line;
}

/*@ cblas_export_gemm_f32: rank2_f32 cblas_rows_f32 cblas_wrong cblas_short */
static einc_status einc_exported_gemm_f32(float alpha, const einc_memref_f32_2 *A,
                                          const einc_memref_f32_2 *B, float beta,
                                          einc_memref_f32_2 *C);
void EINC_CBLAS_F32(gemm)(int order, int transposedA, int transposedB, EINC_CBLAS_INT m,
                          EINC_CBLAS_INT n, EINC_CBLAS_INT k, float alpha, const float *a,
                          EINC_CBLAS_INT lda, const float *b, EINC_CBLAS_INT ldb, float beta,
                          float *c, EINC_CBLAS_INT ldc);
void EINC_CBLAS_F32(gemm)(int order, int transposedA, int transposedB, EINC_CBLAS_INT m,
                          EINC_CBLAS_INT n, EINC_CBLAS_INT k, float alpha, const float *a,
                          EINC_CBLAS_INT lda, const float *b, EINC_CBLAS_INT ldb, float beta,
                          float *c, EINC_CBLAS_INT ldc) {
  const EINC_CBLAS_INT terms = alpha == 0 ? 0 : k;
  const einc_memref_f32_2 A = einc_cblas_rows_f32(order, transposedA, a, m, terms, lda);
  const einc_memref_f32_2 B = einc_cblas_rows_f32(order, transposedB, b, terms, n, ldb);
  einc_memref_f32_2 C = einc_cblas_rows_f32(order, 111, c, m, n, ldc);
  const int wrong = !einc_cblas_orders(order)                         ? 1
                    : !einc_cblas_is_transpose(transposedA)           ? 2
                    : !einc_cblas_is_transpose(transposedB)           ? 3
                    : m < 0                                           ? 4
                    : n < 0                                           ? 5
                    : k < 0                                           ? 6
                    : einc_cblas_short(order, transposedA, m, k, lda) ? 9
                    : einc_cblas_short(order, transposedB, k, n, ldb) ? 11
                    : einc_cblas_short(order, 111, m, n, ldc)         ? 14
                                                                      : 0;
  int64_t i, j;
  if (einc_cblas_wrong(wrong, EINC_CBLAS_TEXT(EINC_CBLAS_F32(gemm))) || m < 1 || n < 1) return;
  for (i = 0; beta == 0 && i < m; ++i)
    for (j = 0; j < n; ++j) c[i * C.strides[0] + j * C.strides[1]] = 0;
  einc_cblas_done(einc_exported_gemm_f32(alpha, &A, &B, beta, &C),
                  EINC_CBLAS_TEXT(EINC_CBLAS_F32(gemm)));
}

/*@ cblas_export_gemv_f32: cblas_rows_f32 cblas_line_f32 cblas_wrong cblas_short zeros_f32 */
static einc_status einc_exported_gemv_f32(float alpha, const einc_memref_f32_2 *A,
                                          const einc_memref_f32_1 *x, float beta,
                                          einc_memref_f32_1 *y);
void EINC_CBLAS_F32(gemv)(int order, int transposed, EINC_CBLAS_INT m, EINC_CBLAS_INT n,
                          float alpha, const float *a, EINC_CBLAS_INT lda, const float *x,
                          EINC_CBLAS_INT incx, float beta, float *y, EINC_CBLAS_INT incy);
void EINC_CBLAS_F32(gemv)(int order, int transposed, EINC_CBLAS_INT m, EINC_CBLAS_INT n,
                          float alpha, const float *a, EINC_CBLAS_INT lda, const float *x,
                          EINC_CBLAS_INT incx, float beta, float *y, EINC_CBLAS_INT incy) {
  const EINC_CBLAS_INT rows = transposed == 111 ? m : n, all = transposed == 111 ? n : m;
  const EINC_CBLAS_INT terms = alpha == 0 ? 0 : all;
  const einc_memref_f32_2 A = einc_cblas_rows_f32(order, transposed, a, rows, terms, lda);
  einc_memref_f32_1 X = einc_cblas_line_f32(x, all, incx), Y = einc_cblas_line_f32(y, rows, incy);
  const int wrong = !einc_cblas_orders(order)                 ? 1
                    : !einc_cblas_is_transpose(transposed)    ? 2
                    : m < 0                                   ? 3
                    : n < 0                                   ? 4
                    : einc_cblas_short(order, 111, m, n, lda) ? 7
                    : incx == 0                               ? 9
                    : incy == 0                               ? 12
                                                              : 0;
  if (einc_cblas_wrong(wrong, EINC_CBLAS_TEXT(EINC_CBLAS_F32(gemv))) || m < 1 || n < 1) return;
  X.sizes[0] = terms;
  if (beta == 0) einc_zeros_f32(&Y);
  einc_cblas_done(einc_exported_gemv_f32(alpha, &A, &X, beta, &Y),
                  EINC_CBLAS_TEXT(EINC_CBLAS_F32(gemv)));
}

/*@ cblas_export_ger_f32: cblas_rows_f32 cblas_line_f32 cblas_wrong cblas_short */
static einc_status einc_exported_ger_f32(float alpha, const einc_memref_f32_1 *x,
                                         const einc_memref_f32_1 *y, einc_memref_f32_2 *A);
void EINC_CBLAS_F32(ger)(int order, EINC_CBLAS_INT m, EINC_CBLAS_INT n, float alpha, const float *x,
                         EINC_CBLAS_INT incx, const float *y, EINC_CBLAS_INT incy, float *a,
                         EINC_CBLAS_INT lda);
void EINC_CBLAS_F32(ger)(int order, EINC_CBLAS_INT m, EINC_CBLAS_INT n, float alpha, const float *x,
                         EINC_CBLAS_INT incx, const float *y, EINC_CBLAS_INT incy, float *a,
                         EINC_CBLAS_INT lda) {
  const einc_memref_f32_1 X = einc_cblas_line_f32(x, m, incx), Y = einc_cblas_line_f32(y, n, incy);
  einc_memref_f32_2 A = einc_cblas_rows_f32(order, 111, a, m, n, lda);
  const int wrong = !einc_cblas_orders(order)                 ? 1
                    : m < 0                                   ? 2
                    : n < 0                                   ? 3
                    : incx == 0                               ? 6
                    : incy == 0                               ? 8
                    : einc_cblas_short(order, 111, m, n, lda) ? 10
                                                              : 0;
  if (einc_cblas_wrong(wrong, EINC_CBLAS_TEXT(EINC_CBLAS_F32(ger)))) return;
  if (m < 1 || n < 1 || alpha == 0) return;
  einc_cblas_done(einc_exported_ger_f32(alpha, &X, &Y, &A), EINC_CBLAS_TEXT(EINC_CBLAS_F32(ger)));
}

/*@ cblas_export_dot_f32: cblas_line_f32 rank0_f32 cblas_done */
static einc_status einc_exported_dot_f32(const einc_memref_f32_1 *x, const einc_memref_f32_1 *y,
                                         einc_memref_f32_0 *sum);
float EINC_CBLAS_F32(dot)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, const float *y,
                          EINC_CBLAS_INT incy);
float EINC_CBLAS_F32(dot)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, const float *y,
                          EINC_CBLAS_INT incy) {
  const einc_memref_f32_1 X = einc_cblas_line_f32(x, n, incx), Y = einc_cblas_line_f32(y, n, incy);
  float result = 0;
  einc_memref_f32_0 sum = {NULL, &result, 0};
  if (n < 1) return 0;
  einc_cblas_done(einc_exported_dot_f32(&X, &Y, &sum), EINC_CBLAS_TEXT(EINC_CBLAS_F32(dot)));
  return result;
}

/*@ cblas_export_axpy_f32: cblas_line_f32 cblas_done */
static einc_status einc_exported_axpy_f32(float alpha, const einc_memref_f32_1 *x,
                                          einc_memref_f32_1 *y);
void EINC_CBLAS_F32(axpy)(EINC_CBLAS_INT n, float alpha, const float *x, EINC_CBLAS_INT incx,
                          float *y, EINC_CBLAS_INT incy);
void EINC_CBLAS_F32(axpy)(EINC_CBLAS_INT n, float alpha, const float *x, EINC_CBLAS_INT incx,
                          float *y, EINC_CBLAS_INT incy) {
  const einc_memref_f32_1 X = einc_cblas_line_f32(x, n, incx);
  einc_memref_f32_1 Y = einc_cblas_line_f32(y, n, incy);
  if (n < 1 || alpha == 0) return;
  einc_cblas_done(einc_exported_axpy_f32(alpha, &X, &Y), EINC_CBLAS_TEXT(EINC_CBLAS_F32(axpy)));
}

/*@ cblas_export_scal_f32: cblas_line_f32 cblas_done */
static einc_status einc_exported_scal_f32(float alpha, einc_memref_f32_1 *x);
void EINC_CBLAS_F32(scal)(EINC_CBLAS_INT n, float alpha, float *x, EINC_CBLAS_INT incx);
void EINC_CBLAS_F32(scal)(EINC_CBLAS_INT n, float alpha, float *x, EINC_CBLAS_INT incx) {
  einc_memref_f32_1 X = einc_cblas_line_f32(x, n, incx);
  if (n < 1 || incx < 1) return;
  einc_cblas_done(einc_exported_scal_f32(alpha, &X), EINC_CBLAS_TEXT(EINC_CBLAS_F32(scal)));
}

/*@ cblas_export_copy_f32: cblas_line_f32 cblas_done */
static einc_status einc_exported_copy_f32(const einc_memref_f32_1 *x, einc_memref_f32_1 *y);
void EINC_CBLAS_F32(copy)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, float *y,
                          EINC_CBLAS_INT incy);
void EINC_CBLAS_F32(copy)(EINC_CBLAS_INT n, const float *x, EINC_CBLAS_INT incx, float *y,
                          EINC_CBLAS_INT incy) {
  const einc_memref_f32_1 X = einc_cblas_line_f32(x, n, incx);
  einc_memref_f32_1 Y = einc_cblas_line_f32(y, n, incy);
  if (n < 1) return;
  einc_cblas_done(einc_exported_copy_f32(&X, &Y), EINC_CBLAS_TEXT(EINC_CBLAS_F32(copy)));
}

/*@ cblas_export_omatcopy_f32: cblas_rows_f32 cblas_wrong cblas_short */
static einc_status einc_exported_omatcopy_f32(float alpha, const einc_memref_f32_2 *A,
                                              einc_memref_f32_2 *B);
void EINC_CBLAS_F32(omatcopy)(int order, int transposed, EINC_CBLAS_INT rows,
                              EINC_CBLAS_INT columns, float alpha, const float *a,
                              EINC_CBLAS_INT lda, float *b, EINC_CBLAS_INT ldb);
void EINC_CBLAS_F32(omatcopy)(int order, int transposed, EINC_CBLAS_INT rows,
                              EINC_CBLAS_INT columns, float alpha, const float *a,
                              EINC_CBLAS_INT lda, float *b, EINC_CBLAS_INT ldb) {
  const einc_memref_f32_2 A = einc_cblas_rows_f32(order, 111, a, rows, columns, lda);
  /* The kernel transposes: a result that is not is taken the other way round. */
  einc_memref_f32_2 B =
      einc_cblas_rows_f32(order, transposed == 111 ? 112 : 111, b, columns, rows, ldb);
  const int wrong = !einc_cblas_orders(order)                                 ? 1
                    : !einc_cblas_is_transpose(transposed)                    ? 2
                    : rows < 0                                                ? 3
                    : columns < 0                                             ? 4
                    : einc_cblas_short(order, 111, rows, columns, lda)        ? 7
                    : einc_cblas_short(order, transposed, rows, columns, ldb) ? 9
                                                                              : 0;
  if (einc_cblas_wrong(wrong, EINC_CBLAS_TEXT(EINC_CBLAS_F32(omatcopy)))) return;
  if (rows < 1 || columns < 1) return;
  einc_cblas_done(einc_exported_omatcopy_f32(alpha, &A, &B),
                  EINC_CBLAS_TEXT(EINC_CBLAS_F32(omatcopy)));
}
