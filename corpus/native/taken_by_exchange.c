//! what: the buffer is taken by an exchange, so it is freed once: nothing to find, no leak
//! verdict: exhausted
//! flags: --leaks
//! runs: optimal-dpor 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void *release(void *unused)
{
    char *mine = atomic_exchange(&buffer, NULL);
    if (mine)
        free(mine);
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
