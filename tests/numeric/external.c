/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The functions that the kernels of external.tc call. Each counts its calls, and spoils the
   descriptors that it gets: they are its own. */
#include "external.h"

#include <math.h>
#include <string.h>

#define AT1(x, i) (x)->aligned[(x)->offset + (i) * (x)->strides[0]]
#define AT2(x, i, j) (x)->aligned[(x)->offset + (i) * (x)->strides[0] + (j) * (x)->strides[1]]
#define SPOIL(x) memset(x, -1, sizeof *(x))

int calls;

void _mlir_ciface_my_matmul(einc_memref_f32_2 *A, einc_memref_f32_2 *B, float alpha,
                            einc_memref_f32_2 *C) {
  ++calls;
  for (int64_t m = 0; m < C->sizes[0]; ++m)
    for (int64_t n = 0; n < C->sizes[1]; ++n)
      for (int64_t k = 0; k < A->sizes[1]; ++k) AT2(C, m, n) += alpha * AT2(A, m, k) * AT2(B, k, n);
  SPOIL(A);
  SPOIL(B);
  SPOIL(C);
}

void _mlir_ciface_linalg_softmax_viewsxsxf64_viewsxsxf64(einc_memref_f64_2 *X,
                                                         einc_memref_f64_2 *Y) {
  ++calls;
  for (int64_t m = 0; m < Y->sizes[0]; ++m) {
    double total = 0;
    for (int64_t n = 0; n < Y->sizes[1]; ++n) total += AT2(Y, m, n) = exp(AT2(X, m, n));
    for (int64_t n = 0; n < Y->sizes[1]; ++n) AT2(Y, m, n) /= total;
  }
  SPOIL(X);
  SPOIL(Y);
}

void _mlir_ciface_my_windows(einc_memref_f32_1 *I, einc_memref_f32_1 *K, einc_memref_f32_1 *O,
                             const int64_t strides[2], const int32_t *offsets,
                             int64_t offsets_length) {
  static const int64_t defaults[2] = {2, 1};
  const int64_t *by = strides ? strides : defaults;
  ++calls;
  for (int64_t m = 0; m < O->sizes[0]; ++m) {
    AT1(O, m) = 0;
    for (int64_t w = 0; w < K->sizes[0]; ++w)
      AT1(O, m) +=
          AT1(I, m * by[0] + w * by[1]) * AT1(K, w) * (float)(offsets_length ? offsets[0] : 0);
  }
  SPOIL(I);
  SPOIL(K);
  SPOIL(O);
}

void _mlir_ciface_linalg_dot_view8xf32_view8xf32_viewf32(einc_memref_f32_1 *x, einc_memref_f32_1 *y,
                                                         einc_memref_f32_0 *s) {
  ++calls;
  for (int64_t i = 0; i < 8; ++i) s->aligned[s->offset] += AT1(x, i) * AT1(y, i);
}

/* Of dense: the second statement, with its local result in memory. */
void _mlir_ciface_my_activation(einc_memref_f32_1 *bias, einc_memref_f32_2 *T, float s,
                                einc_memref_f32_2 *Y) {
  ++calls;
  for (int64_t m = 0; m < Y->sizes[0]; ++m)
    for (int64_t n = 0; n < Y->sizes[1]; ++n)
      AT2(Y, m, n) = fmaxf(AT2(T, m, n) + s * AT1(bias, n), 0);
  SPOIL(bias);
  SPOIL(T);
  SPOIL(Y);
}

/* Of normal: the sums, which are local, of a local. */
void _mlir_ciface_my_sums(einc_memref_f32_2 *E, einc_memref_f32_1 *Total) {
  ++calls;
  for (int64_t m = 0; m < Total->sizes[0]; ++m)
    for (int64_t n = 0; n < E->sizes[1]; ++n) AT1(Total, m) += AT2(E, m, n);
  SPOIL(E);
  SPOIL(Total);
}
