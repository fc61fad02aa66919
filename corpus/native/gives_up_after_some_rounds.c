//! what: a loop that counts its rounds does not only wait: it gives up, and the assertion fails in the run in which it does
//! verdict: failed
//! finding: assertion at 24
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *prepare(void *unused)
{
    atomic_store(&ready, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    int rounds = 0;
    while (!atomic_load(&ready) && rounds < 3)
        rounds++;
    pthread_join(thread, NULL);
    assert(rounds < 3);
    return 0;
}
