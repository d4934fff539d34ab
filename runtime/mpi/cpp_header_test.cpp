/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The headers as a C++ program sees them. */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "runtime/mpi/redistribute.h"

int main() {
  einc_mpi_failure failure{};
  const einc_mpi_status status = einc_mpi_redistribute(MPI_COMM_WORLD, 1, nullptr, nullptr, nullptr,
                                                       nullptr, nullptr, nullptr, &failure);
  return status == EINC_MPI_NOT_RUNNING && failure.rank == -1 ? 0 : 1;
}
