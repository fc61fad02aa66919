//! what: a thread exits the program with a code while the others wait
//! ending: exhausted
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t never;

static void *leave(void *unused)
{
    (void)unused;
    exit(42);
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, leave, NULL);
    sem_wait(&never);
    return 0;
}
