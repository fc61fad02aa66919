//! what: the thread has ended when it is looked for, or ends in time, or is waited for: three ways, one result
//! verdict: exhausted
//! runs: optimal-dpor 3
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *give_back(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, give_back, (void *)3);
    int error = pthread_tryjoin_np(thread, &result);
    if (error == EBUSY) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 10;
        error = pthread_timedjoin_np(thread, &result, &until);
        if (error == ETIMEDOUT)
            error = pthread_join(thread, &result);
    }
    assert(error == 0 && result == (void *)3);
    return 0;
}
