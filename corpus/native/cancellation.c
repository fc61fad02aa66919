//! what: pthread_cancel is not controlled: the verdict says so instead of passing
//! verdict: untrusted
#include <pthread.h>

static void *worker(void *unused)
{
    for (int i = 0; i < 3; i++)
        pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
