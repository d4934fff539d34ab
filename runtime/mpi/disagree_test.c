/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks that are wrong, each in its way: all return one status and know who it was, nothing is
 * written, and the next redistribution is a good one. disagree_test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/test_util.h"

// The arguments of a redistribution, good until something is changed.
typedef struct {
  size_t element_bytes;
  einc_mpi_layout from, to;
  const einc_mpi_layout *from_layout, *to_layout;
  int64_t from_strides[2], to_strides[2];
  const int64_t *read_strides, *write_strides;
  unsigned char memory[4096];
  unsigned char *read, *written;
} arguments;

// 6 x 5 elements of two bytes, whole on all ranks, in another order of the dimensions then.
static void make_good(arguments *a) {
  memset(a, 0, sizeof(*a));
  memset(a->memory, 0xab, sizeof(a->memory));
  const einc_mpi_layout whole = {
      2, {{6, 1, -1, 0}, {5, 1, -1, 0}}, {2, EINC_MPI_ROW_MAJOR, {test_ranks, 1}}};
  a->element_bytes = 2;
  a->from = a->to = whole;
  a->from_layout = &a->from;
  a->to_layout = &a->to;
  a->from_strides[0] = 5;
  a->from_strides[1] = a->to_strides[0] = 1;
  a->to_strides[1] = 6;
  a->read_strides = a->from_strides;
  a->write_strides = a->to_strides;
  a->read = a->memory + 1024;
  a->written = a->memory + 2048;
}

static einc_mpi_status call(arguments *a, einc_mpi_failure *failure) {
  return einc_mpi_redistribute(test_comm, a->element_bytes, a->from_layout, a->read,
                               a->read_strides, a->to_layout, a->written, a->write_strides,
                               failure);
}

// --- what a rank does wrong ----------------------------------------------------------------------

#define WRONG(name, change) \
  static void name(arguments *a) { change; }

WRONG(no_from, a->from_layout = NULL)
WRONG(no_to, a->to_layout = NULL)
WRONG(no_read_strides, a->read_strides = NULL)
WRONG(no_write_strides, a->write_strides = NULL)
WRONG(no_read, a->read = NULL)
WRONG(no_written, a->written = NULL)
WRONG(no_bytes, a->element_bytes = 0)
WRONG(many_bytes, a->element_bytes = (size_t)1 << 31)
WRONG(long_strides, a->from_strides[0] = INT64_MAX)
WRONG(below_zero, a->from_strides[0] = INT64_MIN / 16)
WRONG(flat, a->to_strides[0] = 0)
WRONG(crossing, a->to_strides[1] = 2)
WRONG(same_memory, a->written = a->read)
WRONG(near_memory, a->written = a->read + 59)
WRONG(low_rank, a->from.rank = -1)
WRONG(high_rank, a->to.rank = 33)
WRONG(high_grid, a->to.grid.rank = 33)
WRONG(negative, a->from.dimensions[1].size = -1)
WRONG(no_block, a->from.dimensions[0].over = 0; a->from.dimensions[0].block = 0)
WRONG(no_order, a->to.grid.order = 2)
WRONG(no_process, a->to.grid.sizes[1] = 0)
WRONG(huge_grid, a->to.grid.sizes[0] = a->to.grid.sizes[1] = 1 << 16)
WRONG(over_nothing, a->to.dimensions[1].over = 2)
WRONG(over_minus_two, a->to.dimensions[1].over = -2)
WRONG(over_same, a->to.dimensions[0].over = a->to.dimensions[1].over = 1)
WRONG(first_beyond, a->to.dimensions[0].over = 1; a->to.dimensions[0].first = 1)
WRONG(first_negative, a->to.dimensions[0].over = 1; a->to.dimensions[0].first = -1)
WRONG(other_size, a->to.dimensions[1].size = 6)
WRONG(other_rank, a->to.rank = 1)
WRONG(large_grid, a->to.grid.sizes[1] = 2)

WRONG(more_bytes, a->element_bytes = 3)
WRONG(other_sizes, a->from.dimensions[0].size = a->to.dimensions[0].size = 4)
WRONG(other_ranks, a->from.rank = a->to.rank = 1)
WRONG(other_block, a->from.dimensions[0].over = 1; a->from.dimensions[0].block = 2)
WRONG(other_order, a->to.grid.order = 1)
WRONG(other_grid, a->from.grid.rank = 1)
WRONG(both_others, a->element_bytes = 1; a->to.grid.order = 1)
WRONG(nothing, a->from.dimensions[0].block = -7; a->from.dimensions[0].first = 99)

typedef struct {
  const char *name;
  void (*change)(arguments *);
  einc_mpi_status status;
  int is_comparison; /* with rank 0: nobody is wrong alone */
} wrong;

#define ALONE(name, status) {#name, name, EINC_MPI_##status, 0}
#define COMPARED(name, status) {#name, name, EINC_MPI_##status, 1}

static const wrong wrongs[] = {
    ALONE(no_from, NULL_ARGUMENT),
    ALONE(no_to, NULL_ARGUMENT),
    ALONE(no_read_strides, NULL_ARGUMENT),
    ALONE(no_write_strides, NULL_ARGUMENT),
    ALONE(no_read, NULL_DATA),
    ALONE(no_written, NULL_DATA),
    ALONE(no_bytes, BAD_ELEMENT),
    ALONE(many_bytes, BAD_ELEMENT),
    ALONE(long_strides, OVERFLOW),
    ALONE(below_zero, OVERFLOW),

    ALONE(flat, SELF_OVERLAP),
    ALONE(crossing, SELF_OVERLAP),
    ALONE(same_memory, ALIASED),
    ALONE(near_memory, ALIASED),
    ALONE(low_rank, BAD_RANK),
    ALONE(high_rank, BAD_RANK),
    ALONE(high_grid, BAD_RANK),
    ALONE(negative, NEGATIVE_SIZE),
    ALONE(no_block, BAD_BLOCK),
    ALONE(no_order, BAD_GRID),
    ALONE(no_process, BAD_GRID),
    ALONE(huge_grid, BAD_GRID),
    ALONE(over_nothing, BAD_OVER),
    ALONE(over_minus_two, BAD_OVER),
    ALONE(over_same, SHARED_OVER),
    ALONE(first_beyond, BAD_FIRST),
    ALONE(first_negative, BAD_FIRST),
    ALONE(other_size, SIZE_MISMATCH),
    ALONE(other_rank, SIZE_MISMATCH),
    ALONE(large_grid, GRID_TOO_LARGE),
    COMPARED(more_bytes, OTHER_ELEMENT),
    COMPARED(other_sizes, OTHER_LAYOUTS),
    COMPARED(other_ranks, OTHER_LAYOUTS),
    COMPARED(other_block, OTHER_LAYOUTS),
    COMPARED(other_order, OTHER_LAYOUTS),
    COMPARED(other_grid, OTHER_LAYOUTS),
    COMPARED(both_others, OTHER_ELEMENT),
    COMPARED(nothing, OK),
};

// --- the cases -----------------------------------------------------------------------------------

static int is_untouched(const arguments *a) {
  for (size_t i = 0; i < sizeof(a->memory); ++i) {
    if (a->memory[i] != 0xab) return 0;
  }
  return 1;
}

static int says_who(const einc_mpi_failure *failure) {
  char text[EINC_MPI_SENTENCE], wanted[EINC_MPI_SENTENCE], part[8];
  snprintf(wanted, sizeof(wanted), "rank %d: %s", failure->rank,
           einc_mpi_status_string(failure->status));
  REQUIRE(strlen(wanted) < EINC_MPI_SENTENCE - 1);
  REQUIRE(strcmp(einc_mpi_sentence(failure, text, sizeof(text)), wanted) == 0);
  REQUIRE(strncmp(einc_mpi_sentence(failure, part, sizeof(part)), wanted, 7) == 0 && part[7] == 0);
  return 1;
}

// Who is named where these two ranks, or only the first of them, are wrong.
static int named(const wrong *wrong, int first, int second) {
  if (!wrong->is_comparison || first > 0) return first;
  // Rank 0 is what the others are compared with: the first that is not as it is.
  if (test_ranks == 1) return -1;
  return second == 1 ? 2 : 1;
}

static int is_refused(const wrong *wrong, int first, int second) {
  arguments a;
  make_good(&a);
  if (test_rank == first || test_rank == second) wrong->change(&a);
  const int rank = named(wrong, first, second);
  const int is_good = wrong->status == EINC_MPI_OK || rank < 0 || rank >= test_ranks;
  einc_mpi_failure failure = {-9, -9};
  memset(&test_called, 0, sizeof(test_called));
  REQUIRE(call(&a, &failure) == (is_good ? EINC_MPI_OK : wrong->status));
  REQUIRE(failure.status == (is_good ? EINC_MPI_OK : wrong->status));
  REQUIRE(failure.rank == (is_good ? -1 : rank));
  REQUIRE(is_untouched(&a));
  REQUIRE(test_called.types == 0 && test_called.memory == 0);
  REQUIRE(test_called.exchanges == is_good);
  return is_good || says_who(&failure);
}

static int goes_on(void) {
  static uint64_t seed = 100;
  const int64_t sizes[3] = {7, 5, 3};
  const einc_mpi_layout from = test_draw_layout(&seed, 3, sizes, test_ranks);
  const einc_mpi_layout to = test_draw_layout(&seed, 3, sizes, test_ranks);
  return test_move(4, &from, &to, 0, &seed);
}

static void wrong_ranks(const wrong *wrong) {
  const int last = test_ranks - 1;
  const int pairs[4][2] = {{0, 0}, {last, last}, {last / 2, last}, {0, last > 0 ? 1 : 0}};
  for (int i = 0; i < 4; ++i) {
    char name[96];
    snprintf(name, sizeof(name), "%s on ranks %d and %d", wrong->name, pairs[i][0], pairs[i][1]);
    test_case(name, is_refused(wrong, pairs[i][0], pairs[i][1]));
    snprintf(name, sizeof(name), "after %s", wrong->name);
    test_case(name, goes_on());
  }
}

// An argument that is wrong comes before one that differs, also on a higher rank.
static int wrong_and_other(void) {
  arguments a;
  make_good(&a);
  if (test_ranks < 3) return 1;
  if (test_rank == 1) more_bytes(&a);
  if (test_rank == 2) no_read(&a);
  einc_mpi_failure failure;
  REQUIRE(call(&a, &failure) == EINC_MPI_NULL_DATA && failure.rank == 2);
  return 1;
}

// A field of a layout of the last rank is another one: field 0 to 7 of `from`, then those of `to`.
static void change_field(einc_mpi_layout *layout, int field) {
  einc_mpi_dimension *const dimension = &layout->dimensions[0];
  if (field == 0) layout->rank = 1;
  if (field == 1) layout->dimensions[1].over = 1;
  if (field == 2) dimension->block = 3;
  if (field == 3) dimension->over = 1;
  if (field == 4) dimension->first = 1;
  if (field == 5) layout->grid.order = EINC_MPI_COLUMN_MAJOR;
  if (field == 6) layout->grid.rank = 3;
  if (field == 7) layout->grid.sizes[0] = 1;
}

static int is_another(int field) {
  arguments a;
  make_good(&a);
  const einc_mpi_layout good = {
      2, {{6, 2, 0, 0}, {1, 1, -1, 0}}, {2, EINC_MPI_ROW_MAJOR, {test_ranks, 1, 1}}};
  const int is_last = test_rank == test_ranks - 1;
  a.from = a.to = good;
  if (test_ranks < 2) return 1;
  if (is_last) change_field(field < 8 ? &a.from : &a.to, field % 8);
  // Both layouts are of one tensor, so of one rank.
  if (is_last && field % 8 == 0) a.from.rank = a.to.rank = 1;
  einc_mpi_failure failure;
  const einc_mpi_status status = call(&a, &failure);
  REQUIRE(status == EINC_MPI_OTHER_LAYOUTS);
  REQUIRE(failure.rank == test_ranks - 1 && is_untouched(&a));
  return 1;
}

static int communicators(void) {
  arguments a;
  make_good(&a);
  einc_mpi_failure failure = {5, 5};
  test_comm = MPI_COMM_NULL;
  const einc_mpi_status status = call(&a, &failure);
  test_comm = MPI_COMM_WORLD;
  REQUIRE(status == EINC_MPI_BAD_COMMUNICATOR && failure.status == status && failure.rank == -1);
  if (test_ranks < 2) return 1;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - test_rank % 2, 1, &test_comm);
  const einc_mpi_status between = call(&a, NULL);
  MPI_Comm_free(&test_comm);
  MPI_Comm_free(&half);
  test_comm = MPI_COMM_WORLD;
  REQUIRE(between == EINC_MPI_BAD_COMMUNICATOR && is_untouched(&a));
  return 1;
}

static int is_not_running(void) {
  arguments a;
  make_good(&a);
  einc_mpi_failure failure;
  test_comm = MPI_COMM_WORLD;
  return call(&a, &failure) == EINC_MPI_NOT_RUNNING && failure.rank == -1;
}

int main(int argc, char **argv) {
  test_ranks = 1;
  const int is_early = is_not_running();
  test_begin(&argc, &argv);
  test_case("before MPI_Init", is_early);
  for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); ++i) wrong_ranks(&wrongs[i]);
  test_case("a wrong argument and one that differs", wrong_and_other());
  for (int field = 0; field < 16; ++field) {
    char name[32];
    snprintf(name, sizeof(name), "field %d", field);
    test_case(name, is_another(field));
  }
  test_case("communicators", communicators());
  const int result = test_end();
  return is_not_running() ? result : 1;
}
