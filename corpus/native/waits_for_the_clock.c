//! what: a loop that does nothing but look at the clock ends, because time passes for it
//! verdict: exhausted
//! runs: every 1
//! runs: optimal-dpor 1
#include <pthread.h>
#include <time.h>

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *wait_a_little(void *unused)
{
    long start = milliseconds();
    while (milliseconds() - start < 20)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_a_little, NULL);
    pthread_join(thread, NULL);
    return 0;
}
