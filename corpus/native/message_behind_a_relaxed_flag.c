//! what: the flag is stored without release, so nothing orders the data before its reader
//! verdict: failed
//! finding: data-race
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_bool ready;

static void *writer(void *unused)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return data == 42 ? unused : (void *)1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
