#include <stdio.h>
#include <stdlib.h>

#include "dense.h"

static void must(int status) {
  if (status == EINC_OK) return;
  fprintf(stderr, "%s: %s\n", einc_vk_status_string(status), einc_vk_last_message());
  exit(1);
}

/* A buffer on the device with this in it. */
static einc_vk_buffer *buffer_of(einc_vk_context *context, const float *data, uint64_t bytes) {
  einc_vk_buffer *buffer;
  must(einc_vk_buffer_create(context, bytes, &buffer));
  if (data != NULL) must(einc_vk_buffer_write(buffer, 0, data, bytes));
  return buffer;
}

int main(void) {
  const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, bias[2] = {0, -10};
  float y[4];
  einc_vk_context *context;
  must(einc_vk_context_create(NULL, &context)); /* the best device there is */
  einc_vk_buffer *ba = buffer_of(context, a, sizeof a), *bb = buffer_of(context, b, sizeof b);
  einc_vk_buffer *bc = buffer_of(context, bias, sizeof bias),
                 *by = buffer_of(context, NULL, sizeof y);

  dense_vulkan_kernels *kernels; /* shaders are compiled here, once */
  must(dense_vulkan_create(context, &kernels));

  /* A descriptor: the buffer, an offset, sizes and strides, all in elements. */
  einc_memref_f32_2 A = {(void *)ba, NULL, 0, {2, 3}, {3, 1}},
                    B = {(void *)bb, NULL, 0, {3, 2}, {2, 1}};
  einc_memref_f32_1 Bias = {(void *)bc, NULL, 0, {2}, {1}};
  einc_memref_f32_2 Y = {(void *)by, NULL, 0, {2, 2}, {2, 1}};
  einc_vk_event *event;
  must(dense_vulkan(kernels, &A, &B, &Bias, &Y, &event)); /* returns at once */
  must(einc_vk_event_wait(event, EINC_VK_FOREVER));
  must(einc_vk_buffer_read(by, 0, y, sizeof y));
  printf("%g %g, %g %g\n", y[0], y[1], y[2], y[3]);

  einc_vk_event_free(event);
  dense_vulkan_free(kernels);
  einc_vk_buffer_free(ba);
  einc_vk_buffer_free(bb);
  einc_vk_buffer_free(bc);
  einc_vk_buffer_free(by);
  einc_vk_context_free(context);
  return 0;
}
