//! what: both threads see the buffer and both free it, because looking and taking are two steps
//! verdict: failed
//! finding: double-free at 15
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void *release(void *unused)
{
    char *seen = atomic_load(&buffer);
    if (seen) {
        atomic_store(&buffer, NULL);
        free(seen);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    atomic_store(&buffer, malloc(16));
    pthread_create(&a, NULL, release, NULL);
    pthread_create(&b, NULL, release, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
