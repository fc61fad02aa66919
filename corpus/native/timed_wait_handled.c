//! what: the same with the time-out handled: nothing to find; nobody ever signals, and that is no deadlock
//! verdict: exhausted
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

int main(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 3600;
    pthread_mutex_lock(&lock);
    int ended = pthread_cond_timedwait(&changed, &lock, &until);
    assert(ended == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&changed);
    return 0;
}
