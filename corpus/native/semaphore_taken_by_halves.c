//! what: two threads need two permits each and take them one by one: each can end up with half of what it needs
//! verdict: failed
//! finding: deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;

static void *work(void *unused)
{
    sem_wait(&permits);
    sem_wait(&permits);
    sem_post(&permits);
    sem_post(&permits);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&permits, 0, 2);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
