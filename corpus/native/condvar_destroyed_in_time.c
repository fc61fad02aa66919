//! what: the notifier signals while it has the lock, so the waiter cannot destroy the condition variable too early
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int done;

static void *finish(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_cond_init(&changed, NULL);
    pthread_create(&thread, NULL, finish, NULL);
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&changed);
    pthread_join(thread, NULL);
    return 0;
}
