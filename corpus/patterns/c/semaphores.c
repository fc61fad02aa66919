//! what: two semaphores are taken in two orders
//! finding: deadlock
#include <semaphore.h>
#include "crowd.h"

static sem_t disks, tapes;

static void *forwards(void *unused)
{
    sem_wait(&disks);
    sem_wait(&tapes);
    sem_post(&tapes);
    sem_post(&disks);
    return unused;
}

static void *backwards(void *unused)
{
    sem_wait(&tapes);
    sem_wait(&disks);
    sem_post(&disks);
    sem_post(&tapes);
    return unused;
}

int main(void)
{
    sem_init(&disks, 0, 1);
    sem_init(&tapes, 0, 1);
    for (int i = 1; i < N; i++)
        start(forwards, 0);
    start(backwards, 0);
    join_all();
    return 0;
}
