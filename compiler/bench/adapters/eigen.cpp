// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Eigen, compiled for this machine.
#include <Eigen/Core>
#include <cstdio>

#include "adapter.h"

namespace {

einc_bench_problem p;
const void *a, *b;
void* c;

template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
template <typename T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <typename A, typename B, typename C>
void add(const A& left, const B& right, C&& out) {
  if (p.overwrites)
    out.noalias() = left * right;
  else
    out.noalias() += left * right;
}

template <typename T, typename A, typename B>
void product(const T* left, const T* right, T* out) {
  Eigen::Map<const A> l(left, p.m, p.k);
  Eigen::Map<const B> r(right, p.k, p.n);
  if (p.n == 1)
    add(l, Eigen::Map<const Vector<T>>(right, p.k), Eigen::Map<Vector<T>>(out, p.m));
  else if (p.m == 1)
    add(r.transpose(), Eigen::Map<const Vector<T>>(left, p.k), Eigen::Map<Vector<T>>(out, p.n));
  else
    add(l, r, Eigen::Map<RowMajor<T>>(out, p.m, p.n));
}

template <typename T>
void gemm() {
  for (int64_t i = 0; i < p.batch; ++i) {
    const T* l = static_cast<const T*>(a) + i * p.m * p.k;
    const T* r = static_cast<const T*>(b) + i * p.k * p.n;
    T* out = static_cast<T*>(c) + i * p.m * p.n;
    using Row = RowMajor<T>;
    using Column = ColumnMajor<T>;
    if (p.transposed_a)
      p.transposed_b ? product<T, Column, Column>(l, r, out) : product<T, Column, Row>(l, r, out);
    else
      p.transposed_b ? product<T, Row, Column>(l, r, out) : product<T, Row, Row>(l, r, out);
  }
}

template <typename T>
void permute() {
  const einc_bench_move& m = p.moves[0];
  Eigen::Map<const RowMajor<T>> from(static_cast<const T*>(a), m.sizes[0], m.sizes[1]);
  if (m.to[0] == 1)
    Eigen::Map<RowMajor<T>>(static_cast<T*>(c), m.sizes[1], m.sizes[0]) = from.transpose();
  else
    Eigen::Map<RowMajor<T>>(static_cast<T*>(c), m.sizes[0], m.sizes[1]) = from;
}

}  // namespace

int einc_bench_prepare(const einc_bench_problem* problem, const void* first, const void* second,
                       void* out) {
  if (problem->type_a) return 1;
  p = *problem;
  a = first, b = second, c = out;
  if (p.kind == EINC_BENCH_PERMUTE)
    return p.moves[0].rank != 2 || p.moves[0].from[1] != 1 ||
           (p.moves[0].to[0] != 1 && p.moves[0].to[1] != 1);
  return p.kind != EINC_BENCH_GEMM || p.moves[0].rank || p.moves[1].rank || p.moves[2].rank;
}

void einc_bench_run() {
  if (p.kind == EINC_BENCH_PERMUTE)
    p.is_double ? permute<double>() : permute<float>();
  else
    p.is_double ? gemm<double>() : gemm<float>();
}

const char* einc_bench_describe() {
  static char text[128];
  std::snprintf(text, sizeof text, "Eigen %d.%d.%d, %s", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
  return text;
}
