//! what: a thread is joined a second time
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
    pthread_join(thread, NULL);
    pthread_join(thread, NULL);
    return 0;
}
