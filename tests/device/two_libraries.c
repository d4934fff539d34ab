/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Two libraries of kernels on a Vulkan device, on small whole numbers, so that results are exact.
 */
#include <stdio.h>

#include "fixed_shaders.h"
#include "shaders.h"

static int passed, failed;

static void check(const char *what, int ok) {
  if (ok) {
    ++passed;
  } else {
    ++failed;
    printf("failed: %s (%s)\n", what, einc_vk_last_message());
  }
}

/* A matrix in a buffer that has its elements. */
static einc_memref_f32_2 matrix(einc_vk_buffer *buffer, int64_t rows, int64_t columns) {
  einc_memref_f32_2 view;
  view.allocated = (float *)(void *)buffer;
  view.aligned = NULL;
  view.offset = 0;
  view.sizes[0] = rows;
  view.sizes[1] = columns;
  view.strides[0] = columns;
  view.strides[1] = 1;
  return view;
}

static einc_vk_buffer *upload(einc_vk_context *context, const float *data, uint64_t count) {
  einc_vk_buffer *buffer = NULL;
  check("a buffer", einc_vk_buffer_create(context, count * sizeof *data, &buffer) == EINC_VK_OK);
  check("copied", einc_vk_buffer_write(buffer, 0, data, count * sizeof *data) == EINC_VK_OK);
  return buffer;
}

/* Waits, and compares what is in the buffer. */
static void expect(const char *what, int status, einc_vk_event *event, einc_vk_buffer *buffer,
                   const float *wanted) {
  float c[4];
  check(what, status == EINC_OK);
  if (status != EINC_OK) return;
  check("waited", einc_vk_event_wait(event, EINC_VK_FOREVER) == EINC_VK_OK);
  einc_vk_event_free(event);
  check("read", einc_vk_buffer_read(buffer, 0, c, sizeof c) == EINC_VK_OK);
  check("values", c[0] == wanted[0] && c[1] == wanted[1] && c[2] == wanted[2] && c[3] == wanted[3]);
}

static void run(einc_vk_context *context, shaders_vulkan_kernels *kernels,
                fixed_fixed_shaders_vulkan_kernels *fixed) {
  const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
  const float once[4] = {14, 25, 40, 51}, twice[4] = {18, 30, 50, 62};
  einc_vk_buffer *buffers[3];
  einc_vk_event *event = NULL;
  einc_memref_f32_2 A, B, C;
  int i, status;
  buffers[0] = upload(context, a, 6);
  buffers[1] = upload(context, b, 6);
  buffers[2] = upload(context, c, 4);
  A = matrix(buffers[0], 2, 3);
  B = matrix(buffers[1], 3, 2);
  C = matrix(buffers[2], 2, 2);
  check("asked", matmul_vulkan_supported(kernels, &A, &B, &C) == EINC_OK);
  status = matmul_vulkan(kernels, &A, &B, &C, &event);
  expect("matmul", status, event, buffers[2], once);
  status = fixed_matmul_vulkan(fixed, &A, &B, &C, &event);
  expect("fixed", status, event, buffers[2], twice);
  check("sizes that disagree", matmul_vulkan(kernels, &A, &A, &C, &event) == EINC_SIZE_MISMATCH);
  check("the same of one that is fixed",
        fixed_matmul_vulkan(fixed, &B, &A, &C, &event) == EINC_SIZE_MISMATCH);
  for (i = 0; i < 3; ++i) einc_vk_buffer_free(buffers[i]);
}

int main(void) {
  einc_vk_context *context = NULL;
  shaders_vulkan_kernels *kernels = NULL;
  fixed_fixed_shaders_vulkan_kernels *fixed = NULL;
  check("a device", einc_vk_context_create(NULL, &context) == EINC_VK_OK);
  if (context != NULL) {
    check("kernels", shaders_vulkan_create(context, &kernels) == EINC_OK);
    check("more", fixed_fixed_shaders_vulkan_create(context, &fixed) == EINC_OK);
    run(context, kernels, fixed);
  }
  shaders_vulkan_free(kernels);
  fixed_fixed_shaders_vulkan_free(fixed);
  einc_vk_context_free(context);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
