//! what: a lock made of an exchange and a loop protects the counter
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool locked;
static int counter;

static void *work(void *unused)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
        sched_yield();
    counter++;
    atomic_store_explicit(&locked, 0, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
