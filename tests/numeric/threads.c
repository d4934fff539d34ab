/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads in the same kernels, on inputs they share and outputs of their own.
 *
 *   threads STACK_KIB     0: the usual stack
 */
#define _GNU_SOURCE /* pthread_attr_setstack */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"

enum { kThreads = 64, kRounds = 40, kSize = 12 };

static float a[kSize * kSize], b[kSize * kSize], product[kSize * kSize], rows[kSize * kSize];
static unsigned char start_stacks[kThreads][1 << 16] __attribute__((aligned(4096)));

static einc_memref_f32_2 matrix(float *data) {
  einc_memref_f32_2 view;
  view.allocated = view.aligned = data;
  view.offset = 0;
  view.sizes[0] = view.sizes[1] = kSize;
  view.strides[0] = kSize;
  view.strides[1] = 1;
  return view;
}

static int compute(float *c, float *s) {
  einc_memref_f32_2 A = matrix(a), B = matrix(b), C = matrix(c), S = matrix(s);
  return matmul_set(&A, &B, &C) != 0 || softmax(&A, &S) != 0;
}

static void *work(void *unused) {
  float c[kSize * kSize], s[kSize * kSize];
  int round;
  (void)unused;
  for (round = 0; round < kRounds; ++round)
    if (compute(c, s) || memcmp(c, product, sizeof c) != 0 || memcmp(s, rows, sizeof s) != 0)
      return (void *)1;
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[kThreads];
  int i, failed = 0, small = argc > 1 && atoi(argv[1]) != 0;
  for (i = 0; i < kSize * kSize; ++i) a[i] = (float)(i % 7) - 3, b[i] = (float)(i % 5) - 2;
  if (compute(product, rows)) return 2;
  for (i = 0; i < kThreads; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (small && pthread_attr_setstack(&attributes, start_stacks[i], sizeof start_stacks[i]) != 0)
      return 3;
    if (pthread_create(&threads[i], &attributes, work, NULL) != 0) return 4;
  }
  for (i = 0; i < kThreads; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    failed += result != NULL;
  }
  if (failed) fprintf(stderr, "%d threads have other results\n", failed);
  return failed != 0;
}
