//! what: the reader uses the pointer without waiting for the writer: a null pointer is followed in one order
//! verdict: failed
//! finding: crash at 13
#include <pthread.h>
#include <stdatomic.h>

static int value = 42;
static _Atomic(int *) pointer;

static void *reader(void *unused)
{
    int *seen = atomic_load(&pointer);
    return *seen == 42 ? unused : (void *)1;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    atomic_store(&pointer, &value);
    pthread_join(thread, NULL);
    return 0;
}
