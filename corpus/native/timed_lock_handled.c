//! what: a timed lock whose time-out is handled: nothing to find, and no deadlock with locks in opposite order
//! verdict: exhausted
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *work(void *number)
{
    long first = (long)number;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&lock[first]);
    int got = pthread_mutex_timedlock(&lock[1 - first], &until);
    assert(got == 0 || got == ETIMEDOUT);
    if (got == 0)
        pthread_mutex_unlock(&lock[1 - first]);
    pthread_mutex_unlock(&lock[first]);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
