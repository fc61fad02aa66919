//! what: the divisor is still zero if the reader is first
//! verdict: failed
//! finding: crash
#include <pthread.h>
#include <stdatomic.h>

static atomic_int divisor;

static void *divide(void *unused)
{
    volatile int answer = 84 / atomic_load(&divisor);
    (void)answer;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, divide, NULL);
    atomic_store(&divisor, 2);
    pthread_join(thread, NULL);
    return 0;
}
