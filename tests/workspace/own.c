/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The function that the kernels of own.tc call. */
#include "own.h"

#define AT(x, i, j) (x)->aligned[(x)->offset + (i) * (x)->strides[0] + (j) * (x)->strides[1]]

void _mlir_ciface_my_matmul(einc_memref_f32_2 *A, einc_memref_f32_2 *B, einc_memref_f32_2 *C) {
  int64_t m, n, k;
  for (m = 0; m < C->sizes[0]; ++m)
    for (n = 0; n < C->sizes[1]; ++n)
      for (k = 0; k < A->sizes[1]; ++k) AT(C, m, n) += AT(A, m, k) * AT(B, k, n);
}
