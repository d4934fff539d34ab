/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions on indices, against blocks that are dealt out one after the other; layouts that are
 * refused; descriptors of ScaLAPACK. Needs no MPI.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/mpi/distribution.h"

static int passed, failed;

#define CHECK(condition)                                         \
  do {                                                           \
    if (condition) {                                             \
      ++passed;                                                  \
    } else {                                                     \
      ++failed;                                                  \
      printf("%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
    }                                                            \
  } while (0)

static einc_mpi_layout line(int64_t size, int64_t block, int over, int first, int processes) {
  const einc_mpi_layout layout = {
      1, {{size, block, over, first}}, {1, EINC_MPI_ROW_MAJOR, {processes}}};
  return layout;
}

// --- one dimension -------------------------------------------------------------------------------

// Deals the elements out like cards: owner and place of each.
static void deal(int size, int block, int first, int processes, int *owner, int *place, int *had) {
  memset(had, 0, (size_t)processes * sizeof(int));
  int turn = first;
  for (int i = 0; i < size; ++i) {
    owner[i] = turn;
    place[i] = had[turn]++;
    if ((i + 1) % block == 0) turn = (turn + 1) % processes;
  }
}

static int is_dealt(int size, int block, int first, int processes) {
  int owner[32], place[32], had[8];
  deal(size, block, first, processes, owner, place, had);
  const einc_mpi_layout layout = line(size, block, 0, first, processes);
  if (einc_mpi_check(&layout) != EINC_MPI_OK) return 0;
  for (int p = 0; p < processes; ++p) {
    int64_t count = -1;
    if (einc_mpi_local_size(size, block, p, first, processes) != had[p]) return 0;
    if (einc_mpi_local_sizes(&layout, p, &count) != EINC_MPI_OK || count != had[p]) return 0;
    if (einc_mpi_global_index(&layout, p, &count, &count) != EINC_MPI_OUT_OF_RANGE) return 0;
  }
  for (int64_t i = 0; i < size; ++i) {
    int process = -1;
    int64_t local = -1, index = -1;
    if (einc_mpi_local_index(&layout, &i, &process, &local) != EINC_MPI_OK) return 0;
    if (process != owner[i] || local != place[i]) return 0;
    if (einc_mpi_global_index(&layout, process, &local, &index) != EINC_MPI_OK) return 0;
    if (index != i) return 0;
  }
  return 1;
}

static void test_lines(void) {
  for (int size = 0; size <= 24; ++size) {
    for (int block = 1; block <= size + 2; ++block) {
      for (int processes = 1; processes <= 5; ++processes) {
        int is_right = 1;
        for (int first = 0; first < processes; ++first) {
          is_right = is_right && is_dealt(size, block, first, processes);
        }
        CHECK(is_right);
      }
    }
  }
}

static void test_large(void) {
  const int64_t most = INT64_MAX;
  int64_t sum = 0;
  for (int p = 0; p < 7; ++p) sum += einc_mpi_local_size(most, 1000, p, 3, 7);
  CHECK(sum == most);
  CHECK(einc_mpi_local_size(most, most, 2, 2, INT_MAX) == most);
  CHECK(einc_mpi_local_size(most, most, 1, 2, INT_MAX) == 0);
  CHECK(einc_mpi_local_size(most, most - 1, 1, 0, 2) == 1);
  CHECK(einc_mpi_even_block(most, 2) == most / 2 + 1);
  CHECK(einc_mpi_even_block(10, 3) == 4 && einc_mpi_even_block(9, 3) == 3);
  CHECK(einc_mpi_even_block(0, 3) == 1 && einc_mpi_even_block(2, 3) == 1);
  const einc_mpi_layout layout = line(most, 1 << 20, 0, 1, 3);
  const int64_t last = most - 1;
  int process;
  int64_t local, index;
  CHECK(einc_mpi_local_index(&layout, &last, &process, &local) == EINC_MPI_OK);
  CHECK(einc_mpi_global_index(&layout, process, &local, &index) == EINC_MPI_OK && index == last);
}

// --- grids ---------------------------------------------------------------------------------------

static void test_grids(void) {
  // A 6 x 4 matrix, its columns over the first dimension of a grid of 2 x 3 x 2; no use of the last.
  einc_mpi_layout layout = {2, {{6, 1, 1, 2}, {4, 2, 0, 0}}, {3, EINC_MPI_ROW_MAJOR, {2, 3, 2}}};
  int coordinates[3], process;
  int64_t sizes[2], local[2];
  const int64_t index[2] = {1, 3}, beyond[2] = {6, 0}, below[2] = {0, -1};
  CHECK(einc_mpi_processes(&layout.grid) == 12);
  CHECK(einc_mpi_coordinates(&layout.grid, 9, coordinates) == EINC_MPI_OK);
  CHECK(coordinates[0] == 1 && coordinates[1] == 1 && coordinates[2] == 1);
  CHECK(einc_mpi_process_at(&layout.grid, coordinates, &process) == EINC_MPI_OK && process == 9);
  CHECK(einc_mpi_coordinates(&layout.grid, 12, coordinates) == EINC_MPI_OUT_OF_RANGE);
  CHECK(einc_mpi_coordinates(&layout.grid, -1, coordinates) == EINC_MPI_OUT_OF_RANGE);
  coordinates[1] = 3;
  CHECK(einc_mpi_process_at(&layout.grid, coordinates, &process) == EINC_MPI_OUT_OF_RANGE);
  CHECK(einc_mpi_local_index(&layout, index, &process, local) == EINC_MPI_OK);
  CHECK(process == 6 && local[0] == 0 && local[1] == 1);  // coordinates 1, 0, 0
  CHECK(einc_mpi_local_index(&layout, beyond, &process, local) == EINC_MPI_OUT_OF_RANGE);
  CHECK(einc_mpi_local_index(&layout, below, &process, local) == EINC_MPI_OUT_OF_RANGE);
  CHECK(einc_mpi_local_sizes(&layout, 7, sizes) == EINC_MPI_OK && sizes[0] == 2 && sizes[1] == 2);
  CHECK(einc_mpi_local_sizes(&layout, 12, sizes) == EINC_MPI_OK && sizes[0] == 0 && sizes[1] == 0);
  CHECK(einc_mpi_local_sizes(&layout, -1, sizes) == EINC_MPI_OUT_OF_RANGE);
  layout.grid.order = EINC_MPI_COLUMN_MAJOR;
  CHECK(einc_mpi_local_index(&layout, index, &process, local) == EINC_MPI_OK && process == 1);
  CHECK(einc_mpi_coordinates(&layout.grid, 9, coordinates) == EINC_MPI_OK);
  CHECK(coordinates[0] == 1 && coordinates[1] == 1 && coordinates[2] == 1);
  CHECK(einc_mpi_coordinates(&layout.grid, 3, coordinates) == EINC_MPI_OK);
  CHECK(coordinates[0] == 1 && coordinates[1] == 1 && coordinates[2] == 0);
}

static void test_refused(void) {
  const einc_mpi_layout good = {2, {{6, 1, 1, 2}, {4, 2, 0, 0}}, {2, EINC_MPI_ROW_MAJOR, {2, 3}}};
  einc_mpi_layout a;
#define REFUSED(change, status)                     \
  do {                                              \
    a = good;                                       \
    change;                                         \
    CHECK(einc_mpi_check(&a) == EINC_MPI_##status); \
  } while (0)
  REFUSED(a.rank = 2, OK);
  REFUSED(a.rank = -1, BAD_RANK);
  REFUSED(a.rank = 33, BAD_RANK);
  REFUSED(a.grid.rank = -1, BAD_RANK);
  REFUSED(a.grid.rank = 33, BAD_RANK);
  REFUSED(a.grid.order = 2, BAD_GRID);
  REFUSED(a.grid.sizes[1] = 0, BAD_GRID);
  REFUSED(a.grid.sizes[1] = INT_MAX, BAD_GRID);
  REFUSED(a.dimensions[0].size = -1, NEGATIVE_SIZE);
  REFUSED(a.dimensions[0].block = 0, BAD_BLOCK);
  REFUSED(a.dimensions[0].over = 2, BAD_OVER);
  REFUSED(a.dimensions[0].over = -2, BAD_OVER);
  REFUSED(a.dimensions[1].over = 1, SHARED_OVER);
  REFUSED(a.dimensions[0].first = 3, BAD_FIRST);
  REFUSED(a.dimensions[0].first = -1, BAD_FIRST);
  REFUSED(a.dimensions[0].over = -1; a.dimensions[0].block = 0; a.dimensions[0].first = 9, OK);
#undef REFUSED
}

// --- ScaLAPACK -----------------------------------------------------------------------------------

static einc_mpi_status described(int field, int value, int nprow, int order, int process) {
  int descriptor[9] = {1, 0, 10, 7, 3, 2, 1, 0, 6};
  einc_mpi_layout layout;
  int64_t strides[2];
  if (field >= 0) descriptor[field] = value;
  return einc_mpi_from_scalapack(descriptor, nprow, 3, order, process, &layout, strides);
}

static void test_descriptors(void) {
  const int descriptor[9] = {1, -1, 10, 7, 3, 2, 1, 2, 8};
  einc_mpi_layout layout;
  int64_t strides[2], sizes[2];
  CHECK(einc_mpi_from_scalapack(descriptor, 2, 3, EINC_MPI_COLUMN_MAJOR, 1, &layout, strides) ==
        EINC_MPI_OK);
  CHECK(strides[0] == 1 && strides[1] == 8 && layout.rank == 2);
  CHECK(einc_mpi_local_sizes(&layout, 1, sizes) == EINC_MPI_OK && sizes[0] == 6 && sizes[1] == 2);

  CHECK(described(-1, 0, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_OK);
  CHECK(described(0, 2, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_DTYPE);
  CHECK(described(2, -1, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_NEGATIVE_SIZE);
  CHECK(described(3, -1, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_NEGATIVE_SIZE);
  CHECK(described(4, 0, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_BLOCK);
  CHECK(described(5, -2, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_BLOCK);
  CHECK(described(6, 2, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_FIRST);
  CHECK(described(7, -1, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_FIRST);
  CHECK(described(-1, 0, 0, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_GRID);
  CHECK(described(-1, 0, 2, 7, 0) == EINC_MPI_BAD_GRID);
  CHECK(described(-1, 0, 2, EINC_MPI_ROW_MAJOR, -1) == EINC_MPI_OUT_OF_RANGE);
  // Rows 3..5 and 9 are of row 0 of the grid, six rows of row 1.
  CHECK(described(8, 4, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_OK);
  CHECK(described(8, 3, 2, EINC_MPI_ROW_MAJOR, 0) == EINC_MPI_BAD_LLD);
  CHECK(described(8, 5, 2, EINC_MPI_ROW_MAJOR, 5) == EINC_MPI_BAD_LLD);
  CHECK(described(8, 6, 2, EINC_MPI_ROW_MAJOR, 5) == EINC_MPI_OK);
  // Beyond the grid there are no rows, and LLD_ is still at least 1.
  CHECK(described(8, 1, 2, EINC_MPI_ROW_MAJOR, 6) == EINC_MPI_OK);
  CHECK(described(8, 0, 2, EINC_MPI_ROW_MAJOR, 6) == EINC_MPI_BAD_LLD);
}

int main(void) {
  test_lines();
  test_large();
  test_grids();
  test_refused();
  test_descriptors();
  CHECK(strcmp(einc_mpi_status_string(EINC_MPI_OK), "success") == 0);
  CHECK(strstr(einc_mpi_status_string(1), "unknown") != NULL);
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
