//! what: a thread notifies a condition variable on the stack of a function that may have seen the change and returned
//! verdict: failed
//! finding: use-after-free at 18
#include <pthread.h>

struct work {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
};

static void *do_it(void *argument)
{
    struct work *work = argument;
    pthread_mutex_lock(&work->lock);
    work->done = 1;
    pthread_mutex_unlock(&work->lock);
    pthread_cond_signal(&work->changed);
    return NULL;
}

static void run(pthread_t *thread)
{
    struct work work = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_create(thread, NULL, do_it, &work);
    pthread_mutex_lock(&work.lock);
    while (!work.done)
        pthread_cond_wait(&work.changed, &work.lock);
    pthread_mutex_unlock(&work.lock);
}

int main(void)
{
    pthread_t thread;
    run(&thread);
    pthread_join(thread, NULL);
    return 0;
}
