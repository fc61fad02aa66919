//! what: the thread whose decrement took the last count frees, and nobody else looks at the object again
//! verdict: exhausted
//! flags: --leaks
//! runs: optimal-dpor 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int owners;
};

static void *drop(void *pointer)
{
    struct object *object = pointer;
    if (atomic_fetch_sub(&object->owners, 1) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->owners, 2);
    pthread_create(&a, NULL, drop, object);
    pthread_create(&b, NULL, drop, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
