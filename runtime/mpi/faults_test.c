/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call that can fail on one rank fails there once: memory, datatypes. All ranks hear of it,
 * nothing is written, no datatype is left. faults_test.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/mpi/test_util.h"

typedef struct {
  const char *name;
  int *left;
  einc_mpi_status status;
} fault;

static const fault faults[] = {
    {"memory", &test_memory_left, EINC_MPI_OUT_OF_MEMORY},
    {"datatypes", &test_types_left, EINC_MPI_MPI_FAILED},
};

// Layouts whose shared elements are irregular, periodic with a rest, backwards, and single.
static void draw(uint64_t *seed, einc_mpi_layout *from, einc_mpi_layout *to) {
  const int64_t sizes[2] = {1 + test_draw(seed, 60), 1 + test_draw(seed, 30)};
  *from = test_draw_layout(seed, 2, sizes, test_ranks);
  *to = test_draw_layout(seed, 2, sizes, test_ranks);
}

// Returns whether all went as it should, and in *is_over whether nothing failed.
static int with_fault(const fault *fault, int rank, int left, uint64_t seed, int *is_over) {
  einc_mpi_layout from, to;
  draw(&seed, &from, &to);
  seed += (uint64_t)test_rank;
  test_block source = test_block_make(&from, 1, 0, &seed);
  test_block destination = test_block_make(&to, 1, 0, &seed);
  test_block_fill(&source, 0);
  unsigned char before[1 << 16];
  REQUIRE(destination.bytes <= sizeof(before));
  if (destination.bytes > 0) memcpy(before, destination.memory, destination.bytes);
  memset(&test_called, 0, sizeof(test_called));
  einc_mpi_failure failure;
  if (test_rank == rank) *fault->left = left;
  const einc_mpi_status status =
      einc_mpi_redistribute(test_comm, 1, &from, source.data, source.strides, &to, destination.data,
                            destination.strides, &failure);
  *fault->left = INT_MAX;
  *is_over = status == EINC_MPI_OK;
  REQUIRE(test_called.types == 0 && test_called.memory == 0);
  REQUIRE(test_block_is_right(&source, 0));
  if (*is_over) {
    REQUIRE(test_block_is_right(&destination, 0));
  } else {
    REQUIRE(status == fault->status && failure.status == status && failure.rank == rank);
    REQUIRE(test_called.exchanges == 0);
    if (destination.bytes > 0) REQUIRE(!memcmp(before, destination.memory, destination.bytes));
  }
  test_block_free(&source);
  test_block_free(&destination);
  return 1;
}

// Communication that fails: each rank says so.
static int talks(int left) {
  uint64_t seed = 7;
  einc_mpi_layout from, to;
  draw(&seed, &from, &to);
  test_block source = test_block_make(&from, 1, 0, &seed);
  test_block destination = test_block_make(&to, 1, 0, &seed);
  memset(&test_called, 0, sizeof(test_called));
  einc_mpi_failure failure;
  test_talks_left = left;
  const einc_mpi_status status =
      einc_mpi_redistribute(test_comm, 1, &from, source.data, source.strides, &to, destination.data,
                            destination.strides, &failure);
  test_talks_left = INT_MAX;
  test_block_free(&source);
  test_block_free(&destination);
  REQUIRE(status == EINC_MPI_MPI_FAILED && failure.status == status);
  REQUIRE(failure.rank == test_rank && test_called.types == 0);
  return 1;
}

int main(int argc, char **argv) {
  test_begin(&argc, &argv);
  for (int i = 0; i < 2; ++i) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const int rank = (int)(seed % (uint64_t)test_ranks);
      for (int left = 0, is_over = 0; !is_over; ++left) {
        char name[96];
        snprintf(name, sizeof(name), "%s of rank %d after %d calls, seed %d", faults[i].name, rank,
                 left, (int)seed);
        const int is_right = with_fault(&faults[i], rank, left, seed, &is_over);
        test_case(name, is_right);
        if (!is_right) is_over = 1;
        MPI_Allreduce(MPI_IN_PLACE, &is_over, 1, MPI_INT, MPI_MAX, test_comm);
      }
    }
  }
  test_case("the agreement fails", talks(0));
  test_case("the exchange fails", talks(1));
  return test_end();
}
