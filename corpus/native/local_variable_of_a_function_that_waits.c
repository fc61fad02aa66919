//! what: the same function called twice waits for its threads, so that their local variables are there as long as they are used
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct work {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
    atomic_int steps;
};

static void *do_it(void *argument)
{
    struct work *work = argument;
    atomic_fetch_add(&work->steps, 1);
    pthread_mutex_lock(&work->lock);
    work->done = 1;
    pthread_cond_signal(&work->changed);
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static pthread_t start(int count)
{
    pthread_t thread;
    struct work work = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    int copies[count];
    pthread_create(&thread, NULL, do_it, &work);
    pthread_mutex_lock(&work.lock);
    while (!work.done)
        pthread_cond_wait(&work.changed, &work.lock);
    pthread_mutex_unlock(&work.lock);
    for (int i = 0; i < count; i++)
        copies[i] = atomic_load(&work.steps);
    assert(copies[count - 1] == 1);
    return thread;
}

int main(void)
{
    pthread_t first = start(1), second = start(3);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
