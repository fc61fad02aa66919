//! what: the count is decremented and then loaded, so two owners can both see zero and both free
//! verdict: failed
//! finding: use-after-free at 18
//! finding: double-free at 19
//! flags: --keep-going
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int owners;
};

static void *drop(void *pointer)
{
    struct object *object = pointer;
    atomic_fetch_sub(&object->owners, 1);
    if (atomic_load(&object->owners) == 0)
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
