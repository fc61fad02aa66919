//! what: a worker that wakes up by itself every second and counts does not poll: the other thread may look after any number of rounds
//! verdict: failed
//! finding: assertion at 32
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int rounds;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 7; i++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&changed, &lock, &until);
        rounds++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    int now = rounds;
    assert(now != 6);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
