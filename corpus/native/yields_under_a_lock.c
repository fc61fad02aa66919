//! what: a thread gives way with the lock in its hands that the other one needs; it goes on sooner or later, so that is no livelock
//! verdict: exhausted
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *do_it(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, do_it, NULL);
    pthread_mutex_lock(&lock);
    while (!done) {
        sched_yield();
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
