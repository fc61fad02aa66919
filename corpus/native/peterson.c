//! what: Peterson's algorithm keeps two threads apart under sequential consistency
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_bool wants[2];
static atomic_int turn;
static int counter;

static void *enter(void *number)
{
    long me = (long)number, other = 1 - me;
    atomic_store(&wants[me], 1);
    atomic_store(&turn, (int)other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        sched_yield();
    counter++;
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, enter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
