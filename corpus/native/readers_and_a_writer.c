//! what: loads commute: three threads of two loads each and one store have (2 + 1)^3 traces
//! verdict: exhausted
//! runs: optimal-dpor 27
//! runs: every 630
//! blocked: optimal-dpor 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int variable;

static void *reader(void *unused)
{
    int first = atomic_load(&variable);
    int second = atomic_load(&variable);
    return first <= second ? unused : (void *)1;
}

static void *writer(void *unused)
{
    atomic_store(&variable, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, reader, NULL);
    pthread_create(&thread[3], NULL, writer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
