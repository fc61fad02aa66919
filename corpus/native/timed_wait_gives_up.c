//! what: a timed wait can end by its time-out; the program believes that the answer is there all the same
//! verdict: failed
//! finding: assertion at 32
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool answered;

static void *server(void *unused)
{
    pthread_mutex_lock(&lock);
    answered = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    struct timespec until;
    pthread_t thread;
    pthread_create(&thread, NULL, server, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&lock);
    if (!answered)
        pthread_cond_timedwait(&changed, &lock, &until);
    assert(answered);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
