//! what: a delay loop that counts in a volatile variable of its own does not wait for anybody
//! verdict: exhausted
//! runs: dpor 2
//! runs: dpor-cr-sleep 2
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int started;

static void *starts_late(void *unused)
{
    for (volatile unsigned i = 0; i < 200000; i++)
        ;
    atomic_store(&started, 1);
    return unused;
}

int main(void)
{
    pthread_t late;
    pthread_create(&late, NULL, starts_late, NULL);
    int seen = atomic_load(&started);
    pthread_join(late, NULL);
    assert(seen == 0 || seen == 1);
    return 0;
}
