/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Loops whose tiles are shared out to threads. Chunks as in scalars.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compiler/emit/prelude/scalars.h"
#include "runtime/threads.h"

/*@ tile_count: */
/* How many tiles of `step` positions, the last of them perhaps smaller, make up `extent`. Where the
 * extent is 0 there are none, and the step may be 0, too. */
static inline int64_t einc_tile_count(int64_t extent, int64_t step) {
  return extent > 0 ? (extent - 1) / step + 1 : 0;
}

/*@ tiles_of: */
/* The tiles of `rounds` with `inside` tiles each, if these are few enough for a call to end. */
static inline int64_t einc_tiles_of(int64_t rounds, int64_t inside) {
  int64_t tiles;
  return __builtin_mul_overflow(rounds, inside, &tiles) ? INT64_MAX : tiles;
}

/*@ tiles_inside: least */
/* How many of the first `tiles` are in round `at`, where each round has `inside`. */
static inline int64_t einc_tiles_inside(int64_t tiles, int64_t at, int64_t inside) {
  const int64_t left = tiles - at * inside;
  return left < 0 ? 0 : einc_least(left, inside);
}

/*@ share: least tile_count */
/* Computes tiles `from` to `to`, with at most `threads` threads; `slot` is memory of its own. */
typedef void einc_tiles(const void *names, int64_t threads, char *slot, int64_t from, int64_t to);

typedef struct {
  einc_tiles *tiles;
  const void *names;
  char *slots;
  int64_t slot_bytes, count, chunk, next;
} einc_shared_loop;

/* One thread: takes tiles, a few at a time, until there are none. */
static void einc_take_tiles(void *context, int64_t thread) {
  einc_shared_loop *const loop = (einc_shared_loop *)context;
  for (;;) {
    const int64_t from = __atomic_fetch_add(&loop->next, loop->chunk, __ATOMIC_RELAXED);
    if (from >= loop->count) return;
    loop->tiles(loop->names, 1, loop->slots ? loop->slots + thread * loop->slot_bytes : NULL, from,
                einc_least(from + loop->chunk, loop->count));
  }
}

/* All `count` tiles, at least `grain` to a thread; without threads where there are too few for two,
 * or more could share what is `inside` each. The slot of thread t is at slots + t * slot_bytes.
 * Threads take pieces that are as long as each other, and as many, up to eight: neighbours have much in
 * common. (Measured on two threads of Zen 3, with pieces as short as they may be: maxima of 3 x 3, 4 x
 * 242 x 242 x 288, 9.5 ms, and 7.2 with whole images; 4 x 178 x 176, three pieces 22 us, and 18 two.) */
static inline void einc_share(einc_tiles *tiles, const void *names, int64_t count, int64_t grain,
                              int64_t inside, int64_t threads, char *slots, int64_t slot_bytes) {
  const int64_t most = einc_least(threads, count / grain);
  if (count == 0) return;
  if (most < 2 || most < einc_least(threads, inside)) {
    tiles(names, threads, slots, 0, count);
  } else {
    einc_shared_loop loop;
    loop.tiles = tiles;
    loop.names = names;
    loop.slots = slots;
    loop.slot_bytes = slot_bytes;
    loop.count = count;
    loop.chunk = einc_tile_count(count, einc_least(count / grain / most, 8) * most);
    loop.next = 0;
    einc_run_on_threads(most, einc_take_tiles, &loop);
  }
}
