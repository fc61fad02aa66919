//! what: exit from a thread ends the run with all its threads; that is an ending like any other
//! verdict: exhausted
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int work_left = 1;

static void *work(void *unused)
{
    if (atomic_fetch_sub(&work_left, 1) == 1)
        exit(0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
