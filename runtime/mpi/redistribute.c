/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/redistribute.h"

#include <stdio.h>

#include "runtime/mpi/internal.h"

const char *einc_mpi_sentence(const einc_mpi_failure *failure, char *text, size_t capacity) {
  const char *const words = einc_mpi_status_string(failure->status);
  if (failure->rank < 0) {
    snprintf(text, capacity, "%s", words);
  } else {
    snprintf(text, capacity, "rank %d: %s", failure->rank, words);
  }
  return text;
}

static einc_mpi_status alone(einc_mpi_status status, int rank, einc_mpi_failure *failure) {
  failure->rank = rank;
  failure->status = status;
  return status;
}

// What has to be so that ranks can talk at all. Sets rank and size.
static einc_mpi_status join(MPI_Comm comm, int *rank, int *size) {
  int is_initialised = 0, is_finalised = 0, is_inter = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised) MPI_Finalized(&is_finalised);
  if (!is_initialised || is_finalised) return EINC_MPI_NOT_RUNNING;
  if (comm == MPI_COMM_NULL) return EINC_MPI_BAD_COMMUNICATOR;
  if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return EINC_MPI_MPI_FAILED;
  if (is_inter) return EINC_MPI_BAD_COMMUNICATOR;
  if (MPI_Comm_rank(comm, rank) != MPI_SUCCESS) return EINC_MPI_MPI_FAILED;
  return MPI_Comm_size(comm, size) == MPI_SUCCESS ? EINC_MPI_OK : EINC_MPI_MPI_FAILED;
}

// All that can fail on one rank alone comes first, so that the others hear of it.
static einc_mpi_status move(MPI_Comm comm, int rank, int size, size_t element_bytes,
                            const einc_mpi_block *from, const einc_mpi_block *to, void *to_data,
                            einc_mpi_failure *failure) {
  einc_mpi_terms terms = {element_bytes, 0, 0};
  einc_mpi_plan plan = {0, NULL, NULL, NULL, NULL, NULL};
  einc_mpi_status status = einc_mpi_check_blocks(from, to, element_bytes, rank, size);
  if (status == EINC_MPI_OK) {
    terms.from = einc_mpi_digest(from->layout);
    terms.to = einc_mpi_digest(to->layout);
    status = einc_mpi_plan_make(from, to, element_bytes, rank, size, &plan);
  }
  status = einc_mpi_agree(comm, status, &terms, failure);
  if (status == EINC_MPI_OK) {
    const int error =
        MPI_Alltoallw(from->data, plan.send_counts, plan.offsets, plan.send_types, to_data,
                      plan.receive_counts, plan.offsets, plan.receive_types, comm);
    if (error != MPI_SUCCESS) status = alone(EINC_MPI_MPI_FAILED, rank, failure);
  }
  const einc_mpi_status freed = einc_mpi_plan_free(&plan);
  return status == EINC_MPI_OK && freed != EINC_MPI_OK ? alone(freed, rank, failure) : status;
}

einc_mpi_status einc_mpi_redistribute(MPI_Comm comm, size_t element_bytes,
                                      const einc_mpi_layout *from, const void *from_data,
                                      const int64_t *from_strides, const einc_mpi_layout *to,
                                      void *to_data, const int64_t *to_strides,
                                      einc_mpi_failure *failure) {
  einc_mpi_failure unseen;
  if (failure == NULL) failure = &unseen;
  int rank = -1, size = 0;
  const einc_mpi_status status = join(comm, &rank, &size);
  if (status != EINC_MPI_OK) return alone(status, -1, failure);
  const einc_mpi_block source = {from, from_data, from_strides};
  const einc_mpi_block destination = {to, to_data, to_strides};
  return move(comm, rank, size, element_bytes, &source, &destination, to_data, failure);
}
