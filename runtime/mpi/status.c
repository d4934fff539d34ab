/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/distribution.h"

const char *einc_mpi_status_string(einc_mpi_status status) {
  switch (status) {
#define EINC_MPI_STATUS(name, value, sentence) \
  case value:                                  \
    return sentence;
#include "runtime/mpi/status.def"
#undef EINC_MPI_STATUS
    default:
      return "unknown status of Einc's MPI runtime";
  }
}
