/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a dense tensor from one layout over the ranks of a communicator to another.
 *
 *   einc_mpi_failure failure;
 *   char text[EINC_MPI_SENTENCE];
 *   if (einc_mpi_redistribute(comm, sizeof(double), &rows, a, a_strides, &cyclic, b, b_strides,
 *                             &failure) != EINC_MPI_OK) {
 *     fprintf(stderr, "%s\n", einc_mpi_sentence(&failure, text, sizeof(text)));
 *   }
 *
 * Programs in C++ that do not link MPI's C++ functions define OMPI_SKIP_MPICXX and MPICH_SKIP_MPICXX
 * before this header, or before <mpi.h>.
 */
#ifndef EINC_RUNTIME_MPI_REDISTRIBUTE_H_
#define EINC_RUNTIME_MPI_REDISTRIBUTE_H_

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/mpi/distribution.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who was wrong, and how: the same on all ranks. */
typedef struct {
  int rank; /* the lowest that was; -1: none, or nobody knows */
  einc_mpi_status status;
} einc_mpi_failure;

/*
 * Writes "rank 3: its layouts are not those of rank 0" into text[capacity], cut where it is too
 * long, and returns text. All sentences fit into EINC_MPI_SENTENCE.
 */
const char *einc_mpi_sentence(const einc_mpi_failure *failure, char *text, size_t capacity);
#define EINC_MPI_SENTENCE 160

/*
 * A collective function: all ranks of `comm` call it, with the same layouts and the same
 * element_bytes. Each passes where it has its own element (0, ..., 0) and strides[rank of the tensor],
 * which count elements and may be negative, those that are read also 0. Data and strides may be null
 * where a rank has no elements. `failure` may be null.
 *
 * Copies: where the source has some, they share the work; where the destination has, all get it.
 * A rank never asks others for what it has itself. There is at most one message between two ranks,
 * and memory between the strides is not touched. Elements travel in row-major order of the tensor,
 * so it is fastest if those of the last dimension lie beside each other.
 *
 * Errors. Before any data moves, all ranks agree that there is none: else all return the same status
 * and have written nothing, whichever of them was wrong. First, without a word to others:
 * NOT_RUNNING, BAD_COMMUNICATOR. Then, agreed on: NULL_ARGUMENT, NULL_DATA, BAD_ELEMENT, OVERFLOW,
 * SELF_OVERLAP, ALIASED (the two blocks of a rank, each from its first to its last byte); what
 * einc_mpi_check returns; SIZE_MISMATCH, GRID_TOO_LARGE, OTHER_ELEMENT, OTHER_LAYOUTS,
 * OUT_OF_MEMORY, MPI_FAILED.
 *
 * What MPI does on errors of its own is what the program told it to (MPI_Comm_set_errhandler, of
 * `comm`, and of MPI_COMM_WORLD for datatypes). Where that is to return, they become MPI_FAILED.
 * From communication, only ranks that saw the error return it, and `failure` has their own rank.
 *
 * Threads: as MPI has it for collective functions on `comm`.
 */
einc_mpi_status einc_mpi_redistribute(MPI_Comm comm, size_t element_bytes,
                                      const einc_mpi_layout *from, const void *from_data,
                                      const int64_t *from_strides, const einc_mpi_layout *to,
                                      void *to_data, const int64_t *to_strides,
                                      einc_mpi_failure *failure);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_MPI_REDISTRIBUTE_H_ */
