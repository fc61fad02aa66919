//! what: plain data is handed over by a release store that an acquire load sees: no race
//! verdict: exhausted
//! runs: optimal-dpor 2
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_bool ready;

static void *writer(void *unused)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *reader(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(data == 42);
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
