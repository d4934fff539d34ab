/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * The same matrices moved by ScaLAPACK's pdgemr2d and by us, from one grid to another:
 * scalapack_test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/test_util.h"

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int nprow, int npcol);
void Cblacs_gridinfo(int context, int *nprow, int *npcol, int *row, int *column);
void Cblacs_gridexit(int context);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
               const int *desc_a, double *b, const int *ib, const int *jb, const int *desc_b,
               const int *context);
int numroc_(const int *n, const int *nb, const int *coordinate, const int *first,
            const int *processes);

// A matrix as ScaLAPACK has it: where this rank has nothing, of the context -1.
typedef struct {
  int descriptor[9], nprow, npcol, order, context;
  int rows, columns; /* that this rank has */
  double *data;
  size_t count;
} matrix;

static matrix make(uint64_t *seed, int m, int n) {
  matrix a = {{1, 0, m, n, 1 + test_draw(seed, 5), 1 + test_draw(seed, 5), 0, 0, 0},
              0,
              0,
              0,
              -1,
              0,
              0,
              NULL,
              0};
  a.nprow = 1 + test_draw(seed, test_ranks);
  a.npcol = 1 + test_draw(seed, test_ranks / a.nprow);
  a.order = test_draw(seed, 2);
  a.descriptor[6] = test_draw(seed, a.nprow);
  a.descriptor[7] = test_draw(seed, a.npcol);
  Cblacs_get(-1, 0, &a.context);
  Cblacs_gridinit(&a.context, a.order == EINC_MPI_ROW_MAJOR ? "R" : "C", a.nprow, a.npcol);
  a.descriptor[1] = a.context;
  int nprow, npcol, row = -1, column = -1;
  if (a.context >= 0) Cblacs_gridinfo(a.context, &nprow, &npcol, &row, &column);
  if (row >= 0) {
    const int *d = a.descriptor;
    a.rows = numroc_(&m, &d[4], &row, &d[6], &a.nprow);
    a.columns = numroc_(&n, &d[5], &column, &d[7], &a.npcol);
  }
  a.descriptor[8] = (a.rows > 1 ? a.rows : 1) + test_rank % 3;
  a.count = (size_t)a.descriptor[8] * (size_t)(a.columns > 0 ? a.columns : 1);
  a.data = malloc(a.count * sizeof(double));
  for (size_t i = 0; i < a.count; ++i) a.data[i] = -1;
  return a;
}

static void release(matrix *a) {
  free(a->data);
  if (a->context >= 0) Cblacs_gridexit(a->context);
}

static einc_mpi_status layout_of(const matrix *a, einc_mpi_layout *layout, int64_t strides[2]) {
  return einc_mpi_from_scalapack(a->descriptor, a->nprow, a->npcol, a->order, test_rank, layout,
                                 strides);
}

static int moved_alike(int context, matrix *a, matrix *b) {
  einc_mpi_layout from, to;
  int64_t from_strides[2], to_strides[2], sizes[2], index[2];
  REQUIRE(layout_of(a, &from, from_strides) == EINC_MPI_OK);
  REQUIRE(layout_of(b, &to, to_strides) == EINC_MPI_OK);
  einc_mpi_local_sizes(&from, test_rank, sizes);
  REQUIRE(sizes[0] == a->rows && sizes[1] == a->columns);
  for (int64_t i = 0; i < a->rows; ++i) {
    for (int64_t j = 0; j < a->columns; ++j) {
      const int64_t local[2] = {i, j};
      REQUIRE(einc_mpi_global_index(&from, test_rank, local, index) == EINC_MPI_OK);
      a->data[i + j * a->descriptor[8]] = (double)(index[0] * 1000 + index[1]);
    }
  }
  double *const ours = malloc(b->count * sizeof(double));
  memcpy(ours, b->data, b->count * sizeof(double));
  const int one = 1;
  pdgemr2d_(&a->descriptor[2], &a->descriptor[3], a->data, &one, &one, a->descriptor, b->data, &one,
            &one, b->descriptor, &context);
  const einc_mpi_status status = einc_mpi_redistribute(test_comm, sizeof(double), &from, a->data,
                                                       from_strides, &to, ours, to_strides, NULL);
  const int is_same = memcmp(ours, b->data, b->count * sizeof(double)) == 0;
  free(ours);
  REQUIRE(status == EINC_MPI_OK);
  REQUIRE(is_same);
  return 1;
}

// A descriptor that is wrong on one rank alone: LLD_ is each process's own.
static int wrong_rows(void) {
  const int descriptor[9] = {1, 0, 10, 4, 2, 2, 0, 0, test_rank == 0 ? 3 : 10};
  einc_mpi_layout layout;
  int64_t strides[2];
  const einc_mpi_status status = einc_mpi_from_scalapack(
      descriptor, 1, test_ranks, EINC_MPI_ROW_MAJOR, test_rank, &layout, strides);
  REQUIRE(status == (test_rank == 0 ? EINC_MPI_BAD_LLD : EINC_MPI_OK));
  return 1;
}

int main(int argc, char **argv) {
  test_begin(&argc, &argv);
  int context;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", 1, test_ranks);
  for (int i = 0; i < 40; ++i) {
    uint64_t seed = (uint64_t)(i * 100 + test_ranks);
    const int m = 1 + test_draw(&seed, 40), n = 1 + test_draw(&seed, 40);
    matrix a = make(&seed, m, n), b = make(&seed, m, n);
    char name[64];
    snprintf(name, sizeof(name), "as pdgemr2d: matrix %d, %d x %d", i, m, n);
    test_case(name, moved_alike(context, &a, &b));
    release(&a);
    release(&b);
  }
  test_case("LLD_ of one rank", wrong_rows());
  Cblacs_gridexit(context);
  return test_end();
}
