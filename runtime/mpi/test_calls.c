/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of MPI and of malloc as the tests see them: counted, and failing where a test wants it (MPI's
 * profiling interface; --wrap of the linker).
 */
#include <limits.h>
#include <stdlib.h>

#include "runtime/mpi/test_util.h"

test_calls test_called;
int test_types_left = INT_MAX, test_memory_left = INT_MAX, test_talks_left = INT_MAX;

static int may_go_on(int *left) { return *left == INT_MAX || (*left)-- > 0; }

// --- data ----------------------------------------------------------------------------------------

static int64_t bytes_of(int count, MPI_Datatype type) {
  MPI_Count bytes = 0;
  MPI_Type_size_x(type, &bytes);
  return (int64_t)count * (int64_t)bytes;
}

int MPI_Alltoallw(const void *sent, const int *send_counts, const int *send_offsets,
                  const MPI_Datatype *send_types, void *received, const int *receive_counts,
                  const int *receive_offsets, const MPI_Datatype *receive_types, MPI_Comm comm) {
  if (!may_go_on(&test_talks_left)) return MPI_ERR_OTHER;
  ++test_called.exchanges;
  for (int i = 0; i < test_ranks; ++i) {
    const int64_t out = bytes_of(send_counts[i], send_types[i]);
    const int64_t in = bytes_of(receive_counts[i], receive_types[i]);
    test_called.messages += i != test_rank && out > 0;
    if (i != test_rank) test_called.sent += out;
    *(i == test_rank ? &test_called.kept : &test_called.received) += in;
  }
  return PMPI_Alltoallw(sent, send_counts, send_offsets, send_types, received, receive_counts,
                        receive_offsets, receive_types, comm);
}

int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return may_go_on(&test_talks_left) ? PMPI_Allreduce(sent, received, count, type, op, comm)
                                     : MPI_ERR_OTHER;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return may_go_on(&test_talks_left) ? PMPI_Bcast(data, count, type, root, comm) : MPI_ERR_OTHER;
}

// --- datatypes -----------------------------------------------------------------------------------

// A function that makes a datatype: counts it, or fails.
static int made(int error) {
  test_called.types += error == MPI_SUCCESS;
  return error;
}

#define MADE(call) may_go_on(&test_types_left) ? made(call) : MPI_ERR_NO_MEM

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type) {
  return MADE(PMPI_Type_contiguous(count, old, type));
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint step, MPI_Datatype old,
                            MPI_Datatype *type) {
  return MADE(PMPI_Type_create_hvector(count, length, step, old, type));
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint *offsets, MPI_Datatype old,
                                   MPI_Datatype *type) {
  return MADE(PMPI_Type_create_hindexed_block(count, length, offsets, old, type));
}

int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *offsets,
                           const MPI_Datatype *types, MPI_Datatype *type) {
  return MADE(PMPI_Type_create_struct(count, lengths, offsets, types, type));
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint low, MPI_Aint extent, MPI_Datatype *type) {
  return MADE(PMPI_Type_create_resized(old, low, extent, type));
}

int MPI_Type_commit(MPI_Datatype *type) {
  return may_go_on(&test_types_left) ? PMPI_Type_commit(type) : MPI_ERR_NO_MEM;
}

int MPI_Type_free(MPI_Datatype *type) {
  --test_called.types;
  return PMPI_Type_free(type);
}

// --- memory --------------------------------------------------------------------------------------

void *__real_malloc(size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes) {
  if (!may_go_on(&test_memory_left)) return NULL;
  ++test_called.memory;
  return __real_malloc(bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  if (!may_go_on(&test_memory_left)) return NULL;
  test_called.memory += memory == NULL;
  return __real_realloc(memory, bytes);
}

void __wrap_free(void *memory) {
  test_called.memory -= memory != NULL;
  __real_free(memory);
}
