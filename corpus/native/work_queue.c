//! what: two workers take jobs until the queue is closed, and closing wakes all of them
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, done;
static bool closed;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (waiting == 0 && !closed)
            pthread_cond_wait(&changed, &lock);
        if (waiting == 0)
            break;
        waiting--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(done == 1);
    return 0;
}
