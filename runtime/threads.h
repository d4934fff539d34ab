/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * How kernels that were generated with --threads=N get their threads. Each such library defines
 * both functions weakly, on OpenMP (and on one thread, if it is compiled without): a program that
 * has a thread pool of its own defines both, and its definitions are used instead.
 *
 * No result depends on how many threads there are, or on what runs where and when. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many threads a kernel that is called now may use, the caller's own included: 1 or more. A
 * kernel uses no more than the N that it was generated for. */
int64_t einc_thread_count(void);

/* Calls task(context, t) once for each t = 0, 1, ..., threads - 1 and returns when all calls have
 * ended. Calls may run at the same time, one after the other, in any order and on any thread; none
 * waits for another. 2 <= threads <= what einc_thread_count has said. */
void einc_run_on_threads(int64_t threads, void (*task)(void *context, int64_t thread),
                         void *context);

#ifdef __cplusplus
}
#endif
