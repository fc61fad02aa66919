//! what: a thread gets the address of an atomic local variable, whose function returns before the thread has used it for the first time
//! verdict: failed
//! finding: use-after-free at 16
//! runs: every 3
//! runs: dpor 3
//! runs: dpor-sleep 3
//! runs: dpor-cr-sleep 3
//! runs: optimal-dpor 3
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(atomic_int *) shared;
static void *use(void *unused)
{
    atomic_int *lent = atomic_load(&shared);
    if (lent)
        atomic_store(lent, 1);
    return unused;
}
static void lend(void)
{
    atomic_int local;
    atomic_store(&shared, &local);
    atomic_store(&shared, 0);
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    lend();
    pthread_join(thread, 0);
}
