/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Redistributions at the edges, each judged element by element: edges_test. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/mpi/test_util.h"

// A tensor of one dimension on a grid of one.
static einc_mpi_layout line(int64_t size, int64_t block, int over, int first, int processes) {
  einc_mpi_layout layout = {1, {{0, 0, 0, 0}}, {1, EINC_MPI_ROW_MAJOR, {0}}};
  const einc_mpi_dimension dimension = {size, block, over, first};
  layout.dimensions[0] = dimension;
  layout.grid.sizes[0] = processes;
  return layout;
}

// Few elements: from blocks to one at a time, from the last rank on, and back, and from one to all.
static void few_elements(int64_t size) {
  const einc_mpi_layout cyclic = line(size, 1, 0, test_ranks - 1, test_ranks);
  const einc_mpi_layout even = line(size, einc_mpi_even_block(size, test_ranks), 0, 0, test_ranks);
  const einc_mpi_layout one = line(size, 1, -1, 0, 1), all = line(size, 1, -1, 0, test_ranks);
  const einc_mpi_layout *layouts[] = {&cyclic, &even, &one, &all};
  uint64_t seed = (uint64_t)size;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      char name[64];
      snprintf(name, sizeof(name), "%d elements, from layout %d to %d", (int)size, i, j);
      test_case(name, test_move(8, layouts[i], layouts[j], 0, &seed));
    }
  }
}

// A tensor without dimensions: one element.
static int scalar(void) {
  uint64_t seed = 1;
  einc_mpi_layout one = {0}, all = {0};
  all.grid.rank = 1;
  all.grid.sizes[0] = test_ranks;
  REQUIRE(test_move(4, &one, &all, 0, &seed));
  REQUIRE(test_called.received == (test_rank == 0 ? 0 : 4));
  REQUIRE(test_move(4, &all, &one, 0, &seed));
  REQUIRE(test_called.received == 0 && test_called.sent == 0);
  return test_move(4, &all, &all, 0, &seed);
}

// As many dimensions as there can be.
static int many_dimensions(void) {
  uint64_t seed = 2;
  einc_mpi_layout from = {0}, to = {0};
  from.rank = to.rank = EINC_MAX_RANK;
  from.grid.rank = to.grid.rank = EINC_MAX_RANK;
  for (int d = 0; d < EINC_MAX_RANK; ++d) {
    const einc_mpi_dimension one = {d % 5 == 0 ? 2 : 1, 1, d, 0};
    from.dimensions[d] = to.dimensions[d] = one;
    to.dimensions[d].over = EINC_MAX_RANK - 1 - d;
    from.grid.sizes[d] = to.grid.sizes[d] = 1;
  }
  from.grid.sizes[0] = to.grid.sizes[1] = test_ranks;
  return test_move(2, &from, &to, 0, &seed);
}

// Two that have a copy serve the others in turn, and themselves.
static int copies_share(void) {
  uint64_t seed = 3;
  if (test_ranks < 2) return 1;
  const einc_mpi_layout copies = line(24, 1, -1, 0, 2), cyclic = line(24, 1, 0, 0, test_ranks);
  REQUIRE(test_move(4, &copies, &cyclic, 0, &seed));
  const int half = test_rank == 0 ? (test_ranks - 1) / 2 : (test_ranks - 2) / 2;
  REQUIRE(test_called.messages == (test_rank < 2 ? half : 0));
  return 1;
}

// Nothing crosses the network where all have all.
static int nothing_to_send(void) {
  uint64_t seed = 4;
  const einc_mpi_layout all = line(50, 1, -1, 0, test_ranks), parts = line(50, 3, 0, 0, test_ranks);
  REQUIRE(test_move(4, &all, &parts, 0, &seed));
  REQUIRE(test_called.messages == 0);
  REQUIRE(test_move(4, &parts, &parts, 0, &seed));
  REQUIRE(test_called.messages == 0);
  return 1;
}

// Rows so far apart that an int does not count the bytes between them.
static int far_rows(void) {
  const int64_t stride = (INT64_C(1) << 31) + 11;
  const einc_mpi_layout from = line(4, 1, -1, 0, 1), to = line(4, 1, -1, 0, test_ranks);
  const size_t bytes = (size_t)(3 * stride + 1);
  unsigned char *const memory[2] = {
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
           0)};
  REQUIRE(memory[0] != MAP_FAILED && memory[1] != MAP_FAILED);
  const int64_t backwards = -stride;
  for (int i = 0; i < 4; ++i) memory[0][i * stride] = (unsigned char)(10 + i);
  REQUIRE(einc_mpi_redistribute(test_comm, 1, &from, memory[0], &stride, &to,
                                memory[1] + 3 * stride, &backwards, NULL) == EINC_MPI_OK);
  for (int i = 0; i < 4; ++i) REQUIRE(memory[1][(3 - i) * stride] == 10 + i);
  munmap(memory[0], bytes);
  munmap(memory[1], bytes);
  return 1;
}

// A communicator in which ranks have other numbers.
static void other_communicator(void) {
  const int rank = test_rank;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &test_comm);
  MPI_Comm_rank(test_comm, &test_rank);
  const einc_mpi_layout from = line(100, 7, 0, 0, test_ranks), to = line(100, 1, 0, 0, test_ranks);
  uint64_t seed = 5;
  test_case("another communicator", test_move(3, &from, &to, 0, &seed));
  MPI_Comm_free(&test_comm);
  test_comm = MPI_COMM_WORLD;
  test_rank = rank;
}

int main(int argc, char **argv) {
  test_begin(&argc, &argv);
  few_elements(0);
  few_elements(1);
  few_elements(3);
  few_elements(test_ranks);
  few_elements(40);
  test_case("a tensor of rank 0", scalar());
  test_case("a tensor of rank 32", many_dimensions());
  test_case("copies share the work", copies_share());
  test_case("nothing to send", nothing_to_send());
  test_case("far rows", far_rows());
  other_communicator();
  return test_end();
}
