//! what: a weak compare-and-swap may fail for no reason, so that nobody wins
//! verdict: failed
//! finding: assertion at 25
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;

static void *claim(void *number)
{
    int nobody = 0;
    atomic_compare_exchange_weak(&owner, &nobody, (int)(long)number);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, claim, (void *)1L);
    pthread_create(&b, NULL, claim, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int winner = atomic_load(&owner);
    assert(winner != 0);
    return 0;
}
