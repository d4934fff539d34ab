/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* What the sources of redistribution share (not installed; C99). */
#ifndef EINC_RUNTIME_MPI_INTERNAL_H_
#define EINC_RUNTIME_MPI_INTERNAL_H_

#include <limits.h>

#include "runtime/mpi/redistribute.h"

/* The most repetitions that one datatype has: MPI counts in ints. Tests take fewer. */
#ifndef EINC_MPI_MOST
#define EINC_MPI_MOST INT_MAX
#endif

/* --- agree.c ---------------------------------------------------------------------------------- */

/* What has to be the same on all ranks. */
typedef struct {
  uint64_t element_bytes, from, to; /* digests of the layouts */
} einc_mpi_terms;

/* A digest of all that means something in a layout that passes einc_mpi_check. */
uint64_t einc_mpi_digest(const einc_mpi_layout *layout);

/*
 * All ranks of `comm` learn whether all have EINC_MPI_OK and the same terms: else which is the
 * lowest rank that has not. Returns failure->status.
 */
einc_mpi_status einc_mpi_agree(MPI_Comm comm, einc_mpi_status own, const einc_mpi_terms *terms,
                               einc_mpi_failure *failure);

/* --- blocks.c --------------------------------------------------------------------------------- */

/* A layout with the memory of what this rank has of it. Only data of `to` are written. */
typedef struct {
  const einc_mpi_layout *layout;
  const void *data;
  const int64_t *strides;
} einc_mpi_block;

/* Whether both are in order, as they are on rank `process` of `processes`. */
einc_mpi_status einc_mpi_check_blocks(const einc_mpi_block *from, const einc_mpi_block *to,
                                      size_t element_bytes, int process, int processes);

/* --- datatypes.c ------------------------------------------------------------------------------ */

/*
 * The elements of `own`, on the process at own_coordinates, that the process at other_coordinates
 * has in the layout `other`: as a datatype from the data of `own` on, in row-major order of the
 * tensor. MPI_DATATYPE_NULL if there are none. Committed; the caller frees it.
 */
einc_mpi_status einc_mpi_shared_type(const einc_mpi_block *own, const int *own_coordinates,
                                     const einc_mpi_layout *other, const int *other_coordinates,
                                     size_t element_bytes, MPI_Datatype *type);

/* --- plan.c ----------------------------------------------------------------------------------- */

/* What this rank sends to each rank and gets from it: arguments of MPI_Alltoallw. */
typedef struct {
  int processes;
  int *send_counts, *receive_counts; /* 0 or 1 */
  int *offsets;                      /* 0 */
  MPI_Datatype *send_types, *receive_types;
} einc_mpi_plan;

/* To be freed, whatever it returns. */
einc_mpi_status einc_mpi_plan_make(const einc_mpi_block *from, const einc_mpi_block *to,
                                   size_t element_bytes, int process, int processes,
                                   einc_mpi_plan *plan);

/* Returns a status, as MPI may fail here, too. */
einc_mpi_status einc_mpi_plan_free(einc_mpi_plan *plan);

#endif /* EINC_RUNTIME_MPI_INTERNAL_H_ */
