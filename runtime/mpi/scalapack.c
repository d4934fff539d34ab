/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/distribution.h"

// Where a descriptor has what, counted from 0.
enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

einc_mpi_status einc_mpi_from_scalapack(const int descriptor[9], int nprow, int npcol, int order,
                                        int process, einc_mpi_layout *layout, int64_t strides[2]) {
  einc_mpi_layout result = {0};
  if (descriptor[DTYPE] != 1) return EINC_MPI_BAD_DTYPE;
  result.rank = 2;
  for (int d = 0; d < 2; ++d) {
    const einc_mpi_dimension dimension = {descriptor[M + d], descriptor[MB + d], d,
                                          descriptor[RSRC + d]};
    result.dimensions[d] = dimension;
  }
  result.grid.rank = 2;
  result.grid.order = order;
  result.grid.sizes[0] = nprow;
  result.grid.sizes[1] = npcol;

  einc_mpi_status status = einc_mpi_check(&result);
  if (status != EINC_MPI_OK) return status;
  int64_t sizes[2];
  status = einc_mpi_local_sizes(&result, process, sizes);
  if (status != EINC_MPI_OK) return status;
  if (descriptor[LLD] < (sizes[0] > 1 ? sizes[0] : 1)) return EINC_MPI_BAD_LLD;
  *layout = result;
  strides[0] = 1;
  strides[1] = descriptor[LLD];
  return EINC_MPI_OK;
}
