//! what: two threads store one variable and load the other; under sequential consistency not both can load 0, so 3 traces
//! verdict: exhausted
//! runs: optimal-dpor 3
//! runs: every 6
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen_x, seen_y;

static void *one(void *unused)
{
    atomic_store(&x, 1);
    seen_y = atomic_load(&y);
    return unused;
}

static void *other(void *unused)
{
    atomic_store(&y, 1);
    seen_x = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_x == 1 || seen_y == 1);
    return 0;
}
