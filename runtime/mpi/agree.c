/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include "runtime/mpi/internal.h"

// --- digests -------------------------------------------------------------------------------------

static void mix(uint64_t *digest, int64_t value) {
  *digest = (*digest ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
  *digest ^= *digest >> 29;
}

uint64_t einc_mpi_digest(const einc_mpi_layout *layout) {
  uint64_t digest = UINT64_C(0x6c62272e07bb0142);
  mix(&digest, layout->rank);
  for (int d = 0; d < layout->rank; ++d) {
    const einc_mpi_dimension *dimension = &layout->dimensions[d];
    mix(&digest, dimension->size);
    mix(&digest, dimension->over);
    if (dimension->over < 0) continue;
    mix(&digest, dimension->block);
    mix(&digest, dimension->first);
  }
  mix(&digest, layout->grid.rank);
  mix(&digest, layout->grid.order);
  for (int d = 0; d < layout->grid.rank; ++d) mix(&digest, layout->grid.sizes[d]);
  return digest;
}

// --- agreement -----------------------------------------------------------------------------------

// A failure as a number: the least is that of the lowest rank.
#define NO_FAILURE UINT64_MAX

static uint64_t coded(int rank, einc_mpi_status status) {
  if (status == EINC_MPI_OK) return NO_FAILURE;
  return (uint64_t)rank << 32 | (uint64_t)(-(int64_t)status);
}

static einc_mpi_status decoded(uint64_t code, einc_mpi_failure *failure) {
  failure->rank = code == NO_FAILURE ? -1 : (int)(code >> 32);
  failure->status = code == NO_FAILURE ? EINC_MPI_OK : -(int)(code & 0xffffffff);
  return failure->status;
}

static einc_mpi_status mpi_failed(int rank, einc_mpi_failure *failure) {
  return decoded(coded(rank, EINC_MPI_MPI_FAILED), failure);
}

// The terms differ, and all ranks know that: who is the first that has not those of rank 0?
static einc_mpi_status find_other(MPI_Comm comm, int rank, const einc_mpi_terms *terms,
                                  einc_mpi_failure *failure) {
  uint64_t wanted[3] = {terms->element_bytes, terms->from, terms->to}, code, least;
  int error = MPI_Bcast(wanted, 3, MPI_UINT64_T, 0, comm);
  if (error != MPI_SUCCESS) return mpi_failed(rank, failure);
  einc_mpi_status status = EINC_MPI_OK;
  if (wanted[1] != terms->from || wanted[2] != terms->to) status = EINC_MPI_OTHER_LAYOUTS;
  if (wanted[0] != terms->element_bytes) status = EINC_MPI_OTHER_ELEMENT;
  code = coded(rank, status);
  error = MPI_Allreduce(&code, &least, 1, MPI_UINT64_T, MPI_MIN, comm);
  return error == MPI_SUCCESS ? decoded(least, failure) : mpi_failed(rank, failure);
}

einc_mpi_status einc_mpi_agree(MPI_Comm comm, einc_mpi_status own, const einc_mpi_terms *terms,
                               einc_mpi_failure *failure) {
  int rank = -1;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return mpi_failed(rank, failure);
  // Of each term the least and, as the least complement, the greatest.
  const uint64_t sent[7] = {coded(rank, own), terms->element_bytes, ~terms->element_bytes,
                            terms->from,      ~terms->from,         terms->to,
                            ~terms->to};
  uint64_t least[7];
  if (MPI_Allreduce(sent, least, 7, MPI_UINT64_T, MPI_MIN, comm) != MPI_SUCCESS) {
    return mpi_failed(rank, failure);
  }
  if (least[0] != NO_FAILURE) return decoded(least[0], failure);
  for (int i = 1; i < 7; i += 2) {
    if (least[i] != ~least[i + 1]) return find_other(comm, rank, terms, failure);
  }
  return decoded(NO_FAILURE, failure);
}
