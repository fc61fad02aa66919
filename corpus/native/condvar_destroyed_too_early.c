//! what: the notifier has given the lock back before it signals, so the waiter may have destroyed the condition variable by then
//! verdict: failed
//! finding: misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int done;

static void *finish(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
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
