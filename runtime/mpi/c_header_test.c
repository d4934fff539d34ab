/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* The headers as a C program sees them. Also compiled as C89 with -pedantic -Werror. */
#include <stdio.h>
#include <string.h>

#include "runtime/mpi/distribution.h"
#include "runtime/mpi/redistribute.h"

int main(void) {
  einc_mpi_layout layout = {2, {{1000, 64, 0, 0}, {500, 0, 1, 0}}, {2, EINC_MPI_ROW_MAJOR, {2, 3}}};
  int64_t sizes[2];
  einc_mpi_failure failure;
  char text[EINC_MPI_SENTENCE];
  layout.dimensions[1].block = einc_mpi_even_block(500, 3);
  if (einc_mpi_check(&layout) != EINC_MPI_OK) return 1;
  if (einc_mpi_local_sizes(&layout, 5, sizes) != EINC_MPI_OK) return 2;
  if (sizes[0] != 488 || sizes[1] != 166) return 3;
  /* MPI was not initialised. */
  if (einc_mpi_redistribute(MPI_COMM_WORLD, 8, &layout, NULL, NULL, &layout, NULL, NULL,
                            &failure) != EINC_MPI_NOT_RUNNING) {
    return 4;
  }
  printf("%s\n", einc_mpi_sentence(&failure, text, sizeof(text)));
  failure.rank = 3;
  failure.status = EINC_MPI_OTHER_LAYOUTS;
  einc_mpi_sentence(&failure, text, sizeof(text));
  return strcmp(text, "rank 3: its layouts are not those of rank 0") == 0 ? 0 : 5;
}
