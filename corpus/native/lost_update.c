//! what: both threads load the sum before either stores it back, so one addition is lost; 4 traces, 2 of them wrong
//! verdict: failed
//! finding: assertion at 26
//! flags: --keep-going
//! runs: optimal-dpor 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused)
{
    int seen = atomic_load(&sum);
    atomic_store(&sum, seen + 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 2);
    return 0;
}
