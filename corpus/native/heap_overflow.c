//! what: two threads take the same place of a full array; in one order the second writes behind its end
//! verdict: failed
//! finding: out-of-bounds at 15
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 2 };
static int *array;
static atomic_int length = 1;

static void *append(void *number)
{
    if (atomic_load(&length) < SIZE)
        array[atomic_fetch_add(&length, 1)] = (int)(long)number;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    array = malloc(SIZE * sizeof *array);
    pthread_create(&a, NULL, append, (void *)1L);
    pthread_create(&b, NULL, append, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(array);
    return 0;
}
