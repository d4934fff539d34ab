// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// oneDNN, by its C interface of version 2. Convolutions in three ways (EINC_BENCH_LAYOUTS):
//   0  images as the kernel has them, the window in the layout oneDNN likes best, brought there
//      beforehand and not counted
//   1  everything in the layout oneDNN likes best, nothing of getting there and back counted: the
//      first run does that, too
//   2  the same, getting images there and back counted
// Convolutions add to their output where the kernel does. Pooling overwrites it.
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <string.h>

#include "adapter.h"

static struct einc_bench_problem p;
static const void *a, *b;
static void *c;
static dnnl_engine_t engine;
static dnnl_stream_t stream;
static char implementation[160];

enum { MOST = 4 };
static struct {
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[3];
  int count;
} steps[MOST];
static int step_count;
static int counted = -1;  // the step that all runs but the first consist of; all, if negative

static int failed(dnnl_status_t status) { return status != dnnl_success; }

static int memory(dnnl_memory_t *result, const dnnl_memory_desc_t *d, void *at) {
  return failed(dnnl_memory_create(result, d, engine, at));
}

static int add_step(dnnl_primitive_desc_t desc, int count, const dnnl_exec_arg_t *args) {
  if (step_count == MOST || failed(dnnl_primitive_create(&steps[step_count].primitive, desc)))
    return 1;
  memcpy(steps[step_count].args, args, (size_t)count * sizeof *args);
  steps[step_count++].count = count;
  return 0;
}

static int add_reorder(const dnnl_memory_desc_t *from, dnnl_memory_t f,
                       const dnnl_memory_desc_t *to, dnnl_memory_t t) {
  dnnl_primitive_desc_t desc;
  if (failed(dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL))) return 1;
  dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, f}, {DNNL_ARG_TO, t}};
  return add_step(desc, 2, args);
}

static void run_step(int i) {
  dnnl_primitive_execute(steps[i].primitive, stream, steps[i].count, steps[i].args);
}

static void run_steps(void) {
  static int runs;
  if (counted >= 0 && runs++)
    run_step(counted);
  else
    for (int i = 0; i < step_count; ++i) run_step(i);
  dnnl_stream_wait(stream);
}

static void remember(const_dnnl_primitive_desc_t desc) {
  const char *name = "";
  dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name);
  snprintf(implementation, sizeof implementation, ", %s", name);
}

// The memory an operand is computed in: the caller's, or one of oneDNN's own in its own layout.
static int place(const_dnnl_primitive_desc_t desc, dnnl_query_t which,
                 const dnnl_memory_desc_t *plain, void *data, dnnl_memory_t *outside,
                 dnnl_memory_t *inside, const dnnl_memory_desc_t **chosen) {
  *chosen = dnnl_primitive_desc_query_md(desc, which, 0);
  if (memory(outside, plain, data)) return 1;
  *inside = *outside;
  return dnnl_memory_desc_equal(*chosen, plain) ? 0 : memory(inside, *chosen, DNNL_MEMORY_ALLOCATE);
}

// What of the image is read at all, and the padding behind it.
static void bounds(dnnl_dim_t *in, dnnl_dim_t *behind) {
  for (int s = 0; s < 2; ++s) {
    int64_t reach = (p.out[s] - 1) * p.step[s] + (p.window[s] - 1) * p.dilation[s] + 1 - p.pad[s];
    in[s] = reach < p.in[s] ? reach : p.in[s];
    behind[s] = reach - in[s];
  }
}

static dnnl_data_type_t type_of(int type) {
  switch (type) {
    case EINC_BENCH_S8:
      return dnnl_s8;
    case EINC_BENCH_U8:
      return dnnl_u8;
    case EINC_BENCH_BF16:
      return dnnl_bf16;
    default:
      return dnnl_f32;
  }
}
static dnnl_data_type_t type_of_sums(void) {
  return p.type_a == EINC_BENCH_S8 || p.type_a == EINC_BENCH_U8 ? dnnl_s32 : dnnl_f32;
}

// Of elements that are narrower than sums, as they are; packing them is counted.
static int prepare_product(void) {
  const dnnl_dim_t dims[3][3] = {{p.batch, p.m, p.k}, {p.batch, p.k, p.n}, {p.batch, p.m, p.n}};
  const dnnl_dim_t strides[3][3] = {{p.m * p.k, p.transposed_a ? 1 : p.k, p.transposed_a ? p.m : 1},
                                    {p.k * p.n, p.transposed_b ? 1 : p.n, p.transposed_b ? p.k : 1},
                                    {p.m * p.n, p.n, 1}};
  const dnnl_data_type_t types[3] = {type_of(p.type_a), type_of(p.type_b), type_of_sums()};
  const int outer = p.batch == 1;
  dnnl_memory_desc_t d[3];
  for (int i = 0; i < 3; ++i)
    if (failed(dnnl_memory_desc_init_by_strides(&d[i], 3 - outer, dims[i] + outer, types[i],
                                                strides[i] + outer)))
      return 1;
  dnnl_matmul_desc_t op;
  dnnl_primitive_desc_t desc;
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t post;
  if (failed(dnnl_primitive_attr_create(&attr)) || failed(dnnl_post_ops_create(&post))) return 1;
  if (!p.overwrites) dnnl_post_ops_append_sum(post, 1);
  dnnl_primitive_attr_set_post_ops(attr, post);
  dnnl_memory_t from_a, from_b, to;
  if (failed(dnnl_matmul_desc_init(&op, &d[0], &d[1], NULL, &d[2])) ||
      failed(dnnl_primitive_desc_create(&desc, &op, attr, engine, NULL)) ||
      memory(&from_a, &d[0], (void *)a) || memory(&from_b, &d[1], (void *)b) ||
      memory(&to, &d[2], c))
    return 1;
  remember(desc);
  const dnnl_exec_arg_t args[3] = {
      {DNNL_ARG_SRC, from_a}, {DNNL_ARG_WEIGHTS, from_b}, {DNNL_ARG_DST, to}};
  return add_step(desc, 3, args);
}

// The window's channels may lie in blocks, which strides count.
static int describe_window(dnnl_memory_desc_t *w, int rank, const dnnl_dim_t *dims) {
  const int out = rank == 5;  // behind groups
  dnnl_dim_t blocks[5];
  for (int i = 0; i < rank; ++i)
    blocks[i] = dims[i] / (i == out ? p.out_block : i == out + 1 ? p.in_block : 1);
  if (failed(dnnl_memory_desc_init_by_strides(w, rank, blocks, type_of(p.type_b),
                                              p.window_strides + !out)))
    return 1;
  dnnl_blocking_desc_t *lie = &w->format_desc.blocking;
  for (int i = 0; i < rank; ++i) w->dims[i] = w->padded_dims[i] = dims[i];
  for (int i = out; i < out + 2; ++i) {
    if (dims[i] == blocks[i]) continue;
    lie->inner_blks[lie->inner_nblks] = dims[i] / blocks[i];
    lie->inner_idxs[lie->inner_nblks++] = i;
  }
  return 0;
}

static int prepare_window(void) {
  const int layouts = EINC_BENCH_LAYOUTS, pool = p.kind == EINC_BENCH_POOL;
  const int64_t channels = p.groups * p.in_channels;
  dnnl_dim_t in[2], behind[2], dilation[2] = {p.dilation[0] - 1, p.dilation[1] - 1};
  bounds(in, behind);
  const dnnl_dim_t src_dims[] = {p.images, channels, in[0], in[1]};
  const dnnl_dim_t dst_dims[] = {p.images, p.groups * p.out_channels, p.out[0], p.out[1]};
  const dnnl_dim_t w_dims[] = {p.groups, p.out_channels, p.in_channels, p.window[0], p.window[1]};
  const int grouped = p.groups > 1, w_rank = grouped ? 5 : 4;
  dnnl_memory_desc_t src, dst, w, any_src, any_dst, any_w;
  if (failed(
          dnnl_memory_desc_init_by_strides(&src, 4, src_dims, type_of(p.type_a), p.in_strides)) ||
      failed(dnnl_memory_desc_init_by_strides(&dst, 4, dst_dims, type_of_sums(), p.out_strides)) ||
      failed(dnnl_memory_desc_init_by_tag(&any_src, 4, src_dims, type_of(p.type_a),
                                          dnnl_format_tag_any)) ||
      failed(
          dnnl_memory_desc_init_by_tag(&any_dst, 4, dst_dims, type_of_sums(), dnnl_format_tag_any)))
    return 1;
  // Pooling has no layout of its own choice for what it reads.
  const dnnl_memory_desc_t *s = layouts ? &any_src : &src, *d = layouts ? &any_dst : &dst;
  const int adds = !pool && !p.overwrites;
  dnnl_primitive_desc_t desc;
  dnnl_primitive_attr_t attr;
  dnnl_post_ops_t post;
  if (failed(dnnl_primitive_attr_create(&attr)) || failed(dnnl_post_ops_create(&post))) return 1;
  if (adds) dnnl_post_ops_append_sum(post, 1);
  // The sum is the average, times the window's size.
  if (pool && !p.largest)
    dnnl_post_ops_append_eltwise(post, 1, dnnl_eltwise_linear, (float)(p.window[0] * p.window[1]),
                                 0);
  dnnl_primitive_attr_set_post_ops(attr, post);
  if (pool) {
    if (layouts) return 1;
    dnnl_pooling_v2_desc_t op;
    if (failed(dnnl_pooling_v2_forward_desc_init(
            &op, dnnl_forward_inference,
            p.largest ? dnnl_pooling_max : dnnl_pooling_avg_include_padding, s, d, p.step, p.window,
            dilation, p.pad, behind)) ||
        failed(dnnl_primitive_desc_create(&desc, &op, attr, engine, NULL)))
      return 1;
  } else {
    dnnl_convolution_desc_t op;
    if (describe_window(&w, w_rank, w_dims + !grouped) ||
        failed(dnnl_memory_desc_init_by_tag(&any_w, w_rank, w_dims + !grouped, type_of(p.type_b),
                                            dnnl_format_tag_any)) ||
        failed(dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_inference,
                                                          dnnl_convolution_direct, s, &any_w, NULL,
                                                          d, p.step, dilation, p.pad, behind)) ||
        failed(dnnl_primitive_desc_create(&desc, &op, attr, engine, NULL)))
      return 1;
  }
  remember(desc);
  dnnl_memory_t src_out, src_in, dst_out, dst_in, w_out, w_in;
  const dnnl_memory_desc_t *src_md, *dst_md, *w_md;
  if (place(desc, dnnl_query_src_md, &src, (void *)a, &src_out, &src_in, &src_md) ||
      place(desc, dnnl_query_dst_md, &dst, c, &dst_out, &dst_in, &dst_md))
    return 1;
  if (!pool) {
    if (place(desc, dnnl_query_weights_md, &w, (void *)b, &w_out, &w_in, &w_md)) return 1;
    if (w_in != w_out) {
      if (add_reorder(&w, w_out, w_md, w_in)) return 1;
      run_steps();
      step_count = 0;
    }
  }
  if (src_in != src_out && add_reorder(&src, src_out, src_md, src_in)) return 1;
  if (adds && dst_in != dst_out && add_reorder(&dst, dst_out, dst_md, dst_in)) return 1;
  dnnl_exec_arg_t args[3] = {{DNNL_ARG_SRC, src_in}, {DNNL_ARG_DST, dst_in}, {0, NULL}};
  if (!pool) args[2].arg = DNNL_ARG_WEIGHTS, args[2].memory = w_in;
  if (add_step(desc, pool ? 2 : 3, args)) return 1;
  if (layouts == 1) counted = step_count - 1;
  return dst_in == dst_out ? 0 : add_reorder(dst_md, dst_in, &dst, dst_out);
}

int einc_bench_prepare(const struct einc_bench_problem *problem, const void *first,
                       const void *second, void *out) {
  p = *problem;
  a = first, b = second, c = out;
  if (p.is_double || failed(dnnl_engine_create(&engine, dnnl_cpu, 0)) ||
      failed(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags)))
    return 1;
  if (p.kind == EINC_BENCH_CONV || p.kind == EINC_BENCH_POOL) return prepare_window();
  if (EINC_BENCH_LAYOUTS) return 1;
  if (p.kind == EINC_BENCH_GEMM && (p.moves[0].rank || p.moves[1].rank || p.moves[2].rank))
    return 1;
  if (p.kind == EINC_BENCH_GEMM) return p.type_a ? prepare_product() : 0;
  if (p.kind != EINC_BENCH_PERMUTE) return 1;
  const struct einc_bench_move *m = &p.moves[0];
  dnnl_memory_desc_t from, to;
  dnnl_memory_t f, t;
  return failed(dnnl_memory_desc_init_by_strides(&from, m->rank, m->sizes, dnnl_f32, m->from)) ||
         failed(dnnl_memory_desc_init_by_strides(&to, m->rank, m->sizes, dnnl_f32, m->to)) ||
         memory(&f, &from, (void *)a) || memory(&t, &to, c) || add_reorder(&from, f, &to, t);
}

void einc_bench_run(void) {
  if (p.kind != EINC_BENCH_GEMM || p.type_a) {
    run_steps();
    return;
  }
  for (int64_t i = 0; i < p.batch; ++i)
    dnnl_sgemm(p.transposed_a ? 'T' : 'N', p.transposed_b ? 'T' : 'N', p.m, p.n, p.k, 1,
               (const float *)a + i * p.m * p.k, p.transposed_a ? p.m : p.k,
               (const float *)b + i * p.k * p.n, p.transposed_b ? p.k : p.n, p.overwrites ? 0 : 1,
               (float *)c + i * p.m * p.n, p.n);
}

static const char *isa(void) {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
      return "SSE4.1";
    case dnnl_cpu_isa_avx:
      return "AVX";
    case dnnl_cpu_isa_avx2:
      return "AVX2";
    case dnnl_cpu_isa_avx512_core:
      return "AVX-512";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "AVX-512 VNNI";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "AVX-512 BF16";
    case dnnl_cpu_isa_avx512_core_amx:
      return "AVX-512 AMX";
    default:
      return "another instruction set";
  }
}

const char *einc_bench_describe(void) {
  static char text[256];
  const dnnl_version_t *v = dnnl_version();
  snprintf(text, sizeof text, "oneDNN %d.%d.%d, %s%s", v->major, v->minor, v->patch, isa(),
           implementation);
  return text;
}
