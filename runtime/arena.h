/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for calls of kernels that have local tensors, kept from call to call: what is new comes from
 * the system a page at a time, which may take longer than the call.
 *
 *   einc_arena *arena;
 *   einc_status status = einc_arena_create(256 << 20, &arena);
 *   if (status == EINC_OK) status = attention_in_arena(&q, &k, &v, &out, arena);
 *   ...
 *   einc_arena_destroy(arena);
 *
 * An arena has at most `bound` bytes at a time, both what calls use and what it keeps, each in
 * multiples of 64. What a call
 * gives back is kept for the next one that needs about as much, up to half less; where there would be
 * more than the bound, what was not used for longest is freed first. Beyond the bound there is no
 * memory: the call returns EINC_OUT_OF_MEMORY, and has touched nothing.
 *
 * Thread-safe, but for destroying: calls that run at once have a piece each.
 *
 * The type is declared in generated headers, too. Kernels call the two functions and know nothing
 * else, so a program may bring an arena of its own: a struct that begins with such an einc_arena.
 */
#ifndef EINC_RUNTIME_ARENA_H_
#define EINC_RUNTIME_ARENA_H_

#include <stdint.h>

#include "runtime/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef EINC_ARENA_T
#define EINC_ARENA_T
typedef struct einc_arena einc_arena;
struct einc_arena {
  void *(*take)(einc_arena *arena, int64_t bytes); /* at a multiple of 64; NULL: there is none */
  void (*give)(einc_arena *arena, void *memory);   /* NULL: nothing happens */
};
#endif

/* NULL_DESCRIPTOR (arena), NEGATIVE_SIZE (bound), OUT_OF_MEMORY; *arena is only set with EINC_OK. */
einc_status einc_arena_create(int64_t bound, einc_arena **arena);

/* Frees what the arena keeps. */
void einc_arena_trim(einc_arena *arena);

/* The same, and the arena. No call may use it any more. NULL: nothing happens. */
void einc_arena_destroy(einc_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
