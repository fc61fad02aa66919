//! what: a program that ignores signals, and blocks them in its threads, is under control all the same
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *work(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return unused;
}

int main(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    signal(SIGPIPE, SIG_IGN);
    assert(sigaction(SIGHUP, &ignore, NULL) == 0);
    assert(sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
