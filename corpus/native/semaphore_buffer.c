//! what: the classic bounded buffer with two semaphores and a lock; items arrive in order and nothing is lost
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { SIZE = 2, ITEMS = 3 };
static sem_t empty, full;
static int buffer[SIZE];

static void *producer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        buffer[i % SIZE] = i;
        sem_post(&full);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&empty, 0, SIZE);
    sem_init(&full, 0, 0);
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&full);
        assert(buffer[i % SIZE] == i);
        sem_post(&empty);
    }
    pthread_join(thread, NULL);
    return 0;
}
