/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/runs.h"

#include <stdlib.h>

#include "runtime/checked.h"

// The first element from `index` on that the process has; `size` if there is none.
static int64_t next_of(const einc_mpi_axis *axis, int64_t index) {
  const int64_t number = index / axis->block;
  const int64_t turn = number % axis->processes;
  if (turn == axis->turn) return index;
  const int64_t further = (axis->turn - turn + axis->processes) % axis->processes;
  const int64_t last = (axis->size - 1) / axis->block;
  return further > last - number ? axis->size : (number + further) * axis->block;
}

// Where the block that has `index` ends.
static int64_t end_of(const einc_mpi_axis *axis, int64_t index) {
  const int64_t rest = axis->block - index % axis->block;
  return rest < axis->size - index ? index + rest : axis->size;
}

static int add(einc_mpi_runs *runs, int64_t start, int64_t count) {
  if (runs->count == runs->capacity) {
    const int64_t capacity = runs->capacity > 0 ? 2 * runs->capacity : 16;
    if ((uint64_t)capacity > SIZE_MAX / sizeof(einc_mpi_run)) return 0;
    einc_mpi_run *const more = realloc(runs->runs, (size_t)capacity * sizeof(einc_mpi_run));
    if (more == NULL) return 0;
    runs->runs = more;
    runs->capacity = capacity;
  }
  const einc_mpi_run run = {start, count};
  runs->runs[runs->count++] = run;
  return 1;
}

// Adds what both have of the elements low..high - 1. Runs that follow each other become one.
static int scan(const einc_mpi_axis *own, const einc_mpi_axis *other, int64_t low, int64_t high,
                einc_mpi_runs *runs) {
  const int64_t before = runs->count;
  int64_t index = low;
  while (index < high) {
    index = next_of(own, index);
    if (index >= high) break;
    const int64_t shared = next_of(other, index);
    if (shared != index) {
      index = shared;
      continue;
    }
    int64_t end = high;
    if (end_of(own, index) < end) end = end_of(own, index);
    if (end_of(other, index) < end) end = end_of(other, index);
    const int64_t start = einc_mpi_axis_local(own, index);
    einc_mpi_run *const last = runs->count > before ? &runs->runs[runs->count - 1] : NULL;
    if (last != NULL && last->start + last->count == start) {
      last->count += end - index;
    } else if (!add(runs, start, end - index)) {
      return 0;
    }
    index = end;
  }
  return 1;
}

// After how many elements it is the same process's turn again; 0 if that is too many.
static int64_t cycle_of(const einc_mpi_axis *axis) {
  int64_t cycle = 1;
  if (axis->processes == 1) return cycle;
  return einc_checked_mul(axis->block, axis->processes, &cycle) ? cycle : 0;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// After how many elements both are where they began; 0 if that is too many.
static int64_t period_of(const einc_mpi_axis *a, const einc_mpi_axis *b) {
  const int64_t first = cycle_of(a), second = cycle_of(b);
  if (first == 0 || second == 0) return 0;
  int64_t period;
  return einc_checked_mul(first / common_divisor(first, second), second, &period) ? period : 0;
}

int einc_mpi_runs_find(const einc_mpi_axis *own, const einc_mpi_axis *other, einc_mpi_runs *runs) {
  const int64_t size = own->size, period = period_of(own, other);
  runs->count = runs->head = runs->advance = 0;
  runs->periods = 1;
  if (period == 0 || period > size / 2) {
    if (!scan(own, other, 0, size, runs)) return 0;
    runs->head = runs->count;
    return 1;
  }
  if (!scan(own, other, 0, period, runs)) return 0;
  runs->head = runs->count;
  runs->periods = size / period;
  runs->advance = period / own->processes;
  return scan(own, other, size - size % period, size, runs);
}
