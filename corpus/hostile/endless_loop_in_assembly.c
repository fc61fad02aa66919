//! what: a loop in which nothing at all happens, in a thread
//! ending: livelock | stopped
#include <pthread.h>

static void *spin(void *unused)
{
    for (;;)
        __asm__ volatile("");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    pthread_join(thread, NULL);
    return 0;
}
