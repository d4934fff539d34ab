/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The C headers as a C program sees them. Also compiled as C89 with -pedantic -Werror. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/dlpack.h"
#include "runtime/layout.h"
#include "runtime/memref.h"
#include "runtime/status.h"

/* What a generated header says, after status.h: both guards are taken, so nothing clashes. */
#ifndef EINC_STATUS_T
#define EINC_STATUS_T
typedef int einc_status;
#endif
#ifndef EINC_STATUS_VALUES
#error "status.h must define EINC_STATUS_VALUES"
#endif

EINC_MEMREF(float, f32, 2);
EINC_MEMREF(einc_bf16, bf16, 1);
EINC_MEMREF_0(double, f64);

#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) {                                          \
      printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                  \
    }                                                            \
  } while (0)

static int released = 0;
static void count_release(void *context) { released += *(int *)context; }

static int test_descriptors(void) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  double scalar = 7;
  einc_bf16 half = 1;
  const int64_t sizes[2] = {2, 3};
  const int64_t huge[2] = {INT64_MAX, 2};
  const int64_t negative[2] = {2, -3};
  const int64_t none[2] = {0, 3};
  const int64_t one[1] = {1};
  einc_memref_f32_2 a;
  einc_memref_f64_0 s;
  einc_memref_bf16_1 h;
  int64_t count = -1;
  const void *first, *last;

  CHECK(offsetof(einc_memref_f32_2, aligned) == sizeof(void *));
  CHECK(offsetof(einc_memref_f32_2, offset) == 2 * sizeof(void *));
  CHECK(offsetof(einc_memref_f32_2, sizes) == 2 * sizeof(void *) + 8);
  CHECK(offsetof(einc_memref_f32_2, strides) == 2 * sizeof(void *) + 24);
  CHECK(sizeof(einc_memref_f64_0) == 2 * sizeof(void *) + 8);

  CHECK(einc_memref_init(&a, 2, sizeof(float), data, sizes) == EINC_OK);
  CHECK(a.allocated == data && a.aligned == data && a.offset == 0);
  CHECK(a.sizes[0] == 2 && a.sizes[1] == 3 && a.strides[0] == 3 && a.strides[1] == 1);
  CHECK(einc_memref_count(&a, 2, &count) == EINC_OK && count == 6);
  CHECK(einc_memref_byte_range(&a, 2, sizeof(float), &first, &last) == EINC_OK);
  CHECK(first == data && last == data + 6);
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 1) == EINC_OK);

  a.strides[0] = -3;
  a.offset = 3;
  CHECK(einc_memref_byte_range(&a, 2, sizeof(float), &first, &last) == EINC_OK);
  CHECK(first == data && last == data + 6);
  a.strides[0] = 2;
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 0) == EINC_OK);
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 1) == EINC_WOULD_ALIAS);
  a.aligned = (float *)((char *)data + 1);
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 0) == EINC_MISALIGNED);
  a.aligned = NULL;
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 0) == EINC_NULL_DATA);
  a.aligned = data;
  a.strides[0] = -(INT64_MAX / 4);
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 0) == EINC_OVERFLOW);
  a.sizes[1] = 0;
  CHECK(einc_memref_check(&a, 2, sizeof(float), sizeof(float), 1) == EINC_OK);

  CHECK(einc_memref_init(NULL, 2, 4, data, sizes) == EINC_NULL_DESCRIPTOR);
  CHECK(einc_memref_init(&a, 2, 4, NULL, sizes) == EINC_NULL_DATA);
  CHECK(einc_memref_init(&a, 2, 4, data, huge) == EINC_OVERFLOW);
  CHECK(einc_memref_init(&a, 2, 4, data, negative) == EINC_NEGATIVE_SIZE);
  CHECK(einc_memref_init(&a, 2, 0, data, sizes) == EINC_BAD_VIEW);
  CHECK(einc_memref_init(&a, -1, 4, data, sizes) == EINC_BAD_VIEW);
  CHECK(einc_memref_init(&a, EINC_MAX_RANK + 1, 4, data, sizes) == EINC_BAD_VIEW);
  CHECK(einc_memref_init(&a, 2, 4, NULL, none) == EINC_OK);
  CHECK(einc_memref_byte_range(&a, 2, 4, &first, &last) == EINC_OK && !first && !last);

  CHECK(einc_memref_init(&s, 0, sizeof(double), &scalar, NULL) == EINC_OK);
  CHECK(einc_memref_count(&s, 0, &count) == EINC_OK && count == 1);
  CHECK(einc_memref_init(&h, 1, sizeof(half), &half, one) == EINC_OK);
  return 0;
}

static int test_dlpack(void) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  const int64_t sizes[2] = {2, 3};
  int one = 1;
  einc_dl_dtype f32;
  einc_memref_f32_2 a, b;
  einc_dl_managed_versioned *managed = NULL;
  f32.code = EINC_DL_FLOAT;
  f32.bits = 32;
  f32.lanes = 1;
  CHECK(einc_memref_init(&a, 2, sizeof(float), data, sizes) == EINC_OK);
  CHECK(einc_dl_export(&a, 2, f32, 0, count_release, &one, &managed) == EINC_OK);
  CHECK(einc_dl_import(managed, f32, 2, 1, &b) == EINC_OK);
  CHECK(memcmp(&a, &b, sizeof(a)) == 0);
  CHECK(einc_dl_import(managed, f32, 2, 1, NULL) == EINC_NULL_DESCRIPTOR);
  CHECK(einc_dl_import(NULL, f32, 2, 1, &b) == EINC_NULL_DESCRIPTOR);
  CHECK(released == 0);
  einc_dl_release(managed);
  CHECK(released == 1);
  einc_dl_release(NULL);
  return 0;
}

int main(void) {
  CHECK(strcmp(einc_status_string(EINC_OK), "success") == 0);
  return test_descriptors() || test_dlpack();
}
