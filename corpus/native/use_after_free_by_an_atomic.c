//! what: a counter is freed while another thread may still count with it, atomically
//! verdict: failed
//! finding: use-after-free at 12
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *counter;

static void *count(void *unused)
{
    atomic_fetch_add(counter, 1);
    return unused;
}

int main(void)
{
    counter = malloc(sizeof *counter);
    atomic_init(counter, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    free(counter);
    pthread_join(thread, NULL);
    return 0;
}
