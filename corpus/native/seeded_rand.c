//! what: rand is seeded, the same in every run, so what depends on it is no divergence
//! verdict: exhausted
//! runs: optimal-dpor 6
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int sum;

static void *work(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++)
        atomic_fetch_add(&sum, i);
    return NULL;
}

int main(void)
{
    // Always two rounds, but by way of a random number.
    int rounds = 2 + (rand() % 100) / 100;
    pthread_t a, b;
    pthread_create(&a, NULL, work, &rounds);
    pthread_create(&b, NULL, work, &rounds);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
