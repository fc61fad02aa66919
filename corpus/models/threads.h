/* What the programs of this folder share: so many threads, each with its number. Everything that threads tell each other
   goes through atomics and locks, so that a model of the program can be built. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_THREADS = 32 };

static void body(int number);

static void *thread_body(void *number) {
    body((int)(intptr_t)number);
    return NULL;
}

static pthread_t threads[MOST_THREADS];

/* Starts threads with the numbers below `count`. */
static inline void start_all(int count) {
    for (int number = 0; number < count; number++) {
        pthread_create(&threads[number], NULL, thread_body, (void *)(intptr_t)number);
    }
}

static inline void join_all(int count) {
    for (int number = 0; number < count; number++) {
        pthread_join(threads[number], NULL);
    }
}

static inline void run_all(int count) {
    start_all(count);
    join_all(count);
}

#endif
