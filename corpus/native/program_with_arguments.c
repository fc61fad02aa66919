//! what: the number of writers comes from the command line: 4 writers, 4! traces
//! verdict: exhausted
//! args: 4
//! runs: optimal-dpor 24
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int last;

static void *writer(void *number)
{
    atomic_store(&last, (int)(long)number);
    return NULL;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s WRITERS\n", arguments[0]);
        return 2;
    }
    long writers = strtol(arguments[1], NULL, 10);
    pthread_t *thread = malloc((size_t)writers * sizeof *thread);
    for (long i = 0; i < writers; i++)
        pthread_create(&thread[i], NULL, writer, (void *)i);
    for (long i = 0; i < writers; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    return 0;
}
