/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs share that the tests run under mpirun: layouts at random, blocks in strided
 * memory, a redistribution that is judged element by element, and calls of MPI that are counted and
 * can be made to fail.
 *
 *   int main(int argc, char **argv) {
 *     test_begin(&argc, &argv);
 *     test_case("what it is", is_right);       on all ranks; right if it is on all
 *     return test_end();                       rank 0 prints "N passed, N failed"
 *   }
 */
#ifndef EINC_RUNTIME_MPI_TEST_UTIL_H_
#define EINC_RUNTIME_MPI_TEST_UTIL_H_

#include "runtime/mpi/redistribute.h"

/* Where tensors are moved: MPI_COMM_WORLD, or another one of as many ranks. */
extern MPI_Comm test_comm;
extern int test_rank, test_ranks;

void test_begin(int *argc, char ***argv);
void test_case(const char *name, int is_right);
int test_end(void);

/* Prints where a condition does not hold, and leaves the function with 0. */
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      printf("rank %d: %s:%d: not %s\n", test_rank, __FILE__, __LINE__, #condition); \
      return 0;                                                                      \
    }                                                                                \
  } while (0)

/* --- at random -------------------------------------------------------------------------------- */

/* A number in 0..count - 1. */
int test_draw(uint64_t *seed, int count);

/* A tensor of these sizes on a grid of at most so many processes. */
einc_mpi_layout test_draw_layout(uint64_t *seed, int rank, const int64_t *sizes, int processes);

/* --- blocks ----------------------------------------------------------------------------------- */

/* What this rank has of a tensor, in memory of its own that is larger. */
typedef struct {
  const einc_mpi_layout *layout;
  int64_t sizes[EINC_MAX_RANK], strides[EINC_MAX_RANK];
  int64_t count;
  size_t element_bytes, bytes;
  unsigned char *memory, *data;
} test_block;

/*
 * With strides at random; 0 in the dimensions of `flat` (bits), along which all elements have one
 * value. All bytes are those of memory that nobody writes.
 */
test_block test_block_make(const einc_mpi_layout *layout, size_t element_bytes, unsigned flat,
                           uint64_t *seed);

/* Each element has its value: bytes that depend on its index in the tensor, but for `flat`. */
void test_block_fill(test_block *block, unsigned flat);

/* Whether the elements have their values, and all other bytes are what they were. */
int test_block_is_right(const test_block *block, unsigned flat);

void test_block_free(test_block *block);

/*
 * Moves a tensor, whose values are one along `flat`, and judges elements, bytes between them, bytes
 * over the network, and that no datatype is left. 1 if all is right.
 */
int test_move(size_t element_bytes, const einc_mpi_layout *from, const einc_mpi_layout *to,
              unsigned flat, uint64_t *seed);

/* --- calls of MPI ----------------------------------------------------------------------------- */

typedef struct {
  int exchanges;          /* calls of MPI_Alltoallw */
  int messages;           /* sent to other ranks */
  int64_t sent, received; /* bytes, to and from other ranks */
  int64_t kept;           /* bytes from itself */
  int types, memory;      /* that were made, or taken, and not freed */
} test_calls;

extern test_calls test_called;

/* How many calls may still succeed: of functions that make datatypes; of malloc and realloc; of
 * functions that communicate, which fail on all ranks at once. INT_MAX: all. */
extern int test_types_left, test_memory_left, test_talks_left;

#endif /* EINC_RUNTIME_MPI_TEST_UTIL_H_ */
