//! what: when both threads make the table, the one that loses forgets to free its own
//! verdict: failed
//! finding: leak at 15
//! flags: --leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) table;

static void *get(void *unused)
{
    if (atomic_load(&table))
        return unused;
    int *fresh = malloc(64);
    int *none = NULL;
    atomic_compare_exchange_strong(&table, &none, fresh);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, get, NULL);
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(table);
    return 0;
}
