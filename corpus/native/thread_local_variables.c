//! what: _Thread_local variables start afresh in every thread, with their initial value
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <pthread.h>

static _Thread_local int calls = 7;
static __thread char name[8];

static int call(void)
{
    return ++calls;
}

static void *work(void *number)
{
    for (long i = 0; i < (long)number; i++)
        call();
    assert(calls == 7 + (long)number);
    assert(name[0] == 0);
    name[0] = 'x';
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)2L);
    pthread_create(&b, NULL, work, (void *)5L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(calls == 7 && name[0] == 0);
    return 0;
}
