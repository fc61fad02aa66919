// N threads, of which those beyond the ones that make the bug get in the way.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include "raddle.h"

#ifndef N
#define N 2
#endif

static pthread_t crowd_members[N + 1];
static int crowd_size;
static atomic_int crowd_noise;

static void *crowd_noisy(void *unused)
{
    atomic_fetch_add(&crowd_noise, 1);
    return unused;
}

static void start(void *(*body)(void *), long argument)
{
    pthread_create(&crowd_members[crowd_size++], NULL, body, (void *)argument);
}

// As many noisy threads as are missing to N.
static inline void fill(int needed)
{
    for (int i = needed; i < N; i++)
        start(crowd_noisy, 0);
}

static void join_all(void)
{
    for (int i = 0; i < crowd_size; i++)
        pthread_join(crowd_members[i], NULL);
}
