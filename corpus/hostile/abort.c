//! what: aborts in a thread, with SIGABRT blocked before
//! ending: crash
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static void *give_up(void *unused)
{
    (void)unused;
    abort();
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, give_up, NULL);
    pthread_join(thread, NULL);
    return 0;
}
