//! what: a thread that is cancelled would come to its end: that it goes on for ever is not the program's fault
//! verdict: untrusted
#include <pthread.h>
#include <unistd.h>

static void *sleep_for_ever(void *unused)
{
    for (;;)
        sleep(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
