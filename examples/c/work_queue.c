// A work queue with a bug: closing it sets the flag without the lock. A worker that has just seen the flag unset, and is about
// to sleep, misses the wake-up and sleeps for ever.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs;
static atomic_bool closed;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !atomic_load(&closed))
            pthread_cond_wait(&changed, &lock);
        if (jobs == 0)
            break;
        jobs--;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    atomic_store(&closed, 1);
    pthread_cond_broadcast(&changed);
    pthread_join(thread, NULL);
    return 0;
}
