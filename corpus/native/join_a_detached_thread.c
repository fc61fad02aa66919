//! what: a thread that was detached is joined
//! verdict: failed
//! finding: misuse at 16
#include <pthread.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL);
    return 0;
}
