// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Moves of arrays for the adapters: what a careful user of a BLAS writes around it. The dimension
// that is contiguous on the one side and that on the other make tiles that fit into the first
// cache.
#ifndef EINC_BENCH_MOVE_H
#define EINC_BENCH_MOVE_H

#include <string.h>

#include "adapter.h"

struct einc_bench_tile {
  int64_t rows, columns, from_row, to_row, from_column, to_column;
};

// to[...] = from[...], or += if `adds`; the other dimensions are loops around two.
#define EINC_BENCH_MOVE(T, NAME)                                                             \
  static void NAME##_tile(const struct einc_bench_tile *t, const T *from, T *to, int adds) { \
    enum { EDGE = 32 };                                                                      \
    for (int64_t i0 = 0; i0 < t->rows; i0 += EDGE)                                           \
      for (int64_t j0 = 0; j0 < t->columns; j0 += EDGE) {                                    \
        int64_t i1 = i0 + EDGE < t->rows ? i0 + EDGE : t->rows;                              \
        int64_t j1 = j0 + EDGE < t->columns ? j0 + EDGE : t->columns;                        \
        for (int64_t i = i0; i < i1; ++i) {                                                  \
          const T *f = from + i * t->from_row;                                               \
          T *o = to + i * t->to_row;                                                         \
          if (adds)                                                                          \
            for (int64_t j = j0; j < j1; ++j) o[j * t->to_column] += f[j * t->from_column];  \
          else if (t->to_column == 1)                                                        \
            for (int64_t j = j0; j < j1; ++j) o[j] = f[j * t->from_column];                  \
          else                                                                               \
            for (int64_t j = j0; j < j1; ++j) o[j * t->to_column] = f[j * t->from_column];   \
        }                                                                                    \
      }                                                                                      \
  }                                                                                          \
  static void NAME(const struct einc_bench_move *m, const T *from, T *to, int adds) {        \
    int row = 0, column = 0;                                                                 \
    for (int d = 0; d < m->rank; ++d) {                                                      \
      if (m->to[d] < m->to[column]) column = d;                                              \
      if (m->from[d] < m->from[row]) row = d;                                                \
    }                                                                                        \
    if (row == column) {                                                                     \
      row = row == 0 ? (m->rank > 1) : 0;                                                    \
      for (int d = 0; d < m->rank; ++d)                                                      \
        if (d != column && m->from[d] < m->from[row]) row = d;                               \
    }                                                                                        \
    struct einc_bench_tile t = {m->rank > 1 ? m->sizes[row] : 1,                             \
                                m->sizes[column],                                            \
                                m->from[row],                                                \
                                m->to[row],                                                  \
                                m->from[column],                                             \
                                m->to[column]};                                              \
    int64_t at[EINC_BENCH_RANK] = {0}, f = 0, o = 0;                                         \
    for (;;) {                                                                               \
      NAME##_tile(&t, from + f, to + o, adds);                                               \
      int d = m->rank - 1;                                                                   \
      for (; d >= 0; --d) {                                                                  \
        if (d == row || d == column) continue;                                               \
        f += m->from[d], o += m->to[d];                                                      \
        if (++at[d] < m->sizes[d]) break;                                                    \
        f -= m->from[d] * m->sizes[d], o -= m->to[d] * m->sizes[d];                          \
        at[d] = 0;                                                                           \
      }                                                                                      \
      if (d < 0) return;                                                                     \
    }                                                                                        \
  }

EINC_BENCH_MOVE(float, einc_bench_move_f32)
EINC_BENCH_MOVE(double, einc_bench_move_f64)

static inline void einc_bench_move_any(int is_double, const struct einc_bench_move *m,
                                       const void *from, void *to, int adds) {
  if (is_double)
    einc_bench_move_f64(m, (const double *)from, (double *)to, adds);
  else
    einc_bench_move_f32(m, (const float *)from, (float *)to, adds);
}

static inline int64_t einc_bench_elements(const struct einc_bench_move *m) {
  int64_t count = 1;
  for (int d = 0; d < m->rank; ++d) count *= m->sizes[d];
  return count;
}

#endif
