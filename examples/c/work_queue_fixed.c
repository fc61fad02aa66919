// A work queue without the bug: it is closed under the lock, so nobody is between looking and sleeping.
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs;
static bool closed;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !closed)
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
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
