//! what: leaves by _exit, without any handler, from a thread
//! ending: exhausted
#include <pthread.h>
#include <unistd.h>

static void *leave(void *unused)
{
    (void)unused;
    _exit(7);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 0;
}
