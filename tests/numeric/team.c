/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's own threads for kernels: as many as it is told to use, made anew for each loop.
 */
#include <pthread.h>

#include "runtime/threads.h"

static int64_t team_threads = 1, team_shared = 0;
static int team_reverse = 0;

void team_set(int threads, int reverse);
int team_runs(void);

void team_set(int threads, int reverse) { team_threads = threads, team_reverse = reverse; }

int team_runs(void) { return (int)team_shared; }

int64_t einc_thread_count(void) { return team_threads; }

typedef struct {
  void (*task)(void *context, int64_t thread);
  void *context;
  int64_t thread;
} member;

static void *run_member(void *given) {
  member *one = (member *)given;
  one->task(one->context, one->thread);
  return NULL;
}

void einc_run_on_threads(int64_t threads, void (*task)(void *context, int64_t thread),
                         void *context) {
  pthread_t others[64];
  member members[64];
  int64_t t;
  ++team_shared;
  if (team_reverse) {
    for (t = threads; t-- > 0;) task(context, t);
    return;
  }
  for (t = 1; t < threads; ++t) {
    members[t].task = task, members[t].context = context, members[t].thread = t;
    pthread_create(&others[t], NULL, run_member, &members[t]);
  }
  task(context, 0);
  for (t = 1; t < threads; ++t) pthread_join(others[t], NULL);
}
