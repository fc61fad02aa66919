//! what: reach_error is reached when the second thread sees only the first of two stores
//! verdict: failed
//! finding: assertion at 24
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static atomic_int x, y;

static void *writer(void *unused)
{
    atomic_store(&x, 1);
    atomic_store(&y, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen_y = atomic_load(&y);
    if (atomic_load(&x) > seen_y)
        reach_error();
    pthread_join(thread, NULL);
    return 0;
}
