//! what: a thread calls abort when it sees the two halves of a pair differ
//! verdict: failed
//! finding: crash
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int left, right;

static void *checker(void *unused)
{
    if (atomic_load(&left) != atomic_load(&right))
        abort();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, checker, NULL);
    atomic_store(&left, 1);
    atomic_store(&right, 1);
    pthread_join(thread, NULL);
    return 0;
}
