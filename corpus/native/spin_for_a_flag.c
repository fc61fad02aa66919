//! what: a thread that spins for a flag is treated as waiting for it: the search ends, and the flag orders the data
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool ready;
static int data;

static void *producer(void *unused)
{
    data = 42;
    atomic_store(&ready, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    while (!atomic_load(&ready))
        sched_yield();
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
