/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * Both functions of runtime/threads.h for one kernel that `einc eval` runs, in place of the weak
 * ones: EINC_THREADS threads, which each loop starts anew. Compiled beside the kernel, far from
 * this checkout, so it declares them itself. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

int64_t einc_thread_count(void);
void einc_run_on_threads(int64_t threads, void (*task)(void *context, int64_t thread),
                         void *context);

int64_t einc_thread_count(void) { return EINC_THREADS; }

typedef struct {
  void (*task)(void *context, int64_t thread);
  void *context;
  int64_t thread;
} started_task;

static void *run_task(void *given) {
  const started_task *const own = (const started_task *)given;
  own->task(own->context, own->thread);
  return NULL;
}

void einc_run_on_threads(int64_t threads, void (*task)(void *context, int64_t thread),
                         void *context) {
  pthread_t started[EINC_THREADS];
  started_task tasks[EINC_THREADS];
  int64_t thread, count = 0;
  for (thread = 1; thread < threads; ++thread) {
    const started_task next = {task, context, thread};
    tasks[count] = next;
    if (pthread_create(&started[count], NULL, run_task, &tasks[count]) == 0)
      ++count;
    else
      task(context, thread); /* the system has no more threads */
  }
  task(context, 0);
  while (count-- > 0) pthread_join(started[count], NULL);
}
