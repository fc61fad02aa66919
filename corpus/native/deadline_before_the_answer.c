//! what: a thread looks for an answer until its time is up; that can be before the answer comes, however soon that is
//! verdict: failed
//! finding: assertion at 36
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int answer;

static double now(void)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec + (double)moment.tv_nsec * 1e-9;
}

static void *gives_it(void *unused)
{
    atomic_store(&answer, 42);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, gives_it, NULL);
    double begin = now();
    int seen = 0;
    while (seen == 0) {
        seen = atomic_load(&answer);
        if (now() - begin > 2.5)
            break;
    }
    pthread_join(thread, NULL);
    assert(seen == 42);
    return 0;
}
