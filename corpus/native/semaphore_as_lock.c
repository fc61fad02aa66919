//! what: a semaphore of one used as a lock: 2 × 2 sections, 4! / (2! 2!) = 6 orders
//! verdict: exhausted
//! runs: optimal-dpor 6
//! blocked: optimal-dpor 0
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static int counter;

static void *work(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&permit);
        counter++;
        sem_post(&permit);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&permit, 0, 1);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4);
    sem_destroy(&permit);
    return 0;
}
