/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/distribution.h"

#include <limits.h>

#include "runtime/mpi/axis.h"

int64_t einc_mpi_even_block(int64_t size, int processes) {
  const int64_t block = size / processes + (size % processes != 0);
  return block > 0 ? block : 1;
}

// --- layouts -------------------------------------------------------------------------------------

static einc_mpi_status check_grid(const einc_mpi_grid *grid) {
  if (grid->rank < 0 || grid->rank > EINC_MAX_RANK) return EINC_MPI_BAD_RANK;
  if (grid->order != EINC_MPI_ROW_MAJOR && grid->order != EINC_MPI_COLUMN_MAJOR) {
    return EINC_MPI_BAD_GRID;
  }
  int processes = 1;
  for (int d = 0; d < grid->rank; ++d) {
    if (grid->sizes[d] < 1 || grid->sizes[d] > INT_MAX / processes) return EINC_MPI_BAD_GRID;
    processes *= grid->sizes[d];
  }
  return EINC_MPI_OK;
}

static einc_mpi_status check_dimension(const einc_mpi_dimension *dimension,
                                       const einc_mpi_grid *grid) {
  if (dimension->size < 0) return EINC_MPI_NEGATIVE_SIZE;
  if (dimension->over < -1 || dimension->over >= grid->rank) return EINC_MPI_BAD_OVER;
  if (dimension->over == -1) return EINC_MPI_OK;
  if (dimension->block < 1) return EINC_MPI_BAD_BLOCK;
  const int is_there = dimension->first >= 0 && dimension->first < grid->sizes[dimension->over];
  return is_there ? EINC_MPI_OK : EINC_MPI_BAD_FIRST;
}

einc_mpi_status einc_mpi_check(const einc_mpi_layout *layout) {
  if (layout->rank < 0 || layout->rank > EINC_MAX_RANK) return EINC_MPI_BAD_RANK;
  einc_mpi_status status = check_grid(&layout->grid);
  if (status != EINC_MPI_OK) return status;
  int is_taken[EINC_MAX_RANK] = {0};
  for (int d = 0; d < layout->rank; ++d) {
    status = check_dimension(&layout->dimensions[d], &layout->grid);
    if (status != EINC_MPI_OK) return status;
    const int over = layout->dimensions[d].over;
    if (over >= 0 && is_taken[over]++) return EINC_MPI_SHARED_OVER;
  }
  return EINC_MPI_OK;
}

// --- processes -----------------------------------------------------------------------------------

int einc_mpi_processes(const einc_mpi_grid *grid) {
  int processes = 1;
  for (int d = 0; d < grid->rank; ++d) processes *= grid->sizes[d];
  return processes;
}

// The dimension of the grid whose coordinate is the n-th fastest.
static int fastest(const einc_mpi_grid *grid, int n) {
  return grid->order == EINC_MPI_ROW_MAJOR ? grid->rank - 1 - n : n;
}

einc_mpi_status einc_mpi_coordinates(const einc_mpi_grid *grid, int process, int *coordinates) {
  if (process < 0 || process >= einc_mpi_processes(grid)) return EINC_MPI_OUT_OF_RANGE;
  for (int n = 0; n < grid->rank; ++n) {
    const int d = fastest(grid, n);
    coordinates[d] = process % grid->sizes[d];
    process /= grid->sizes[d];
  }
  return EINC_MPI_OK;
}

einc_mpi_status einc_mpi_process_at(const einc_mpi_grid *grid, const int *coordinates,
                                    int *process) {
  int result = 0;
  for (int n = grid->rank - 1; n >= 0; --n) {
    const int d = fastest(grid, n);
    if (coordinates[d] < 0 || coordinates[d] >= grid->sizes[d]) return EINC_MPI_OUT_OF_RANGE;
    result = result * grid->sizes[d] + coordinates[d];
  }
  *process = result;
  return EINC_MPI_OK;
}

// --- axes ----------------------------------------------------------------------------------------

static einc_mpi_axis axis(int64_t size, int64_t block, int coordinate, int first, int processes) {
  // A single process has one block: so its elements are found in one step.
  const int64_t all = size > 0 ? size : 1;
  einc_mpi_axis result = {size, all, processes, 0};
  if (processes > 1 && block < all) result.block = block;
  result.turn = ((int64_t)coordinate - first + processes) % processes;
  return result;
}

einc_mpi_axis einc_mpi_axis_of(const einc_mpi_layout *layout, int d, const int *coordinates) {
  const einc_mpi_dimension *dimension = &layout->dimensions[d];
  if (dimension->over < 0) return axis(dimension->size, 1, 0, 0, 1);
  return axis(dimension->size, dimension->block, coordinates[dimension->over], dimension->first,
              layout->grid.sizes[dimension->over]);
}

int64_t einc_mpi_axis_count(const einc_mpi_axis *axis) {
  const int64_t blocks = axis->size / axis->block;
  const int64_t rounds = blocks / axis->processes, more = blocks % axis->processes;
  int64_t count = rounds * axis->block;
  if (axis->turn < more) count += axis->block;
  if (axis->turn == more) count += axis->size % axis->block;
  return count;
}

// --- indices -------------------------------------------------------------------------------------

int64_t einc_mpi_local_size(int64_t size, int64_t block, int coordinate, int first, int processes) {
  const einc_mpi_axis one = axis(size, block, coordinate, first, processes);
  return einc_mpi_axis_count(&one);
}

einc_mpi_status einc_mpi_local_sizes(const einc_mpi_layout *layout, int process, int64_t *sizes) {
  int coordinates[EINC_MAX_RANK];
  if (process < 0) return EINC_MPI_OUT_OF_RANGE;
  const int has_some = einc_mpi_coordinates(&layout->grid, process, coordinates) == EINC_MPI_OK;
  for (int d = 0; d < layout->rank; ++d) {
    sizes[d] = 0;
    if (has_some) {
      const einc_mpi_axis one = einc_mpi_axis_of(layout, d, coordinates);
      sizes[d] = einc_mpi_axis_count(&one);
    }
  }
  return EINC_MPI_OK;
}

einc_mpi_status einc_mpi_local_index(const einc_mpi_layout *layout, const int64_t *index,
                                     int *process, int64_t *local) {
  int coordinates[EINC_MAX_RANK] = {0};
  for (int d = 0; d < layout->rank; ++d) {
    if (index[d] < 0 || index[d] >= layout->dimensions[d].size) return EINC_MPI_OUT_OF_RANGE;
  }
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_dimension *dimension = &layout->dimensions[d];
    const einc_mpi_axis one = einc_mpi_axis_of(layout, d, coordinates);
    if (dimension->over >= 0) {
      const int64_t turn = index[d] / one.block % one.processes;
      coordinates[dimension->over] = (int)((turn + dimension->first) % one.processes);
    }
    local[d] = einc_mpi_axis_local(&one, index[d]);
  }
  return einc_mpi_process_at(&layout->grid, coordinates, process);
}

einc_mpi_status einc_mpi_global_index(const einc_mpi_layout *layout, int process,
                                      const int64_t *local, int64_t *index) {
  int coordinates[EINC_MAX_RANK];
  const einc_mpi_status status = einc_mpi_coordinates(&layout->grid, process, coordinates);
  if (status != EINC_MPI_OK) return status;
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_axis one = einc_mpi_axis_of(layout, d, coordinates);
    if (local[d] < 0 || local[d] >= einc_mpi_axis_count(&one)) return EINC_MPI_OUT_OF_RANGE;
  }
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_axis one = einc_mpi_axis_of(layout, d, coordinates);
    index[d] = einc_mpi_axis_global(&one, local[d]);
  }
  return EINC_MPI_OK;
}
