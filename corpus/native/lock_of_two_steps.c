//! what: a lock that looks and then sets its flag lets two threads in
//! verdict: failed
//! finding: assertion at 18
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool locked;
static atomic_int inside;

static void *work(void *unused)
{
    while (atomic_load(&locked))
        sched_yield();
    atomic_store(&locked, 1);
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&locked, 0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
