//! what: main returns while a detached thread goes on for ever
//! ending: exhausted
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool never;

static void *linger(void *unused)
{
    while (!atomic_load(&never))
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, linger, NULL);
    pthread_detach(thread);
    return 0;
}
