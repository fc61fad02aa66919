//! what: a false assumption ends the run quietly: only the run in which the writer was first goes on to the assertion
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int condition);

static atomic_int data;

static void *writer(void *unused)
{
    atomic_store(&data, 42);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = atomic_load(&data);
    __VERIFIER_assume(seen != 0);
    assert(seen == 42);
    pthread_join(thread, NULL);
    return 0;
}
