// Part of Einc. SPDX-License-Identifier: Apache-2.0
#if defined(__linux__)
#define _DEFAULT_SOURCE 1 /* for madvise */
#include <sys/mman.h>
#endif

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "runtime/arena.h"

enum { kAlignment = 64 };

/* Of what is new and large the system is asked for large pages, as kernels do for memory of their own. */
static const int64_t kLarge = (int64_t)1 << 23;

/* Stands in the 64 bytes before the memory that is given out. */
typedef struct piece {
  struct piece *next; /* of those that are kept: the one that was given back before */
  void *allocated;
  int64_t bytes;
} piece;

typedef struct {
  einc_arena functions; /* first */
  pthread_mutex_t lock; /* of what follows, but for the bound */
  int64_t bound, used, kept_bytes;
  piece *kept; /* what was given back last is first */
} arena_impl;

static void free_all(piece *p) {
  while (p != NULL) {
    piece *const next = p->next;
    free(p->allocated);
    p = next;
  }
}

static piece *unlink_kept(arena_impl *arena, piece **at) {
  piece *const p = *at;
  *at = p->next;
  p->next = NULL;
  arena->kept_bytes -= p->bytes;
  return p;
}

/* Of the kept pieces that are large enough, and at most twice as large, the smallest. */
static piece *find_kept(arena_impl *arena, int64_t bytes) {
  piece **best = NULL;
  for (piece **p = &arena->kept; *p != NULL; p = &(*p)->next) {
    if ((*p)->bytes < bytes || (*p)->bytes / 2 > bytes) continue;
    if (best == NULL || (*p)->bytes < (*best)->bytes) best = p;
  }
  return best != NULL ? unlink_kept(arena, best) : NULL;
}

/* Takes out what was kept for longest, until there is room for so many bytes more. */
static piece *make_room(arena_impl *arena, int64_t bytes) {
  piece *out = NULL;
  while (arena->kept != NULL && arena->kept_bytes > arena->bound - arena->used - bytes) {
    piece **last = &arena->kept;
    while ((*last)->next != NULL) last = &(*last)->next;
    piece *const oldest = unlink_kept(arena, last);
    oldest->next = out;
    out = oldest;
  }
  return out;
}

static piece *allocate(int64_t bytes) {
  if ((uint64_t)bytes > SIZE_MAX - 2 * kAlignment) return NULL;
  char *const allocated = (char *)malloc((size_t)bytes + 2 * kAlignment);
  if (allocated == NULL) return NULL;
#if defined(__linux__)
  if (bytes >= kLarge) {
    const size_t skipped = (size_t)-(uintptr_t)allocated % 4096;
    (void)madvise(allocated + skipped, ((size_t)bytes - skipped) / 4096 * 4096, MADV_HUGEPAGE);
  }
#endif
  piece *const made = (piece *)(allocated + (kAlignment - (uintptr_t)allocated % kAlignment));
  made->next = NULL;
  made->allocated = allocated;
  made->bytes = bytes;
  return made;
}

static void *take(einc_arena *handle, int64_t bytes) {
  arena_impl *const arena = (arena_impl *)handle;
  if (bytes < 0 || bytes > arena->bound) return NULL;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  piece *unused = NULL;
  pthread_mutex_lock(&arena->lock);
  piece *found = find_kept(arena, bytes);
  const int64_t own = found != NULL ? found->bytes : bytes;
  const int has_room = own <= arena->bound - arena->used;
  if (has_room) {
    unused = make_room(arena, own);
    arena->used += own;
  }
  pthread_mutex_unlock(&arena->lock);
  free_all(unused);
  if (!has_room) return NULL;
  if (found == NULL) found = allocate(bytes);
  if (found != NULL) return (char *)found + kAlignment;
  pthread_mutex_lock(&arena->lock);
  arena->used -= own;
  pthread_mutex_unlock(&arena->lock);
  return NULL;
}

static void give(einc_arena *handle, void *memory) {
  arena_impl *const arena = (arena_impl *)handle;
  if (memory == NULL) return;
  piece *const p = (piece *)((char *)memory - kAlignment);
  pthread_mutex_lock(&arena->lock);
  p->next = arena->kept;
  arena->kept = p;
  arena->used -= p->bytes;
  arena->kept_bytes += p->bytes;
  pthread_mutex_unlock(&arena->lock);
}

einc_status einc_arena_create(int64_t bound, einc_arena **arena) {
  if (arena == NULL) return EINC_NULL_DESCRIPTOR;
  if (bound < 0) return EINC_NEGATIVE_SIZE;
  arena_impl *const made = (arena_impl *)malloc(sizeof *made);
  if (made == NULL) return EINC_OUT_OF_MEMORY;
  if (pthread_mutex_init(&made->lock, NULL) != 0) {
    free(made);
    return EINC_OUT_OF_MEMORY;
  }
  made->functions.take = take;
  made->functions.give = give;
  made->bound = bound < INT64_MAX / 2 ? bound : INT64_MAX / 2; /* no sum of sizes is too large */
  made->used = made->kept_bytes = 0;
  made->kept = NULL;
  *arena = &made->functions;
  return EINC_OK;
}

void einc_arena_trim(einc_arena *handle) {
  arena_impl *const arena = (arena_impl *)handle;
  if (arena == NULL) return;
  pthread_mutex_lock(&arena->lock);
  piece *const kept = arena->kept;
  arena->kept = NULL;
  arena->kept_bytes = 0;
  pthread_mutex_unlock(&arena->lock);
  free_all(kept);
}

void einc_arena_destroy(einc_arena *handle) {
  if (handle == NULL) return;
  arena_impl *const arena = (arena_impl *)handle;
  einc_arena_trim(handle);
  pthread_mutex_destroy(&arena->lock);
  free(arena);
}
