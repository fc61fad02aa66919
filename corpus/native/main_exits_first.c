//! what: main leaves by pthread_exit; the process ends when the last thread does
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *work(void *unused)
{
    atomic_fetch_add(&sum, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_exit(NULL);
}
