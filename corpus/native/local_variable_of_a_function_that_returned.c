//! what: a thread gets the address of a local variable of a function that does not wait for it
//! verdict: failed
//! finding: use-after-free at 13
#include <pthread.h>

struct work {
    int done;
};

static void *do_it(void *argument)
{
    struct work *work = argument;
    work->done = 1;
    return NULL;
}

static void start(pthread_t *thread)
{
    struct work work = {0};
    pthread_create(thread, NULL, do_it, &work);
}

int main(void)
{
    pthread_t thread;
    start(&thread);
    pthread_join(thread, NULL);
    return 0;
}
