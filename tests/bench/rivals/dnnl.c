// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Layers by oneDNN (its C interface of version 2), with all that it can do behind a product or a
// convolution done there. Images are channels last; windows of convolutions are brought into the
// layout that oneDNN likes best in the first call, which is not counted.
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>

#include "common.h"

enum { STEPS = 8, ARGS = 8 };

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static struct {
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[ARGS];
  int count;
} steps[STEPS];
static int step_count;

static void need(dnnl_status_t status, const char *what) {
  if (status == dnnl_success) return;
  fprintf(stderr, "oneDNN refuses %s: %d\n", what, (int)status);
  exit(1);
}
#define NEED(call) need(call, #call)

static int begun(void) {
  if (engine) return 1;
  NEED(dnnl_engine_create(&engine, dnnl_cpu, 0));
  NEED(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  return 0;
}

static void run(void) {
  for (int i = 0; i < step_count; ++i)
    dnnl_primitive_execute(steps[i].primitive, stream, steps[i].count, steps[i].args);
  dnnl_stream_wait(stream);
}

static dnnl_memory_desc_t described(int rank, const dnnl_dim_t *dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t d;
  NEED(dnnl_memory_desc_init_by_tag(&d, rank, dims, dnnl_f32, tag));
  return d;
}

static dnnl_memory_t memory(const dnnl_memory_desc_t *d, float *at) {
  dnnl_memory_t m;
  NEED(dnnl_memory_create(&m, d, engine, at ? (void *)at : DNNL_MEMORY_ALLOCATE));
  return m;
}

static void step(dnnl_primitive_desc_t desc, int count, const dnnl_exec_arg_t *args) {
  NEED(dnnl_primitive_create(&steps[step_count].primitive, desc));
  memcpy(steps[step_count].args, args, (size_t)count * sizeof *args);
  steps[step_count++].count = count;
}

enum after { NOTHING, RELU, GELU };

// y = after(a b + bias) + residual; bias and residual may be missing.
static void add_product(float *a, float *b, float *bias, float *residual, float *y, long m, long n,
                        long k, enum after after) {
  const dnnl_dim_t of_a[] = {m, k}, of_b[] = {k, n}, of_y[] = {m, n}, of_bias[] = {1, n};
  const dnnl_memory_desc_t da = described(2, of_a, dnnl_ab), db = described(2, of_b, dnnl_ab),
                           dy = described(2, of_y, dnnl_ab), dbias = described(2, of_bias, dnnl_ab);
  dnnl_matmul_desc_t op;
  NEED(dnnl_matmul_desc_init(&op, &da, &db, bias ? &dbias : NULL, &dy));
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t post;
  NEED(dnnl_primitive_attr_create(&attr));
  NEED(dnnl_post_ops_create(&post));
  int place = 0;
  if (after != NOTHING) {
    NEED(dnnl_post_ops_append_eltwise(
        post, 1, after == RELU ? dnnl_eltwise_relu : dnnl_eltwise_gelu_erf, 0, 0));
    ++place;
  }
  if (residual) NEED(dnnl_post_ops_append_binary(post, dnnl_binary_add, &dy));
  NEED(dnnl_primitive_attr_set_post_ops(attr, post));
  dnnl_primitive_desc_t desc;
  NEED(dnnl_primitive_desc_create(&desc, &op, attr, engine, NULL));
  dnnl_exec_arg_t args[ARGS] = {{DNNL_ARG_SRC, memory(&da, a)},
                                {DNNL_ARG_WEIGHTS, memory(&db, b)},
                                {DNNL_ARG_DST, memory(&dy, y)}};
  int count = 3;
  if (bias) args[count++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, memory(&dbias, bias)};
  if (residual)
    args[count++] = (dnnl_exec_arg_t){DNNL_ARG_ATTR_MULTIPLE_POST_OP(place) | DNNL_ARG_SRC_1,
                                      memory(&dy, residual)};
  step(desc, count, args);
}

// X, W, bias, R, Y
void dnnl_gelu_residual(float **t, long m, long n, long k) {
  if (!begun()) add_product(t[0], t[1], t[2], t[3], t[4], m, n, k, GELU);
  run();
}

// X, W1, b1, W2, b2, Y
void dnnl_two_layers(float **t, long batch, long in, long hidden, long out) {
  if (!begun()) {
    float *between = kept(0, batch * hidden);
    add_product(t[0], t[1], t[2], NULL, between, batch, hidden, in, RELU);
    add_product(between, t[3], t[4], NULL, t[5], batch, out, hidden, NOTHING);
  }
  run();
}

// One image, of `in` x `in` with c channels; windows of (r, r, c, f), or (r, r, c) where they are
// depthwise. Bias may be missing.
struct layer {
  long in, out, c, f, r, stride;
  int depthwise, relu;
};

static void add_conv(struct layer l, float *image, float *window, float *bias, float *result) {
  const long groups = l.depthwise ? l.c : 1, f = l.depthwise ? l.c : l.f;
  const dnnl_dim_t of_image[] = {1, l.c, l.in, l.in}, of_result[] = {1, f, l.out, l.out},
                   grouped[] = {groups, 1, 1, l.r, l.r}, plain[] = {f, l.c, l.r, l.r},
                   strides[] = {l.stride, l.stride}, none[] = {0, 0}, of_bias[] = {f};
  const int rank = l.depthwise ? 5 : 4;
  const dnnl_dim_t *of_window = l.depthwise ? grouped : plain;
  const dnnl_memory_desc_t di = described(4, of_image, dnnl_nhwc),
                           dr = described(4, of_result, dnnl_nhwc),
                           dw = described(rank, of_window, dnnl_format_tag_any),
                           given = described(rank, of_window, l.depthwise ? dnnl_decab : dnnl_cdba),
                           db = described(1, of_bias, dnnl_a);
  // What the image has beyond the windows is not read.
  const dnnl_dim_t behind = (l.out - 1) * l.stride + l.r - l.in, right[] = {behind, behind};
  dnnl_convolution_desc_t op;
  NEED(dnnl_convolution_forward_desc_init(&op, dnnl_forward_inference, dnnl_convolution_direct, &di,
                                          &dw, bias ? &db : NULL, &dr, strides, none, right));
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t post;
  NEED(dnnl_primitive_attr_create(&attr));
  NEED(dnnl_post_ops_create(&post));
  if (l.relu) NEED(dnnl_post_ops_append_eltwise(post, 1, dnnl_eltwise_relu, 0, 0));
  NEED(dnnl_primitive_attr_set_post_ops(attr, post));
  dnnl_primitive_desc_t desc, order;
  NEED(dnnl_primitive_desc_create(&desc, &op, attr, engine, NULL));
  const dnnl_memory_desc_t *liked = dnnl_primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
  dnnl_memory_t packed = memory(liked, NULL), unpacked = memory(&given, window);
  dnnl_primitive_t reorder;
  NEED(dnnl_reorder_primitive_desc_create(&order, &given, engine, liked, engine, NULL));
  NEED(dnnl_primitive_create(&reorder, order));
  const dnnl_exec_arg_t moves[] = {{DNNL_ARG_FROM, unpacked}, {DNNL_ARG_TO, packed}};
  NEED(dnnl_primitive_execute(reorder, stream, 2, moves));
  NEED(dnnl_stream_wait(stream));
  dnnl_exec_arg_t args[ARGS] = {{DNNL_ARG_SRC, memory(&di, image)},
                                {DNNL_ARG_WEIGHTS, packed},
                                {DNNL_ARG_DST, memory(&dr, result)}};
  int count = 3;
  if (bias) args[count++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, memory(&db, bias)};
  step(desc, count, args);
}

static void add_max_pool(float *image, float *result, long in, long out, long c, long r,
                         long stride) {
  const dnnl_dim_t of_image[] = {1, c, in, in}, of_result[] = {1, c, out, out}, window[] = {r, r},
                   strides[] = {stride, stride}, none[] = {0, 0};
  const dnnl_memory_desc_t di = described(4, of_image, dnnl_nhwc),
                           dr = described(4, of_result, dnnl_nhwc);
  dnnl_pooling_desc_t op;
  dnnl_primitive_desc_t desc;
  NEED(dnnl_pooling_forward_desc_init(&op, dnnl_forward_inference, dnnl_pooling_max, &di, &dr,
                                      strides, window, none, none));
  NEED(dnnl_primitive_desc_create(&desc, &op, NULL, engine, NULL));
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory(&di, image)},
                                  {DNNL_ARG_DST, memory(&dr, result)}};
  step(desc, 2, args);
}

// I, K, mean, variance, gamma, beta, window, O. The norm is folded into window and bias in the first
// call, as libraries' users do.
void dnnl_conv_norm_relu_pool(float **t, struct layer l, long pooled, long pool, long pool_stride,
                              float epsilon) {
  if (!begun()) {
    float *folded = kept(0, l.r * l.r * l.c * l.f), *bias = kept(1, l.f);
    for (long f = 0; f < l.f; ++f) {
      const float factor = t[4][f] / sqrtf(t[3][f] + epsilon);
      for (long i = 0; i < l.r * l.r * l.c; ++i) folded[i * l.f + f] = t[1][i * l.f + f] * factor;
      bias[f] = t[5][f] - t[2][f] * factor;
    }
    l.relu = 1;
    float *between = kept(2, l.out * l.out * l.f);
    add_conv(l, t[0], folded, bias, between);
    add_max_pool(between, t[7], l.out, pooled, l.f, pool, pool_stride);
  }
  run();
}

// I, expand, K, project, O
void dnnl_separable(float **t, long in, long out, long c, long e, long f, long r, long stride) {
  if (!begun()) {
    float *wide = kept(0, in * in * e), *windowed = kept(1, out * out * e);
    add_conv((struct layer){in, in, c, e, 1, 1, 0, 1}, t[0], t[1], NULL, wide);
    add_conv((struct layer){in, out, e, e, r, stride, 1, 1}, wide, t[2], NULL, windowed);
    add_conv((struct layer){out, out, e, f, 1, 1, 0, 0}, windowed, t[3], NULL, t[4]);
  }
  run();
}
