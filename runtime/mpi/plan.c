/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/internal.h"

// --- copies --------------------------------------------------------------------------------------

/*
 * Where a tensor does not go over a dimension of its grid, the processes along that have copies. Each
 * process that wants elements takes all of them from one set of copies: its own, if it has one.
 */
typedef struct {
  int processes; /* of the grid */
  int copies;
  int is_used[EINC_MAX_RANK]; /* dimensions of the grid */
} copy_sets;

static copy_sets sets_of(const einc_mpi_layout *layout) {
  copy_sets result = {einc_mpi_processes(&layout->grid), 1, {0}};
  for (int d = 0; d < layout->rank; ++d) {
    const int over = layout->dimensions[d].over;
    if (over >= 0) result.is_used[over] = 1;
  }
  for (int d = 0; d < layout->grid.rank; ++d) {
    if (!result.is_used[d]) result.copies *= layout->grid.sizes[d];
  }
  return result;
}

// Which copy the process at these coordinates belongs to.
static int copy_at(const copy_sets *sets, const einc_mpi_grid *grid, const int *coordinates) {
  int copy = 0;
  for (int d = 0; d < grid->rank; ++d) {
    if (!sets->is_used[d]) copy = copy * grid->sizes[d] + coordinates[d];
  }
  return copy;
}

// Which copy `process` takes from. Those beyond the grid, which have none, take turns.
static int copy_for(const copy_sets *sets, const einc_mpi_grid *grid, int process) {
  int coordinates[EINC_MAX_RANK];
  if (process >= sets->processes) return process % sets->copies;
  einc_mpi_coordinates(grid, process, coordinates);
  return copy_at(sets, grid, coordinates);
}

// --- plans ---------------------------------------------------------------------------------------

static einc_mpi_status allocate(int processes, einc_mpi_plan *plan) {
  const size_t count = (size_t)processes;
  const size_t types = 2 * count * sizeof(MPI_Datatype), ints = 3 * count * sizeof(int);
  char *const memory = malloc(types + ints);
  if (memory == NULL) return EINC_MPI_OUT_OF_MEMORY;
  plan->send_types = (MPI_Datatype *)memory;
  plan->receive_types = plan->send_types + count;
  plan->send_counts = (int *)(memory + types);
  plan->receive_counts = plan->send_counts + count;
  plan->offsets = plan->receive_counts + count;
  memset(plan->send_counts, 0, ints);
  for (size_t i = 0; i < count; ++i) plan->send_types[i] = plan->receive_types[i] = MPI_BYTE;
  plan->processes = processes;
  return EINC_MPI_OK;
}

// What `own` shares with the process at the other coordinates: one, or nothing.
static einc_mpi_status fill(const einc_mpi_block *own, const int *own_coordinates,
                            const einc_mpi_layout *other, const int *other_coordinates,
                            size_t element_bytes, int *count, MPI_Datatype *type) {
  MPI_Datatype shared;
  const einc_mpi_status status =
      einc_mpi_shared_type(own, own_coordinates, other, other_coordinates, element_bytes, &shared);
  if (status != EINC_MPI_OK || shared == MPI_DATATYPE_NULL) return status;
  *count = 1;
  *type = shared;
  return EINC_MPI_OK;
}

static einc_mpi_status plan_sends(const einc_mpi_block *from, const einc_mpi_layout *to,
                                  size_t element_bytes, int process, einc_mpi_plan *plan) {
  const einc_mpi_grid *grid = &from->layout->grid;
  const copy_sets sets = sets_of(from->layout);
  if (process >= sets.processes) return EINC_MPI_OK;
  int here[EINC_MAX_RANK], there[EINC_MAX_RANK];
  einc_mpi_coordinates(grid, process, here);
  const int copy = copy_at(&sets, grid, here);
  const int receivers = einc_mpi_processes(&to->grid);
  einc_mpi_status status = EINC_MPI_OK;
  for (int i = 0; i < receivers && status == EINC_MPI_OK; ++i) {
    if (copy_for(&sets, grid, i) != copy) continue;
    einc_mpi_coordinates(&to->grid, i, there);
    status =
        fill(from, here, to, there, element_bytes, &plan->send_counts[i], &plan->send_types[i]);
  }
  return status;
}

static einc_mpi_status plan_receives(const einc_mpi_layout *from, const einc_mpi_block *to,
                                     size_t element_bytes, int process, einc_mpi_plan *plan) {
  const copy_sets sets = sets_of(from);
  int here[EINC_MAX_RANK], there[EINC_MAX_RANK];
  if (einc_mpi_coordinates(&to->layout->grid, process, here) != EINC_MPI_OK) return EINC_MPI_OK;
  const int copy = copy_for(&sets, &from->grid, process);
  einc_mpi_status status = EINC_MPI_OK;
  for (int i = 0; i < sets.processes && status == EINC_MPI_OK; ++i) {
    einc_mpi_coordinates(&from->grid, i, there);
    if (copy_at(&sets, &from->grid, there) != copy) continue;
    status = fill(to, here, from, there, element_bytes, &plan->receive_counts[i],
                  &plan->receive_types[i]);
  }
  return status;
}

einc_mpi_status einc_mpi_plan_make(const einc_mpi_block *from, const einc_mpi_block *to,
                                   size_t element_bytes, int process, int processes,
                                   einc_mpi_plan *plan) {
  const einc_mpi_plan none = {0, NULL, NULL, NULL, NULL, NULL};
  *plan = none;
  einc_mpi_status status = allocate(processes, plan);
  if (status == EINC_MPI_OK) status = plan_sends(from, to->layout, element_bytes, process, plan);
  if (status == EINC_MPI_OK) status = plan_receives(from->layout, to, element_bytes, process, plan);
  return status;
}

einc_mpi_status einc_mpi_plan_free(einc_mpi_plan *plan) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < plan->processes; ++i) {
    if (plan->send_counts[i] > 0 && MPI_Type_free(&plan->send_types[i]) != MPI_SUCCESS) error = 1;
    if (plan->receive_counts[i] > 0 && MPI_Type_free(&plan->receive_types[i]) != MPI_SUCCESS) {
      error = 1;
    }
  }
  free(plan->send_types);
  return error == MPI_SUCCESS ? EINC_MPI_OK : EINC_MPI_MPI_FAILED;
}
