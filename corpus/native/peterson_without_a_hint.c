//! what: Peterson's lock with loops that say nothing while they wait: as many runs as with sched_yield in them
//! verdict: exhausted
//! runs: optimal-dpor 27
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *number)
{
    int self = (int)(long)number, other = 1 - self;
    atomic_store(&wants[self], 1);
    atomic_store(&turn, other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&wants[self], 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, (void *)0L);
    pthread_create(&b, NULL, enter, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
