//! what: pthread_once runs its function once; who comes later sees all that it wrote: 3 traces, by who runs it
//! verdict: exhausted
//! runs: optimal-dpor 3
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, table;

static void initialise(void)
{
    calls++;
    table = 42;
}

static void *work(void *unused)
{
    pthread_once(&once, initialise);
    assert(table == 42);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(calls == 1);
    return 0;
}
