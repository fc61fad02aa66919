//! what: the old __sync and __atomic builtins are atomic operations: no race, and 4! orders of the four additions
//! verdict: exhausted
//! runs: optimal-dpor 24
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>

static int sum;

static void *add(void *number)
{
    if ((long)number % 2)
        __sync_fetch_and_add(&sum, 1);
    else
        __atomic_add_fetch(&sum, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, add, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(sum == 4);
    return 0;
}
