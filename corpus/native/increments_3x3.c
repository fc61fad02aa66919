//! what: three threads add to one atomic three times each: 9! / (3!)^3 orders, each a trace
//! verdict: exhausted
//! runs: optimal-dpor 1680
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused)
{
    for (int i = 0; i < 3; i++)
        atomic_fetch_add(&sum, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(sum == 9);
    return 0;
}
