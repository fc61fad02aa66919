//! what: Peterson's algorithm with its first two steps swapped lets both threads in
//! verdict: failed
//! finding: assertion at 20
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool wants[2];
static atomic_int turn, inside;

static void *enter(void *number)
{
    long me = (long)number, other = 1 - me;
    atomic_store(&turn, (int)other);
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        sched_yield();
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, enter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
