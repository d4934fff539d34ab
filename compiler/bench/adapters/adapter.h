// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `einc bench` asks of a library: a shared object with the three functions below. It is
// compiled when it is wanted, on the machine where the library is, and loaded by a process of its
// own, so that neither einc nor another library's process has anything of it. C99 and C++.
#ifndef EINC_BENCH_ADAPTER_H
#define EINC_BENCH_ADAPTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EINC_BENCH_RANK 8

enum einc_bench_kind {
  EINC_BENCH_NONE,  // nothing a library does
  EINC_BENCH_GEMM,  // C[b,m,n] += A[b,m,k] B[b,k,n], where `moves` say so transposed before, after
  EINC_BENCH_CONV,  // a convolution in up to two dimensions, grouped or depthwise too
  EINC_BENCH_POOL,  // a largest value or a sum over windows
  EINC_BENCH_PERMUTE,  // a copy in another order of dimensions: moves[0]
  EINC_BENCH_FMA,      // not a problem: multiply-adds in registers
  EINC_BENCH_COPY,     // not a problem: bytes from one place to another
  EINC_BENCH_READ,     // not a problem: bytes that are only read
  EINC_BENCH_WRITE,    // not a problem: bytes that are only written
  EINC_BENCH_ADD,      // not a problem: two arrays read, n bytes each, and one written
  EINC_BENCH_UPDATE    // not a problem: bytes that are read, then written
};

// What elements of an input are. Products of narrow ones are summed in i32, and those of bf16 in f32.
enum einc_bench_type {
  EINC_BENCH_SAME,  // as those of the output
  EINC_BENCH_S8,
  EINC_BENCH_U8,
  EINC_BENCH_BF16
};

// An array from one order of its dimensions into another; strides count elements. Rank 0: none.
struct einc_bench_move {
  int rank;
  int64_t sizes[EINC_BENCH_RANK], from[EINC_BENCH_RANK], to[EINC_BENCH_RANK];
};

struct einc_bench_problem {
  int kind;            // einc_bench_kind
  int is_double;       // f64; otherwise f32, or what follows from the inputs
  int type_a, type_b;  // einc_bench_type, of A and B, or of image and window
  int overwrites;      // the output's old value does not count

  // GEMM. Matrices are dense; transposed ones lie as [n][k] and [k][m]. swapped: the kernel's
  // second input is A. moves: of A, B and C to where the product wants them; with moves[2], the
  // product is made apart and added to C.
  int64_t batch, m, n, k;
  int transposed_a, transposed_b, swapped;
  struct einc_bench_move moves[3];

  // CONV, POOL. Pairs are height, width. Strides in elements: of the input image, channel, row,
  // column; of the window group, output channel, input channel, row, column; of the output image,
  // channel, row, column. Channels are those of one group.
  // In the window a channel may be one of a block, which lies together: in_block (1: none) channels in, inside of out_block
  // channels out; strides are of blocks, then.
  int64_t images, groups, in_channels, out_channels, in_block, out_block;
  int64_t in[2], window[2], out[2], step[2], dilation[2], pad[2];
  int64_t in_strides[4], window_strides[5], out_strides[4];
  int largest;  // POOL: the largest value, otherwise the sum
};

// Gets ready to run the problem again and again, in one thread. `a` and `b` (null if there is none)
// are only read. 0, or 1: this library does not do that, or 2: it is not there.
int einc_bench_prepare(const struct einc_bench_problem *problem, const void *a, const void *b,
                       void *c);
void einc_bench_run(void);
// After a first run: the version, and what was really selected. One line.
const char *einc_bench_describe(void);

#ifdef __cplusplus
}
#endif

#endif
