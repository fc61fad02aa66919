//! what: four threads try to be the first by compare-and-swap; who loses only reads, so there is one trace per winner
//! verdict: exhausted
//! runs: optimal-dpor 4
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int winner, winners;

static void *race(void *number)
{
    int nobody = 0;
    if (atomic_compare_exchange_strong(&winner, &nobody, (int)(long)number))
        atomic_fetch_add(&winners, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, race, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(winners == 1);
    return 0;
}
