/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Moves a tensor again and again, until the last rank is killed in the middle: killed_test. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/mpi/test_util.h"

int main(int argc, char **argv) {
  test_begin(&argc, &argv);
  uint64_t seed = 1;
  const int64_t sizes[2] = {50, 40};
  for (int i = 0;; ++i) {
    const einc_mpi_layout from = test_draw_layout(&seed, 2, sizes, test_ranks);
    const einc_mpi_layout to = test_draw_layout(&seed, 2, sizes, test_ranks);
    if (i == 10 && test_rank == 0) puts("10 redistributions");
    if (i == 10) fflush(stdout);
    if (i == 20 && test_rank == test_ranks - 1) kill(getpid(), SIGKILL);
    if (!test_move(8, &from, &to, 0, &seed)) puts("a redistribution is wrong");
  }
}
