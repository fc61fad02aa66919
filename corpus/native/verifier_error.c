//! what: __VERIFIER_error is called when an order of two flags is seen that the program forbids
//! verdict: failed
//! finding: assertion at 23
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_error(void);

static atomic_int first, second;

static void *writer(void *unused)
{
    atomic_store(&second, 1);
    atomic_store(&first, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load(&second) && !atomic_load(&first))
        __VERIFIER_error();
    pthread_join(thread, NULL);
    return 0;
}
