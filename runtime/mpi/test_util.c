/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/test_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MPI_Comm test_comm;
int test_rank, test_ranks;
static int passed, failed;

void test_begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  test_comm = MPI_COMM_WORLD;
  MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &test_ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void test_case(const char *name, int is_right) {
  int all = 0;
  MPI_Allreduce(&is_right, &all, 1, MPI_INT, MPI_MIN, test_comm);
  ++*(all ? &passed : &failed);
  if (!all && test_rank == 0) printf("FAILED on %d ranks: %s\n", test_ranks, name);
}

int test_end(void) {
  if (test_rank == 0) printf("%d passed, %d failed\n", passed, failed);
  MPI_Finalize();
  return failed == 0 && passed > 0 ? 0 : 1;
}

// --- at random -----------------------------------------------------------------------------------

static uint64_t scrambled(uint64_t value) {
  value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
  return value ^ value >> 31;
}

int test_draw(uint64_t *seed, int count) {
  *seed += UINT64_C(0x9e3779b97f4a7c15);
  return (int)(scrambled(*seed) % (uint64_t)count);
}

static einc_mpi_grid draw_grid(uint64_t *seed, int processes) {
  einc_mpi_grid grid = {0};
  grid.rank = test_draw(seed, 5);
  grid.order = test_draw(seed, 2);
  int left = processes;
  for (int d = 0; d < grid.rank; ++d) {
    grid.sizes[d] = 1 + test_draw(seed, left);
    left /= grid.sizes[d];
  }
  return grid;
}

einc_mpi_layout test_draw_layout(uint64_t *seed, int rank, const int64_t *sizes, int processes) {
  einc_mpi_layout layout = {0};
  layout.rank = rank;
  layout.grid = draw_grid(seed, processes);
  int is_taken[EINC_MAX_RANK] = {0};
  for (int d = 0; d < rank; ++d) {
    einc_mpi_dimension *dimension = &layout.dimensions[d];
    dimension->size = sizes[d];
    dimension->over = test_draw(seed, layout.grid.rank + 1) - 1;
    if (dimension->over >= 0 && is_taken[dimension->over]++) dimension->over = -1;
    if (dimension->over < 0) continue;
    const int processes_there = layout.grid.sizes[dimension->over];
    dimension->first = test_draw(seed, processes_there);
    dimension->block = 1 + test_draw(seed, test_draw(seed, 2) ? 4 : (int)sizes[d] + 2);
    if (test_draw(seed, 4) == 0) dimension->block = einc_mpi_even_block(sizes[d], processes_there);
    if (test_draw(seed, 16) == 0) dimension->block = INT64_MAX;
  }
  return layout;
}

// --- blocks --------------------------------------------------------------------------------------

#define UNTOUCHED 0xe7

// Strides in elements, in some order of the dimensions, with gaps. Returns how far they reach.
static int64_t draw_strides(test_block *block, int rank, unsigned flat, uint64_t *seed) {
  int64_t pitch = 1 + test_draw(seed, 2);
  unsigned done = 0;
  for (int n = 0; n < rank; ++n) {
    int d = test_draw(seed, 2) ? rank - 1 - n : test_draw(seed, rank);
    while (done >> d & 1) d = (d + 1) % rank;
    done |= 1u << d;
    block->strides[d] = pitch;
    if (block->sizes[d] <= 1 && test_draw(seed, 2)) {
      block->strides[d] = test_draw(seed, 2) ? INT64_MAX : -3;  // means nothing
    } else if (flat >> d & 1) {
      block->strides[d] = 0;
    } else {
      if (test_draw(seed, 3) == 0) block->strides[d] = -pitch;
      pitch = pitch * (block->sizes[d] > 0 ? block->sizes[d] : 1) + test_draw(seed, 3);
    }
  }
  return pitch;
}

test_block test_block_make(const einc_mpi_layout *layout, size_t element_bytes, unsigned flat,
                           uint64_t *seed) {
  test_block block = {0};
  block.layout = layout;
  block.element_bytes = element_bytes;
  block.count = test_rank < einc_mpi_processes(&layout->grid);
  einc_mpi_local_sizes(layout, test_rank, block.sizes);
  for (int d = 0; d < layout->rank; ++d) block.count *= block.sizes[d];
  const int64_t reach = draw_strides(&block, layout->rank, flat, seed);
  if (block.count == 0) return block;
  int64_t start = 1 + test_draw(seed, 3);
  block.bytes = (size_t)(reach + 2 * start) * element_bytes;
  for (int d = 0; d < layout->rank; ++d) {
    if (block.sizes[d] > 1 && block.strides[d] < 0)
      start -= (block.sizes[d] - 1) * block.strides[d];
  }
  block.memory = malloc(block.bytes);
  block.data = block.memory + (size_t)start * element_bytes;
  memset(block.memory, UNTOUCHED, block.bytes);
  return block;
}

// Element number `n` of the block: where it lies.
static unsigned char *element(const test_block *block, int64_t n, int64_t *index) {
  int64_t offset = 0;
  for (int d = block->layout->rank - 1; d >= 0; --d) {
    index[d] = n % block->sizes[d];
    n /= block->sizes[d];
    if (index[d] > 0) offset += index[d] * block->strides[d];
  }
  return block->data + offset * (int64_t)block->element_bytes;
}

void test_block_fill(test_block *block, unsigned flat) {
  int64_t index[EINC_MAX_RANK];
  for (int64_t n = 0; n < block->count; ++n) {
    unsigned char *const at = element(block, n, index);
    uint64_t number = 0;
    einc_mpi_global_index(block->layout, test_rank, index, index);
    for (int d = 0; d < block->layout->rank; ++d) {
      number = number * (uint64_t)block->layout->dimensions[d].size;
      if (!(flat >> d & 1)) number += (uint64_t)index[d];
    }
    for (size_t i = 0; i < block->element_bytes; ++i) {
      at[i] = (unsigned char)scrambled(number * 1000 + i);
    }
  }
}

int test_block_is_right(const test_block *block, unsigned flat) {
  if (block->count == 0) return 1;
  test_block wanted = *block;
  wanted.memory = malloc(block->bytes);
  wanted.data = wanted.memory + (block->data - block->memory);
  memset(wanted.memory, UNTOUCHED, block->bytes);
  test_block_fill(&wanted, flat);
  const int is_right = memcmp(wanted.memory, block->memory, block->bytes) == 0;
  free(wanted.memory);
  return is_right;
}

void test_block_free(test_block *block) { free(block->memory); }

// --- a redistribution ----------------------------------------------------------------------------

static int has(const einc_mpi_layout *layout, const int64_t *index) {
  int coordinates[EINC_MAX_RANK];
  if (einc_mpi_coordinates(&layout->grid, test_rank, coordinates) != EINC_MPI_OK) return 0;
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_dimension *dimension = &layout->dimensions[d];
    if (dimension->over < 0) continue;
    const int64_t turn = index[d] / dimension->block + dimension->first;
    if (turn % layout->grid.sizes[dimension->over] != coordinates[dimension->over]) return 0;
  }
  return 1;
}

// How many elements of the block this rank does not have in the other layout.
static int64_t lacking(const test_block *block, const einc_mpi_layout *other) {
  int64_t index[EINC_MAX_RANK], count = 0;
  for (int64_t n = 0; n < block->count; ++n) {
    element(block, n, index);
    einc_mpi_global_index(block->layout, test_rank, index, index);
    count += !has(other, index);
  }
  return count;
}

static int calls_are_right(const test_block *to, const einc_mpi_layout *from) {
  const int64_t bytes = (int64_t)to->element_bytes, from_others = lacking(to, from) * bytes;
  int64_t here[2] = {test_called.sent, test_called.received}, all[2];
  MPI_Allreduce(here, all, 2, MPI_INT64_T, MPI_SUM, test_comm);
  REQUIRE(all[0] == all[1]);
  REQUIRE(test_called.exchanges == 1);
  REQUIRE(test_called.messages < test_ranks);
  REQUIRE(test_called.received == from_others);
  REQUIRE(test_called.kept == to->count * bytes - from_others);
  REQUIRE(test_called.types == 0 && test_called.memory == 0);
  return 1;
}

int test_move(size_t element_bytes, const einc_mpi_layout *from, const einc_mpi_layout *to,
              unsigned flat, uint64_t *seed) {
  uint64_t own = *seed + 1000003 * (uint64_t)test_rank;
  test_block source = test_block_make(from, element_bytes, flat, &own);
  test_block destination = test_block_make(to, element_bytes, 0, &own);
  test_block_fill(&source, flat);
  const int64_t *const no_strides = NULL;
  einc_mpi_failure failure = {7, 7};
  memset(&test_called, 0, sizeof(test_called));
  const einc_mpi_status status = einc_mpi_redistribute(
      test_comm, element_bytes, from, source.data, source.count > 0 ? source.strides : no_strides,
      to, destination.data, destination.count > 0 ? destination.strides : no_strides, &failure);
  char text[EINC_MPI_SENTENCE];
  int is_right = status == EINC_MPI_OK && failure.status == status && failure.rank == -1;
  if (!is_right && test_rank == 0) puts(einc_mpi_sentence(&failure, text, sizeof(text)));
  if (is_right) is_right = calls_are_right(&destination, from);
  const int is_kept = test_block_is_right(&source, flat);
  const int is_there = test_block_is_right(&destination, flat);
  if (!is_kept || !is_there)
    printf("rank %d: what is %s is wrong\n", test_rank, is_kept ? "written" : "read");
  is_right = is_right && is_kept && is_there;
  test_block_free(&source);
  test_block_free(&destination);
  return is_right;
}
