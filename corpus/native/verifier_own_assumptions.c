//! what: assumptions that the program brings along, by abort and by an endless loop, leave runs out; the rest is right
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

void assume_cycle_if_not(int condition)
{
    while (!condition)
        ;
}

static atomic_int first, second;

static void *set(void *unused)
{
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    assume_abort_if_not(atomic_load(&first));
    assume_cycle_if_not(atomic_load(&second));
    assert(atomic_load(&first) && atomic_load(&second));
    pthread_join(thread, NULL);
    return 0;
}
