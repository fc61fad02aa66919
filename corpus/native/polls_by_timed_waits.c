//! what: a thread that nobody notifies looks again whenever its wait gives up; it never does so for ever
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done, seen;

static void *poll_for_it(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    seen++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll_for_it, NULL);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(seen == 1);
    return 0;
}
