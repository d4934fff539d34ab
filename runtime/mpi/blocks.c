/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/layout.h"
#include "runtime/mpi/internal.h"

// The bytes of a block, as far as they reach: none if first == last.
typedef struct {
  uintptr_t first, last;
} reach;

static einc_mpi_status check_layout(const einc_mpi_block *block, int processes) {
  if (block->layout == NULL) return EINC_MPI_NULL_ARGUMENT;
  const einc_mpi_status status = einc_mpi_check(block->layout);
  if (status != EINC_MPI_OK) return status;
  return einc_mpi_processes(&block->layout->grid) <= processes ? EINC_MPI_OK
                                                               : EINC_MPI_GRID_TOO_LARGE;
}

static einc_mpi_status check_sizes(const einc_mpi_layout *from, const einc_mpi_layout *to) {
  if (from->rank != to->rank) return EINC_MPI_SIZE_MISMATCH;
  for (int d = 0; d < from->rank; ++d) {
    if (from->dimensions[d].size != to->dimensions[d].size) return EINC_MPI_SIZE_MISMATCH;
  }
  return EINC_MPI_OK;
}

// Sets *has_elements, and *view where it has.
static einc_mpi_status view_of(const einc_mpi_block *block, size_t element_bytes, int process,
                               int *has_elements, einc_layout *view) {
  const einc_mpi_layout *layout = block->layout;
  int64_t sizes[EINC_MAX_RANK];
  einc_mpi_local_sizes(layout, process, sizes);
  *has_elements = process < einc_mpi_processes(&layout->grid);
  for (int d = 0; d < layout->rank; ++d) *has_elements = *has_elements && sizes[d] > 0;
  if (!*has_elements) return EINC_MPI_OK;
  if (block->strides == NULL && layout->rank > 0) return EINC_MPI_NULL_ARGUMENT;
  if (block->data == NULL) return EINC_MPI_NULL_DATA;
  einc_layout_make(layout->rank, sizes, block->strides, 0, view);
  return einc_layout_check(view, element_bytes) == EINC_OK ? EINC_MPI_OK : EINC_MPI_OVERFLOW;
}

static einc_mpi_status reach_of(const void *data, const einc_layout *view, size_t element_bytes,
                                reach *bytes) {
  int64_t low, high;
  einc_layout_range(view, &low, &high);
  const uintptr_t at = (uintptr_t)data;
  const uintptr_t below = (uintptr_t)-low * element_bytes, above = (uintptr_t)high * element_bytes;
  if (below > at || above > UINTPTR_MAX - at) return EINC_MPI_OVERFLOW;
  bytes->first = at - below;
  bytes->last = at + above;
  return EINC_MPI_OK;
}

static einc_mpi_status check_block(const einc_mpi_block *block, size_t element_bytes, int process,
                                   int is_written, reach *bytes) {
  einc_layout view;
  int has_elements;
  bytes->first = bytes->last = 0;
  const einc_mpi_status status = view_of(block, element_bytes, process, &has_elements, &view);
  if (status != EINC_MPI_OK || !has_elements) return status;
  if (is_written && einc_layout_overlaps_itself(&view)) return EINC_MPI_SELF_OVERLAP;
  return reach_of(block->data, &view, element_bytes, bytes);
}

einc_mpi_status einc_mpi_check_blocks(const einc_mpi_block *from, const einc_mpi_block *to,
                                      size_t element_bytes, int process, int processes) {
  if (element_bytes < 1 || element_bytes > INT_MAX) return EINC_MPI_BAD_ELEMENT;
  einc_mpi_status status = check_layout(from, processes);
  if (status == EINC_MPI_OK) status = check_layout(to, processes);
  if (status == EINC_MPI_OK) status = check_sizes(from->layout, to->layout);
  reach read, written;
  if (status == EINC_MPI_OK) status = check_block(from, element_bytes, process, 0, &read);
  if (status == EINC_MPI_OK) status = check_block(to, element_bytes, process, 1, &written);
  if (status != EINC_MPI_OK) return status;
  const int is_shared = read.first < written.last && written.first < read.last;
  return is_shared ? EINC_MPI_ALIASED : EINC_MPI_OK;
}
