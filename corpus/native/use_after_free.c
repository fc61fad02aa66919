//! what: main frees the message although the reader has only promised to be done with it soon
//! verdict: failed
//! finding: use-after-free at 16
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *message;
static atomic_bool almost_done, freed;

static void *reader(void *unused)
{
    int seen = *message;
    atomic_store(&almost_done, 1);
    if (atomic_load(&freed))
        return *message == seen ? unused : (void *)1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    message = malloc(sizeof *message);
    *message = 42;
    pthread_create(&thread, NULL, reader, NULL);
    if (atomic_load(&almost_done)) {
        free(message);
        atomic_store(&freed, 1);
    }
    pthread_join(thread, NULL);
    return 0;
}
