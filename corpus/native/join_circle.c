//! what: two threads join each other
//! verdict: failed
//! finding: deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_t a, b;
static sem_t created;

static void *join_b(void *unused)
{
    sem_wait(&created);
    pthread_join(b, NULL);
    return unused;
}

static void *join_a(void *unused)
{
    sem_wait(&created);
    pthread_join(a, NULL);
    return unused;
}

int main(void)
{
    sem_init(&created, 0, 0);
    pthread_create(&a, NULL, join_b, NULL);
    pthread_create(&b, NULL, join_a, NULL);
    sem_post(&created);
    sem_post(&created);
    pthread_exit(NULL);
}
