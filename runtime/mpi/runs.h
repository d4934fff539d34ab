/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Which elements of a dimension a process shares with another one, in another layout (not
 * installed; C99). Both find the same elements in the same order: that of the tensor.
 */
#ifndef EINC_RUNTIME_MPI_RUNS_H_
#define EINC_RUNTIME_MPI_RUNS_H_

#include "runtime/mpi/axis.h"

/* Elements start, start + 1, ... of those that the process has. */
typedef struct {
  int64_t start, count;
} einc_mpi_run;

/*
 * The first `head` runs, `periods` times, each time `advance` elements further on; then those
 * behind, once. Layouts go round, and so does what they share.
 */
typedef struct {
  int64_t head, count, periods, advance;
  int64_t capacity;
  einc_mpi_run *runs;
} einc_mpi_runs;

/*
 * What `own` shares with `other`, an axis of the same size, as runs of `own`. Reuses the memory of
 * runs->runs (null at first), which the caller frees. Returns 0 if there is no memory, else 1.
 */
int einc_mpi_runs_find(const einc_mpi_axis *own, const einc_mpi_axis *other, einc_mpi_runs *runs);

#endif /* EINC_RUNTIME_MPI_RUNS_H_ */
