/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that may call a library, with all small sizes, in several layouts, at pages that nobody
 * may touch, against plain loops: on whole numbers, and where NaN or an infinity meets zeros. Is
 * compiled for T and KIND (float and f32, or double and f64) beside the kernels of
 * library_edges_test.py, and prints what is wrong. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "k.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define KERNEL(name) JOIN(name, _, KIND)
#define MEMREF(rank) JOIN(JOIN(einc_memref_, KIND, _), rank, )

enum { SLOT = 1 << 16, MOST = 20 };

static char* slots[3]; /* each between two pages that fault */
static sigjmp_buf back;
static char* volatile fault;

static void onFault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  fault = info->si_addr;
  siglongjmp(back, 1);
}

static void prepare(void) {
  struct sigaction action;
  for (int i = 0; i < 3; ++i) {
    char* all = mmap(NULL, 3 * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all, SLOT, PROT_NONE) != 0 ||
        mprotect(all + 2 * SLOT, SLOT, PROT_NONE) != 0)
      abort();
    slots[i] = all + SLOT;
  }
  memset(&action, 0, sizeof action);
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}

static uint64_t state = 88172645463325252u;
static unsigned drawn(unsigned below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 20) % below;
}

/* ---- Operands -------------------------------------------------------------------------------- */

typedef struct {
  int64_t sizes[2], strides[2], low, span;
  T *first, *base;
} Matrix;

/* Row by row, column by column, with gaps between lines, elements, or backwards. */
static const char kLayouts[] = "RCrcGHnN";

static Matrix laidOut(int slot, int rows, int columns, char layout, int atEnd) {
  const int64_t r = rows, c = columns;
  Matrix m = {{r, c}, {c, 1}, 0, 1, NULL, NULL};
  switch (layout) {
    case 'C':
      m.strides[0] = 1, m.strides[1] = r;
      break;
    case 'r':
      m.strides[0] = c + 3;
      break;
    case 'c':
      m.strides[0] = 1, m.strides[1] = r + 3;
      break;
    case 'G':
      m.strides[0] = 2 * c + 1, m.strides[1] = 2;
      break;
    case 'H':
      m.strides[0] = 2, m.strides[1] = 2 * r + 1;
      break;
    case 'n':
      m.strides[0] = -(c + 1);
      break;
    case 'N':
      m.strides[0] = 2, m.strides[1] = -(2 * r + 1);
      break;
  }
  for (int d = 0; d < 2; ++d) {
    const int64_t reach = (m.sizes[d] - 1) * m.strides[d];
    m.low -= reach < 0 ? reach : 0;
    m.span += reach < 0 ? -reach : reach;
  }
  m.base = atEnd ? (T*)(slots[slot] + SLOT) - m.span : (T*)slots[slot];
  m.first = m.base + m.low;
  return m;
}

static T* at(const Matrix* m, int i, int j) {
  return m->first + i * m->strides[0] + j * m->strides[1];
}

static void fill(Matrix* m, int isConstant, T value) {
  for (int64_t i = 0; i < m->span; ++i) m->base[i] = (T)NAN;
  for (int i = 0; i < m->sizes[0]; ++i)
    for (int j = 0; j < m->sizes[1]; ++j) *at(m, i, j) = isConstant ? value : (T)drawn(7) - 3;
}

static void plant(Matrix* m, T value) {
  const int end = (int)drawn(3);
  const int i = end == 0 ? (int)m->sizes[0] - 1 : (int)drawn((unsigned)m->sizes[0]);
  *at(m, i, end == 1 ? (int)m->sizes[1] - 1 : (int)drawn((unsigned)m->sizes[1])) = value;
}

static MEMREF(2) matrix(const Matrix* m) {
  MEMREF(2) x = {m->first, m->first, 0, {m->sizes[0], m->sizes[1]}, {m->strides[0], m->strides[1]}};
  return x;
}

static MEMREF(1) vector(const Matrix* m) {
  const int d = m->sizes[0] == 1;
  MEMREF(1) x = {m->first, m->first, 0, {m->sizes[d]}, {m->strides[d]}};
  return x;
}

static MEMREF(0) element(const Matrix* m) {
  MEMREF(0) x = {m->first, m->first, 0};
  return x;
}

/* ---- Calls: C(m, n) = beta C + alpha A(m, k) B(k, n), or the transpose of A -------------------
 */

enum { GEMM, GEMM0, GEMV, GEMV0, GER, DOT, SUM, AXPY, SCAL, COPY, OMATCOPY, FORMS };
static const char* const kNames[] = {"gemm", "gemm0", "gemv", "gemv0", "ger",     "dot",
                                     "sum",  "axpy",  "scal", "copy",  "omatcopy"};

static int call(int form, T alpha, T beta, const Matrix* A, const Matrix* B, const Matrix* C) {
  MEMREF(2) a2 = matrix(A), b2 = matrix(B), c2 = matrix(C);
  MEMREF(1) a1 = vector(A), b1 = vector(B), c1 = vector(C);
  MEMREF(0) c0 = element(C);
  switch (form) {
    case GEMM:
      return KERNEL(gemm)(&a2, &b2, alpha, beta, &c2);
    case GEMM0:
      return KERNEL(gemm0)(&a2, &b2, alpha, &c2);
    case GEMV:
      return KERNEL(gemv)(&a2, &b1, alpha, beta, &c1);
    case GEMV0:
      return KERNEL(gemv0)(&a2, &b1, alpha, &c1);
    case GER:
      return KERNEL(ger)(&a1, &b1, alpha, &c2);
    case DOT:
      return KERNEL(dot)(&a1, &b1, alpha, beta, &c0);
    case SUM:
      return KERNEL(sum)(&a1, alpha, &c0);
    case AXPY:
      return KERNEL(axpy)(&a1, alpha, &c1);
    case SCAL:
      return KERNEL(scal)(alpha, &c1);
    case COPY:
      return KERNEL(copy)(&a1, &c1);
    default:
      return KERNEL(omatcopy)(&a2, alpha, &c2);
  }
}

static T wantedAt(int form, T alpha, T beta, const Matrix* A, const Matrix* B, T old, int i,
                  int j) {
  if (form == OMATCOPY) return alpha * *at(A, j, i);
  if (form == COPY) return *at(A, i, j);
  if (form == SCAL) return alpha * old;
  T sum = 0;
  for (int k = 0; k < A->sizes[1]; ++k)
    sum += *at(A, i, k) * (form == SUM || form == AXPY ? 1 : *at(B, k, j));
  if (form == GEMM0 || form == GEMV0) return alpha * sum;
  return (form == GER || form == SUM || form == AXPY ? old : beta * old) + alpha * sum;
}

/* What is drawn for a call: nothing special, or which operand has a special element. */
enum { PLAIN, IN_A, IN_B, IN_BOTH, IN_C, PATTERNS };

static int one(int form, int m, int n, int k, const char* layouts, int atEnd, int pattern) {
  static T wanted[SLOT / sizeof(T)];
  const int transposed = form == OMATCOPY;
  Matrix A = laidOut(0, m, transposed ? n : k, layouts[0], atEnd);
  Matrix B = laidOut(1, k, n, layouts[1], atEnd);
  Matrix C = laidOut(2, transposed ? n : m, transposed ? m : n, layouts[2], atEnd);
  const T special = drawn(2) ? (T)NAN : (T)INFINITY;
  const T alpha = pattern == PLAIN ? (T)drawn(2) + 1 : 1, beta = (T)drawn(2) + 1;
  const char* wrong = NULL;
  fill(&A, pattern == IN_A || pattern == IN_B, pattern == IN_A);
  fill(&B, pattern == IN_A || pattern == IN_B, pattern == IN_B);
  fill(&C, form == GEMM0 || form == GEMV0, (T)NAN);
  if (pattern == IN_A || pattern == IN_BOTH) plant(&A, special);
  if (pattern == IN_B || pattern == IN_BOTH) plant(&B, -special);
  if (pattern == IN_C) plant(&C, special);
  memcpy(wanted, C.base, (size_t)C.span * sizeof(T));
  for (int i = 0; i < C.sizes[0]; ++i)
    for (int j = 0; j < C.sizes[1]; ++j)
      wanted[at(&C, i, j) - C.base] = wantedAt(form, alpha, beta, &A, &B, *at(&C, i, j), i, j);
  if (sigsetjmp(back, 1) == 0) {
    if (call(form, alpha, beta, &A, &B, &C) != 0) wrong = "a status";
    for (int64_t i = 0; i < C.span; ++i)
      if (!(C.base[i] == wanted[i] || (C.base[i] != C.base[i] && wanted[i] != wanted[i])))
        wrong = wanted[i] != wanted[i] ? "NaN is lost" : "another result";
  } else {
    wrong = "memory beyond the arrays is touched";
    for (int i = 0; i < 3; ++i) {
      static const char* const kPlaces[] = {"A is left", "B is left", "C is left"};
      if (fault >= slots[i] - SLOT && fault < slots[i] + 2 * SLOT) wrong = kPlaces[i];
    }
  }
  if (wrong)
    printf("%s_%d m=%d n=%d k=%d %.3s end=%d pattern=%d: %s\n", kNames[form], (int)sizeof(T) * 8, m,
           n, k, layouts, atEnd, pattern, wrong);
  return wrong != NULL;
}

/* Both ends, each pattern once in a while. `plain`: how many of the layouts are drawn. */
static int drawnLayouts(int form, int m, int n, int k, int plain) {
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    const char layouts[3] = {kLayouts[drawn((unsigned)plain)], kLayouts[drawn((unsigned)plain)],
                             kLayouts[drawn((unsigned)plain)]};
    wrong += one(form, m, n, k, layouts, i % 2, i < 2 ? PLAIN : 1 + (int)drawn(PATTERNS - 1));
  }
  return wrong;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  int wrong = 0;
  prepare();
  for (int round = 0; round < rounds; ++round) {
    for (int m = 1; m <= MOST; ++m)
      for (int n = 1; n <= MOST; ++n) {
        for (int k = 1; k <= MOST; ++k) {
          wrong += drawnLayouts(GEMM, m, n, k, 2) + drawnLayouts(GEMM0, m, n, k, 8);
          if (m % 4 == 0 && n % 4 == 0 && k % 4 == 0)
            wrong += drawnLayouts(GEMM, 4 * m, 4 * n, 4 * k, 4);
        }
        for (int i = 0; i < 8; ++i) {
          wrong += drawnLayouts(GEMV, m, 1, n, 8) + drawnLayouts(GEMV0, m, 1, n, 8);
          wrong += drawnLayouts(GER, m, n, 1, 8) + drawnLayouts(OMATCOPY, m, n, 1, 4);
        }
      }
    for (int size = 1; size <= 10 * MOST; ++size)
      for (int i = 0; i < 8; ++i) {
        wrong += drawnLayouts(DOT, 1, 1, size, 8) + drawnLayouts(SUM, 1, 1, size, 8);
        wrong += drawnLayouts(AXPY, size, 1, 1, 8) + drawnLayouts(SCAL, size, 1, 1, 8);
        wrong += drawnLayouts(COPY, size, 1, 1, 8);
      }
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
