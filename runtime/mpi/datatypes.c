/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Datatypes from the inside out: an element, then what is shared of the last dimension, of the one
 * before, and so on. Each function takes over `inner`: it is freed, also when something fails.
 */
#include <stdlib.h>

#include "runtime/mpi/internal.h"
#include "runtime/mpi/runs.h"

static einc_mpi_status result_of(int error, MPI_Datatype made, MPI_Datatype *out) {
  if (error != MPI_SUCCESS) return EINC_MPI_MPI_FAILED;
  *out = made;
  return EINC_MPI_OK;
}

static einc_mpi_status release(MPI_Datatype *type, einc_mpi_status status) {
  if (*type == MPI_DATATYPE_NULL) return status;
  const int error = MPI_Type_free(type);
  return status == EINC_MPI_OK && error != MPI_SUCCESS ? EINC_MPI_MPI_FAILED : status;
}

// Frees `inner` and, if the status is now a failure, what was made of it.
static einc_mpi_status finish(MPI_Datatype inner, einc_mpi_status status, MPI_Datatype *out) {
  const einc_mpi_status now = release(&inner, status);
  if (status == EINC_MPI_OK && now != EINC_MPI_OK) release(out, now);
  return now;
}

// Bytes backwards, one behind the other: Open MPI 4.1 takes a vector of these for one that goes
// forwards. Keeps `inner`.
static einc_mpi_status backwards(int count, MPI_Datatype inner, MPI_Datatype *out) {
  MPI_Datatype byte = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
  int error = MPI_Type_create_resized(inner, 0, -1, &byte);
  if (error != MPI_SUCCESS) return EINC_MPI_MPI_FAILED;
  error = MPI_Type_contiguous(count, byte, &made);
  return finish(byte, result_of(error, made, out), out);
}

// `inner`, `count` times: at 0, step, 2 * step, ... bytes. Keeps `inner`.
static einc_mpi_status row(int count, MPI_Aint step, MPI_Datatype inner, MPI_Datatype *out) {
  if (step == -1) return backwards(count, inner, out);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int error = MPI_Type_create_hvector(count, 1, step, inner, &made);
  return result_of(error, made, out);
}

// The two types, as one. Takes over both.
static einc_mpi_status joined(MPI_Datatype a, MPI_Datatype b, MPI_Aint offset_of_b,
                              MPI_Datatype *out) {
  const int ones[2] = {1, 1};
  const MPI_Aint offsets[2] = {0, offset_of_b};
  const MPI_Datatype types[2] = {a, b};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int error = MPI_Type_create_struct(2, ones, offsets, types, &made);
  einc_mpi_status status = result_of(error, made, out);
  status = finish(a, status, out);
  return finish(b, status, out);
}

static einc_mpi_status repeat(int64_t count, MPI_Aint step, MPI_Datatype inner, MPI_Datatype *out);

// More of them than an int can count: rows of EINC_MPI_MOST, and what is left. Keeps `inner`.
static einc_mpi_status repeat_rows(int64_t count, MPI_Aint step, MPI_Datatype inner,
                                   MPI_Datatype *out) {
  const int64_t rows = count / EINC_MPI_MOST, rest = count % EINC_MPI_MOST;
  MPI_Datatype most, all, left;
  einc_mpi_status status = row(EINC_MPI_MOST, step, inner, &most);
  if (status == EINC_MPI_OK) status = repeat(rows, step * EINC_MPI_MOST, most, &all);
  if (status != EINC_MPI_OK) return status;
  if (rest == 0) {
    *out = all;
    return EINC_MPI_OK;
  }
  status = row((int)rest, step, inner, &left);
  if (status != EINC_MPI_OK) return release(&all, status);
  return joined(all, left, step * EINC_MPI_MOST * rows, out);
}

static einc_mpi_status repeat(int64_t count, MPI_Aint step, MPI_Datatype inner, MPI_Datatype *out) {
  if (count == 1) {
    *out = inner;
    return EINC_MPI_OK;
  }
  const einc_mpi_status status = count <= EINC_MPI_MOST ? row((int)count, step, inner, out)
                                                        : repeat_rows(count, step, inner, out);
  return finish(inner, status, out);
}

// `inner`, further on by so many bytes.
static einc_mpi_status moved(MPI_Aint offset, MPI_Datatype inner, MPI_Datatype *out) {
  if (offset == 0) {
    *out = inner;
    return EINC_MPI_OK;
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int error = MPI_Type_create_hindexed_block(1, 1, &offset, inner, &made);
  return finish(inner, result_of(error, made, out), out);
}

static int are_regular(const einc_mpi_run *runs, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    if (runs[i].count != runs[0].count) return 0;
    if (runs[i].start - runs[i - 1].start != runs[1].start - runs[0].start) return 0;
  }
  return 1;
}

// Runs of one length, at one distance.
static einc_mpi_status regular(const einc_mpi_run *runs, int64_t count, MPI_Aint step,
                               MPI_Datatype inner, MPI_Datatype *out) {
  const MPI_Aint distance = count > 1 ? step * (runs[1].start - runs[0].start) : 0;
  MPI_Datatype run, all;
  einc_mpi_status status = repeat(runs[0].count, step, inner, &run);
  if (status == EINC_MPI_OK) status = repeat(count, distance, run, &all);
  if (status == EINC_MPI_OK) status = moved(step * runs[0].start, all, out);
  return status;
}

// A type for each run that has another length than those before: their places are in `types`.
static einc_mpi_status lengths(const einc_mpi_run *runs, int64_t count, MPI_Aint step,
                               MPI_Datatype inner, MPI_Datatype *types, int64_t *made) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t same = 0;
    while (runs[same].count != runs[i].count) ++same;
    types[i] = types[same];
    if (same < i) continue;
    // One that stays when `inner` is freed, as a run of a single element would not.
    MPI_Datatype one;
    einc_mpi_status status = row(1, 0, inner, &one);
    if (status == EINC_MPI_OK) status = repeat(runs[i].count, step, one, &types[i]);
    if (status != EINC_MPI_OK) return status;
    *made = i + 1;
  }
  return EINC_MPI_OK;
}

static einc_mpi_status free_lengths(const einc_mpi_run *runs, int64_t made, MPI_Datatype *types,
                                    einc_mpi_status status) {
  for (int64_t i = made - 1; i >= 0; --i) {
    int64_t same = 0;
    while (runs[same].count != runs[i].count) ++same;
    if (same == i) status = release(&types[i], status);
  }
  return status;
}

// Runs of several lengths, anywhere.
static einc_mpi_status irregular(const einc_mpi_run *runs, int64_t count, MPI_Aint step,
                                 MPI_Datatype inner, MPI_Datatype *out) {
  const size_t each = sizeof(MPI_Aint) + sizeof(MPI_Datatype) + sizeof(int);
  char *const memory = count <= INT_MAX ? malloc((size_t)count * each) : NULL;
  if (memory == NULL) return release(&inner, EINC_MPI_OUT_OF_MEMORY);
  MPI_Aint *const offsets = (MPI_Aint *)memory;
  MPI_Datatype *const types = (MPI_Datatype *)(offsets + count);
  int *const ones = (int *)(types + count);
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = step * runs[i].start;
    ones[i] = 1;
  }
  int64_t made = 0;
  einc_mpi_status status = lengths(runs, count, step, inner, types, &made);
  int is_made = 0;
  if (status == EINC_MPI_OK) {
    MPI_Datatype all = MPI_DATATYPE_NULL;
    const int error = MPI_Type_create_struct((int)count, ones, offsets, types, &all);
    status = result_of(error, all, out);
    is_made = status == EINC_MPI_OK;
  }
  status = free_lengths(runs, made, types, status);
  free(memory);
  status = release(&inner, status);
  if (is_made && status != EINC_MPI_OK) release(out, status);
  return status;
}

static einc_mpi_status series(const einc_mpi_run *runs, int64_t count, MPI_Aint step,
                              MPI_Datatype inner, MPI_Datatype *out) {
  return are_regular(runs, count) ? regular(runs, count, step, inner, out)
                                  : irregular(runs, count, step, inner, out);
}

// What is shared of one dimension, whose elements lie `step` bytes apart.
static einc_mpi_status dimension(const einc_mpi_runs *runs, MPI_Aint step, MPI_Datatype inner,
                                 MPI_Datatype *out) {
  const int64_t behind = runs->count - runs->head;
  MPI_Datatype copy, head, tail;
  einc_mpi_status status = EINC_MPI_OK;
  if (behind > 0) status = row(1, 0, inner, &copy);
  if (status != EINC_MPI_OK) return release(&inner, status);
  status = series(runs->runs, runs->head, step, inner, &head);
  if (status == EINC_MPI_OK) status = repeat(runs->periods, step * runs->advance, head, &head);
  if (behind == 0) {
    *out = head;
    return status;
  }
  if (status != EINC_MPI_OK) return release(&copy, status);
  status = series(runs->runs + runs->head, behind, step, copy, &tail);
  if (status != EINC_MPI_OK) return release(&head, status);
  return joined(head, tail, 0, out);
}

static einc_mpi_status all_dimensions(const einc_mpi_block *own, const int *own_coordinates,
                                      const einc_mpi_layout *other, const int *other_coordinates,
                                      size_t element_bytes, einc_mpi_runs *runs,
                                      MPI_Datatype *type) {
  MPI_Datatype inner, next = MPI_DATATYPE_NULL;
  const int error = MPI_Type_contiguous((int)element_bytes, MPI_BYTE, &next);
  einc_mpi_status status = result_of(error, next, &inner);
  for (int d = own->layout->rank - 1; d >= 0 && status == EINC_MPI_OK; --d) {
    const einc_mpi_axis here = einc_mpi_axis_of(own->layout, d, own_coordinates);
    const einc_mpi_axis there = einc_mpi_axis_of(other, d, other_coordinates);
    // The stride of a dimension of one element means nothing.
    const int64_t stride = einc_mpi_axis_count(&here) > 1 ? own->strides[d] : 0;
    if (!einc_mpi_runs_find(&here, &there, runs)) {
      return release(&inner, EINC_MPI_OUT_OF_MEMORY);
    }
    if (runs->count == 0) return release(&inner, EINC_MPI_OK);
    status = dimension(runs, (MPI_Aint)stride * (MPI_Aint)element_bytes, inner, &next);
    inner = next;
  }
  if (status != EINC_MPI_OK) return status;
  if (MPI_Type_commit(&inner) != MPI_SUCCESS) return release(&inner, EINC_MPI_MPI_FAILED);
  *type = inner;
  return EINC_MPI_OK;
}

einc_mpi_status einc_mpi_shared_type(const einc_mpi_block *own, const int *own_coordinates,
                                     const einc_mpi_layout *other, const int *other_coordinates,
                                     size_t element_bytes, MPI_Datatype *type) {
  einc_mpi_runs runs = {0, 0, 1, 0, 0, NULL};
  *type = MPI_DATATYPE_NULL;
  // Blocks of no elements may come without strides.
  if (own->strides == NULL && own->layout->rank > 0) return EINC_MPI_OK;
  const einc_mpi_status status =
      all_dimensions(own, own_coordinates, other, other_coordinates, element_bytes, &runs, type);
  free(runs.runs);
  return status;
}
