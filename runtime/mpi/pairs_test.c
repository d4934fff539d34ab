/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of layouts at random, judged element by element: pairs_test FIRST COUNT, where FIRST is the
 * seed of the first pair, and each has the next. A failure names its seed: pairs_test SEED 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/mpi/test_util.h"

static void print_layout(const char *name, const einc_mpi_layout *layout) {
  printf("  %s: grid (%s)", name, layout->grid.order ? "columns first" : "rows first");
  for (int d = 0; d < layout->grid.rank; ++d) printf(" %d", layout->grid.sizes[d]);
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_dimension *one = &layout->dimensions[d];
    printf("; %lld by %lld over %d from %d", (long long)one->size, (long long)one->block, one->over,
           one->first);
  }
  printf("\n");
}

static void draw_sizes(uint64_t *seed, int rank, int64_t *sizes) {
  int left = test_draw(seed, 8) ? 3000 : 100000;
  for (int d = 0; d < rank; ++d) {
    const int most = test_draw(seed, 2) ? 8 : left;
    sizes[d] = test_draw(seed, (most < left ? most : left) + 1);
    if (sizes[d] > 1) left /= (int)sizes[d];
  }
}

int main(int argc, char **argv) {
  static const int bytes[] = {1, 2, 3, 4, 8, 16};
  test_begin(&argc, &argv);
  const unsigned long long first = argc == 3 ? strtoull(argv[1], NULL, 0) : 0;
  const int count = argc == 3 ? atoi(argv[2]) : 0;
  for (int i = 0; i < count; ++i) {
    uint64_t seed = (first + (unsigned long long)i) * 7919 + (unsigned long long)test_ranks;
    int64_t sizes[EINC_MAX_RANK];
    const int rank = test_draw(&seed, 5);
    draw_sizes(&seed, rank, sizes);
    const einc_mpi_layout from = test_draw_layout(&seed, rank, sizes, test_ranks);
    const einc_mpi_layout to = test_draw_layout(&seed, rank, sizes, test_ranks);
    const unsigned flat = test_draw(&seed, 4) ? 0 : (unsigned)test_draw(&seed, 16);
    const size_t element_bytes = (size_t)bytes[test_draw(&seed, 6)];
    char name[64];
    snprintf(name, sizeof(name), "the pair of seed %llu", first + (unsigned long long)i);
    const int is_right = test_move(element_bytes, &from, &to, flat, &seed);
    if (!is_right) {
      printf("rank %d, %s, elements of %d bytes\n", test_rank, name, (int)element_bytes);
      print_layout("from", &from);
      print_layout("to", &to);
      printf("  values are one along the dimensions of the bits 0x%x\n", flat);
    }
    test_case(name, is_right);
  }
  return test_end();
}
