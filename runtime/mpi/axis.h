/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * One dimension of a tensor as one process sees it (not installed; C99). Both layouts of a
 * redistribution are compared an axis at a time: see runs.h.
 */
#ifndef EINC_RUNTIME_MPI_AXIS_H_
#define EINC_RUNTIME_MPI_AXIS_H_

#include <stdint.h>

#include "runtime/mpi/distribution.h"

/* Block number k belongs to the process whose `turn` is k % processes. */
typedef struct {
  int64_t size;
  int64_t block; /* in 1..max(size, 1) */
  int64_t processes;
  int64_t turn;
} einc_mpi_axis;

/* Dimension d of a layout that passes einc_mpi_check, on the process with these coordinates. */
einc_mpi_axis einc_mpi_axis_of(const einc_mpi_layout *layout, int d, const int *coordinates);

/* How many elements it has. */
int64_t einc_mpi_axis_count(const einc_mpi_axis *axis);

/* Element `index` of the tensor, counted among those of the process that has it. */
static inline int64_t einc_mpi_axis_local(const einc_mpi_axis *axis, int64_t index) {
  return index / axis->block / axis->processes * axis->block + index % axis->block;
}

/* And back. `local` is below einc_mpi_axis_count. */
static inline int64_t einc_mpi_axis_global(const einc_mpi_axis *axis, int64_t local) {
  const int64_t number = local / axis->block * axis->processes + axis->turn;
  return number * axis->block + local % axis->block;
}

#endif /* EINC_RUNTIME_MPI_AXIS_H_ */
