//! what: a thread that waits for a signal gets it from another one; signals are not under control
//! verdict: untrusted
//! runs: optimal-dpor 2
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t wanted;

static void *wait_for_it(void *argument)
{
    int number = 0;
    assert(sigwait(&wanted, &number) == 0 && number == SIGUSR1);
    return argument;
}

int main(void)
{
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
    return 0;
}
