/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * How a dense tensor is spread over processes: each dimension is whole on each process, or its
 * blocks go round a dimension of a grid of processes, as in ScaLAPACK. This header needs no MPI.
 *
 * A 1000 x 500 matrix on 2 x 3 processes, rows in blocks of 64, columns in three equal parts:
 *
 *   einc_mpi_layout layout = {2,
 *                             {{1000, 64, 0, 0}, {500, 0, 1, 0}},
 *                             {2, EINC_MPI_ROW_MAJOR, {2, 3}}};
 *   int64_t sizes[2];
 *   layout.dimensions[1].block = einc_mpi_even_block(500, 3);
 *   einc_mpi_local_sizes(&layout, process, sizes);      what `process` has: sizes[0] x sizes[1]
 *
 * A process is a number: its rank in the communicator. Those at and beyond the number of processes
 * of the grid have nothing. Dimensions of the grid that none of the tensor goes over hold copies.
 *
 * Functions return EINC_MPI_OK, or a status and leave their outputs as they were. No pointer may be
 * null, but for arrays of no elements. No sum overflows, nothing is allocated. Thread-safe.
 */
#ifndef EINC_RUNTIME_MPI_DISTRIBUTION_H_
#define EINC_RUNTIME_MPI_DISTRIBUTION_H_

#include <stdint.h>

#include "runtime/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int einc_mpi_status;

enum einc_mpi_status_value {
#define EINC_MPI_STATUS(name, value, sentence) EINC_MPI_##name = value,
#include "runtime/mpi/status.def"
#undef EINC_MPI_STATUS
  EINC_MPI_STATUS_END = 1 /* never returned */
};

/* Explains a status in a short English phrase. Never null, for any int; the string is static. */
const char *einc_mpi_status_string(einc_mpi_status status);

/* --- layouts ---------------------------------------------------------------------------------- */

/* How the processes of a grid are counted: which coordinate of theirs changes fastest. */
enum einc_mpi_order {
  EINC_MPI_ROW_MAJOR = 0,   /* the last; BLACS' "R" */
  EINC_MPI_COLUMN_MAJOR = 1 /* the first; BLACS' "C" */
};

/* Only the first `rank` sizes are meaningful. With rank 0 it is a single process. */
typedef struct {
  int rank;  /* 0..EINC_MAX_RANK */
  int order; /* einc_mpi_order */
  int sizes[EINC_MAX_RANK];
} einc_mpi_grid;

typedef struct {
  int64_t size;
  int64_t block; /* elements of a block, >= 1 */
  int over;      /* the dimension of the grid that the blocks go round; -1: whole on each process */
  int first;     /* the coordinate there that has the first block */
} einc_mpi_dimension; /* block and first mean nothing if over is -1 */

/* Only the first `rank` dimensions are meaningful. */
typedef struct {
  int rank; /* of the tensor, 0..EINC_MAX_RANK */
  einc_mpi_dimension dimensions[EINC_MAX_RANK];
  einc_mpi_grid grid;
} einc_mpi_layout;

/* The block that gives each process at most one: size / processes, rounded up; at least 1. */
int64_t einc_mpi_even_block(int64_t size, int processes);

/*
 * BAD_RANK, BAD_GRID, NEGATIVE_SIZE, BAD_OVER, SHARED_OVER, BAD_BLOCK, BAD_FIRST. The functions
 * below take layouts that pass.
 */
einc_mpi_status einc_mpi_check(const einc_mpi_layout *layout);

/* --- processes -------------------------------------------------------------------------------- */

/* How many the grid has, if it passes einc_mpi_check. */
int einc_mpi_processes(const einc_mpi_grid *grid);

/* Where `process` lies: coordinates[grid->rank]. OUT_OF_RANGE. */
einc_mpi_status einc_mpi_coordinates(const einc_mpi_grid *grid, int process, int *coordinates);

/* And back. OUT_OF_RANGE. */
einc_mpi_status einc_mpi_process_at(const einc_mpi_grid *grid, const int *coordinates,
                                    int *process);

/* --- indices ---------------------------------------------------------------------------------- */

/*
 * How many of `size` elements the process at `coordinate` of `processes` has, if the one at `first`
 * has the first block: ScaLAPACK's numroc. size >= 0, block >= 1, coordinates in 0..processes - 1.
 */
int64_t einc_mpi_local_size(int64_t size, int64_t block, int coordinate, int first, int processes);

/* The sizes of what `process` has: sizes[layout->rank], all 0 beyond the grid. OUT_OF_RANGE (< 0). */
einc_mpi_status einc_mpi_local_sizes(const einc_mpi_layout *layout, int process, int64_t *sizes);

/*
 * Who has the element at index[layout->rank], and at which index of its own; of copies the one whose
 * coordinates are 0 in the dimensions of the grid that the tensor does not go over. OUT_OF_RANGE.
 */
einc_mpi_status einc_mpi_local_index(const einc_mpi_layout *layout, const int64_t *index,
                                     int *process, int64_t *local);

/* And back: which element `process` has at `local`. `index` may be `local`. OUT_OF_RANGE. */
einc_mpi_status einc_mpi_global_index(const einc_mpi_layout *layout, int process,
                                      const int64_t *local, int64_t *index);

/* --- ScaLAPACK -------------------------------------------------------------------------------- */

/*
 * The layout of the matrix that a descriptor of ScaLAPACK is of, and the strides (1, LLD_) of what
 * `process` has of it. The grid is what was given to blacs_gridinit: EINC_MPI_ROW_MAJOR is "R".
 * CTXT_ is not looked at.
 * BAD_DTYPE, NEGATIVE_SIZE (M_, N_), BAD_BLOCK (MB_, NB_), BAD_GRID, BAD_FIRST (RSRC_, CSRC_),
 * BAD_LLD, OUT_OF_RANGE (process < 0).
 */
einc_mpi_status einc_mpi_from_scalapack(const int descriptor[9], int nprow, int npcol, int order,
                                        int process, einc_mpi_layout *layout, int64_t strides[2]);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EINC_RUNTIME_MPI_DISTRIBUTION_H_ */
