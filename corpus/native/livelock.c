//! what: each of two threads waits for the other to go first, and neither ever does
//! verdict: failed
//! finding: livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool gone[2];

static void *wait_and_go(void *number)
{
    long me = (long)number;
    while (!atomic_load(&gone[1 - me]))
        sched_yield();
    atomic_store(&gone[me], 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wait_and_go, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
